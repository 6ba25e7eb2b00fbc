//! What can be wrong with data, and where.

use super::Format;
use crate::{BadType, ParamType, ValueType};
use kenaz_base::Prim;
use std::fmt;
use std::io;

/// Why data cannot be read.
#[derive(Debug)]
pub struct DataError {
    pub place: Place,
    pub problem: Problem,
}

/// Where in the (uncompressed) data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub byte: u64,
    /// Line and column, counted from 1, unless there was data before that has no lines.
    pub line: Option<(u64, u64)>,
}

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("{0}")]
    Read(io::Error),
    #[error("the data ends in the middle of a value")]
    Truncated,
    #[error("the binary data ends after {found} of {wanted} bytes of a value of type `{ty}`")]
    TruncatedElements { ty: ValueType, found: u64, wanted: u64 },
    #[error("the binary data has version {0}, only version 2 is known")]
    Version(u8),
    #[error("`{0}` is not a type in binary data")]
    BinaryType(String),
    #[error("the byte 0x{0:02x} is not a boolean, which is 0 or 1")]
    BinaryBool(u8),
    #[error("the dimensions {0} are larger than any machine can hold")]
    TooLarge(String),
    #[error("the dimensions {0} are not right: one of them is negative")]
    Negative(String),
    #[error("there is not enough memory for a value of type `{0}`")]
    Memory(ValueType),
    #[error("there is not enough memory for a value that is this large")]
    TooMuch,
    #[error("expected a value, found {0}")]
    NotAValue(String),
    #[error("expected {wanted}, found {found}")]
    Syntax { wanted: &'static str, found: String },
    #[error("`{0}` is not a number")]
    Number(String),
    #[error("`{number}` is out of the range of `{}`", .prim.name())]
    Range { number: String, prim: Prim },
    #[error("the string is not valid UTF-8 or has an unknown escape sequence")]
    BadString,
    #[error("an element of type `{}` in an array of `{}`", .found.name(), .wanted.name())]
    MixedTypes { wanted: Prim, found: Prim },
    #[error("this row has {found} elements, the rows before it have {wanted}")]
    Irregular { wanted: usize, found: usize },
    #[error("arrays and single elements are mixed in one array")]
    MixedRanks,
    #[error("the type and shape of an array without elements are unknown: write it as `empty([0]i32)`")]
    UnknownEmpty,
    #[error("the value `empty({0})` is not empty: no dimension has the size 0")]
    NotEmpty(ValueType),
    #[error("an array can have at most 255 dimensions")]
    Rank,
    #[error("{0}")]
    Type(BadType),
    #[error("expected a value of type `{wanted}`, found one of type `{found}`")]
    WrongType { wanted: ParamType, found: ParamType },
    #[error("expected a value of type `{wanted}`, found {found}")]
    WrongLiteral { wanted: ParamType, found: String },
    #[error("expected a value of type `{0}`, found the end of the data")]
    Missing(ParamType),
    #[error("expected the end of the data, found another value")]
    TooMany,
    #[error("expected {0} data, which begins with {begin}", begin = .0.begin())]
    NotFormat(Format),
    #[error("{0}")]
    Unfit(String),
    #[error("the data is an archive; if it was written by `np.savez`, save each array by itself with `np.save`")]
    Archive,

    #[error("the npy data has version {0}.{1}, only versions 1.0, 2.0 and 3.0 are known")]
    NpyVersion(u8, u8),
    #[error("the npy header has {0} bytes, more than any array needs")]
    NpyHeaderLength(u64),
    #[error("in the npy header, expected {wanted}, found {found}")]
    NpyHeader { wanted: &'static str, found: String },
    #[error("the npy header has no field `{0}`")]
    NpyField(&'static str),
    #[error("the npy data has elements of type `{descr}`, {remedy}")]
    NpyType { descr: String, remedy: &'static str },
    #[error("expected a value of type `{wanted}`, found one of type `{found}`; save `a.astype(np.{dtype})`")]
    NpyWrongType { wanted: ParamType, found: ParamType, dtype: &'static str },

    #[error("{found} behind the quotes of a field; a quote inside is written as two")]
    CsvAfterQuotes { found: String },
    #[error(
        "a quote in the middle of a field; a field with quotes stands in quotes, and a quote inside is written as two"
    )]
    CsvQuote,
    #[error("the quotes of this field are never closed")]
    CsvOpenQuotes,
    #[error("a field of more than 65536 bytes is no number")]
    CsvLongField,
    #[error("this row has {found} fields, the first line has {wanted}")]
    CsvRagged { found: usize, wanted: usize },
    #[error("column {column}: there is nothing in this field{}", if .prim.is_float() { "; write `nan` for a missing number" } else { "" })]
    CsvEmpty { column: String, prim: Prim },
    #[error("column {column}: `{found}` is not a value of type `{}`{}", .prim.name(), comma(.found))]
    CsvValue { column: String, found: String, prim: Prim },
    #[error("column {column}: `{number}` is out of the range of `{}`", .prim.name())]
    CsvRange { column: String, number: String, prim: Prim },
    #[error("column {column}: `{found}` is neither a number nor a boolean{}", comma(.found))]
    CsvNoValue { column: String, found: String },
    #[error("two columns are called `{0}`")]
    CsvTwice(String),
    #[error("the first line must name the columns, which are {0}")]
    CsvNoHeader(String),
    #[error("there is no column `{name}`; the columns are {there}")]
    CsvMissing { name: String, there: String },
    #[error("`{name}` is no field of `{ty}`, which has {fields}")]
    CsvUnknown { name: String, ty: String, fields: String },
    #[error("the table has {found} columns, and `{wanted}` takes one")]
    CsvColumns { wanted: ParamType, found: usize },
    #[error("the table has values of type `{}` and `{}`, and an array has one type", .0.name(), .1.name())]
    CsvTypes(Prim, Prim),
    #[error("the table has no rows, so that its type is unknown")]
    CsvNoRows,

    #[error("the picture is damaged: {0}")]
    Png(String),
    #[error("the picture has {0} by {1} pixels; at most 134217728 are read, and 1048576 in a row")]
    PngTooLarge(u32, u32),
    #[error("the picture has {has}, which `{wanted}` cannot hold; `{remedy}` can")]
    PngLoss { has: &'static str, wanted: ParamType, remedy: &'static str },
    #[error("a picture cannot be read as `{0}`, but as {list}", list = super::picture::READ)]
    PngType(ParamType),
}

/// A remark on a field that looks like several.
fn comma(field: &str) -> &'static str {
    if field.contains([';', '|']) || field.contains("\\t") { "; columns are separated by commas" } else { "" }
}

/// A problem, with the place if it is not where the reader stands.
pub(super) struct Fault {
    pub(super) problem: Problem,
    pub(super) start: Start,
}

/// Where a fault is.
pub(super) enum Start {
    /// Where the reader stands.
    Here,
    /// On the line at which the reader stands, with this offset in the data.
    Byte(u64),
    Place(Place),
}

impl Problem {
    /// The problem is with the token that begins here, on the line at which the reader stands.
    pub(super) fn at(self, start: u64) -> Fault {
        Fault { problem: self, start: Start::Byte(start) }
    }

    pub(super) fn at_place(self, place: Place) -> Fault {
        Fault { problem: self, start: Start::Place(place) }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault { problem, start: Start::Here }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some((line, column)) => write!(f, "line {line}, column {column}"),
            None => write!(f, "byte {}", self.byte),
        }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for DataError {}
