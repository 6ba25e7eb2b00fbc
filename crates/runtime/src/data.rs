//! Data files: values one after the other, each in text or binary format, the whole perhaps compressed with gzip.
//!
//! A value in binary format begins with the letter `b`, with which no value in text format begins.

mod binary;
mod number;
mod source;
mod text;
mod write;

pub use write::{write_binary, write_text};

use crate::{BadType, ParamType, Value, ValueType};
use kenaz_base::Prim;
use source::Source;
use std::fmt;
use std::io::{self, Read};

/// Reads values from a file, however large, a piece at a time.
pub struct Reader<'a> {
    source: Source<'a>,
    /// Once there was a binary value, lines mean nothing any more.
    binary_seen: bool,
}

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
    /// Line and column, counted from 1, unless there was binary data before.
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
}

impl<'a> Reader<'a> {
    pub fn new(input: impl Read + 'a) -> Reader<'a> {
        Reader { source: Source::new(Box::new(input)), binary_seen: false }
    }

    /// The next value, or nothing at the end of the data. Numbers without a type are of type `i32` or `f64`.
    pub fn next_value(&mut self) -> Result<Option<Value>, DataError> {
        self.value(None)
    }

    /// The next value, which must have this type. Numbers without a type get the one that is wanted.
    pub fn next_of(&mut self, wanted: ParamType) -> Result<Value, DataError> {
        match self.value(Some(wanted))? {
            Some(value) => Ok(value),
            None => Err(self.error(Problem::Missing(wanted))),
        }
    }

    /// All values that are left.
    pub fn rest(&mut self) -> Result<Vec<Value>, DataError> {
        let mut values = Vec::new();
        while let Some(value) = self.next_value()? {
            values.push(value);
        }
        Ok(values)
    }

    /// Makes sure that nothing but white space and comments is left.
    pub fn finish(&mut self) -> Result<(), DataError> {
        let next = self.skip_to_value();
        match self.located(next)? {
            None => Ok(()),
            Some(_) => Err(self.error(Problem::TooMany)),
        }
    }

    /// Where the reader is.
    pub fn place(&self) -> Place {
        let line = (!self.binary_seen).then(|| self.source.line_and_column());
        Place { byte: self.source.offset(), line }
    }

    fn value(&mut self, wanted: Option<ParamType>) -> Result<Option<Value>, DataError> {
        let value = self.skip_to_value().and_then(|first| match first {
            None => Ok(None),
            Some(b'b') => {
                self.binary_seen = true;
                let start = self.source.offset();
                let value = binary::read(&mut self.source)?;
                match wanted.filter(|wanted| !wanted.accepts(&value)) {
                    None => Ok(Some(value)),
                    Some(wanted) => Err(Problem::WrongType { wanted, found: ParamType::of(&value) }.at(start)),
                }
            }
            Some(_) => text::read(&mut self.source, wanted).map(Some),
        });
        self.located(value)
    }

    fn skip_to_value(&mut self) -> Result<Option<u8>, Fault> {
        text::skip_space(&mut self.source)?;
        self.source.peek()
    }

    fn error(&self, problem: Problem) -> DataError {
        DataError { place: self.place(), problem }
    }

    fn located<T>(&self, result: Result<T, Fault>) -> Result<T, DataError> {
        result.map_err(|fault| {
            let mut place = self.place();
            if let Some(start) = fault.start {
                // A token that went wrong is on one line.
                let back = place.byte.saturating_sub(start);
                place.byte = start;
                place.line = place.line.map(|(line, column)| (line, column.saturating_sub(back).max(1)));
            }
            DataError { place, problem: fault.problem }
        })
    }
}

/// A problem, with the place if it is not where the reader stands.
struct Fault {
    problem: Problem,
    start: Option<u64>,
}

impl Problem {
    /// The problem is with the token that begins here.
    fn at(self, start: u64) -> Fault {
        Fault { problem: self, start: Some(start) }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault { problem, start: None }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// A reader that gives a byte at a time.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            if buf.is_empty() {
                return Ok(0);
            }
            (buf[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    fn mixed() -> (Vec<u8>, Vec<Value>) {
        let values =
            vec![Value::from(1i32), Value::from(vec![0.5f64, -2.0]), Value::from(true), Value::from(vec![b'x'])];
        let mut bytes = b"  1 -- one\n".to_vec();
        write_binary(&mut bytes, &values[1]).unwrap();
        bytes.extend(b"\ttrue");
        bytes.push(b'\n');
        write_binary(&mut bytes, &values[3]).unwrap();
        bytes.extend(b"\n-- the end");
        (bytes, values)
    }

    #[test]
    fn formats_can_be_mixed() {
        let (bytes, values) = mixed();
        assert_eq!(Reader::new(&bytes[..]).rest().unwrap(), values);
        assert_eq!(Reader::new(Drip(&bytes)).rest().unwrap(), values);
    }

    #[test]
    fn compressed_data() {
        let (bytes, values) = mixed();
        let compressed = gzip(&bytes);
        assert_eq!(Reader::new(&compressed[..]).rest().unwrap(), values);
        assert_eq!(Reader::new(Drip(&compressed)).rest().unwrap(), values);
        let cut = Reader::new(&compressed[..compressed.len() - 9]).rest().unwrap_err();
        assert!(matches!(cut.problem, Problem::Read(_)), "{cut}");
    }

    #[test]
    fn wanted_types() {
        let i8s = ParamType { rank: 1, prim: Prim::I8 };
        let f32 = ParamType { rank: 0, prim: Prim::F32 };
        let mut reader = Reader::new(&b"[1, 2] 3"[..]);
        assert_eq!(reader.next_of(i8s).unwrap(), Value::from(vec![1i8, 2]));
        assert_eq!(reader.next_of(f32).unwrap(), Value::from(3f32));
        assert_eq!(
            reader.next_of(f32).unwrap_err().to_string(),
            "line 1, column 9: expected a value of type `f32`, found the end of the data"
        );
        let mut bytes = b"  ".to_vec();
        write_binary(&mut bytes, &Value::from(1f64)).unwrap();
        assert_eq!(
            Reader::new(&bytes[..]).next_of(f32).unwrap_err().to_string(),
            "byte 2: expected a value of type `f32`, found one of type `f64`"
        );
    }

    #[test]
    fn nothing_may_follow() {
        assert!(Reader::new(&b" \n-- done"[..]).finish().is_ok());
        let error = Reader::new(&b"\n  1"[..]).finish().unwrap_err();
        assert_eq!(error.to_string(), "line 2, column 3: expected the end of the data, found another value");
    }

    #[test]
    fn a_byte_order_mark_is_no_data() {
        let marked = [b"\xef\xbb\xbf".to_vec(), mixed().0].concat();
        for bytes in [&marked, &gzip(&marked)] {
            assert_eq!(Reader::new(&bytes[..]).rest().unwrap(), mixed().1);
            assert_eq!(Reader::new(Drip(bytes)).rest().unwrap(), mixed().1);
        }
        let error = |bytes: &[u8]| Reader::new(bytes).rest().unwrap_err().to_string();
        assert_eq!(error(b"\xef\xbb\xbf1 x"), "line 1, column 3: expected a value, found `x`");
        assert_eq!(error(b"\xef\xbb1"), "line 1, column 1: expected a value, found the byte 0xef");
        assert_eq!(error(b"1 \xef\xbb\xbf2"), "line 1, column 3: expected a value, found the byte 0xef");
        assert!(Reader::new(&b"\xef\xbb\xbf"[..]).rest().unwrap().is_empty());
    }

    /// Who has ended the input of a terminal once should not have to do so again.
    #[test]
    fn the_end_is_asked_for_once() {
        struct Once<'a>(&'a [u8], usize);
        impl Read for Once<'_> {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let n = Drip(self.0).read(buf)?;
                self.0 = &self.0[n..];
                self.1 += usize::from(n == 0);
                assert!(self.1 < 2, "asked again");
                Ok(n)
            }
        }
        for text in ["", "1", "1\n", "1 ", "1 -- x\n", "12", "\n"] {
            let mut reader = Reader::new(Once(text.as_bytes(), 0));
            while reader.next_value().unwrap().is_some() {}
            reader.finish().unwrap();
        }
    }

    #[test]
    fn failing_files() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is on fire"))
            }
        }
        let error = Reader::new(Broken).rest().unwrap_err();
        assert_eq!(error.to_string(), "line 1, column 1: the disk is on fire");
    }
}
