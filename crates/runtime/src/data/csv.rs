//! Tables: lines of fields with commas between them, as `x,y` over `1.5,2`. docs/data.md says what is accepted.
//!
//! Fields go into the values one by one, so that a table takes no more memory than they do.

use super::number::Literal;
use super::source::Source;
use super::write::bare_scalar;
use super::{Fault, Place, Problem, WriteError};
use crate::{Data, EntryType, ParamType, Value, with_elements};
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

/// What a table can be, for messages.
pub(super) const HOLDS: &str = "an array with one or two dimensions, an array of records or a record of arrays";

/// A field longer than this is no number that anyone wrote on purpose.
const LONGEST_FIELD: usize = 1 << 16;
/// How much is gathered before it is written.
const BUFFER: usize = 1 << 16;

/// Whether a value of this type can be a table, one column or several.
pub(super) fn holds(ty: ParamType) -> bool {
    matches!(ty.rank, 1 | 2)
}

/// Reads an array: `[n]t` from one column, `[n][m]t` from several. The first line may name the columns.
pub(super) fn read(source: &mut Source<'_>, wanted: Option<ParamType>) -> Result<Value, Fault> {
    if let Some(wanted) = wanted.filter(|wanted| !holds(*wanted)) {
        return Err(Problem::WrongLiteral { wanted, found: "a table".to_string() }.into());
    }
    let mut table = Table::new(source);
    let mut elements = Elements { prim: wanted.map(|wanted| wanted.prim), data: wanted.map(|ty| Data::empty(ty.prim)) };
    // The first line is kept only as long as it can be names.
    let (mut names, mut width, mut surplus) = (Vec::new(), 0, None);
    let mut more = table.begin_row()?;
    let mut has_header = more;
    while more {
        more = table.next_field()?;
        let field = &table.field;
        has_header = has_header && field.can_be_name();
        if width > 0 && wanted.is_some_and(|wanted| wanted.rank == 1) {
            surplus.get_or_insert(field.place);
        } else if has_header {
            names.push(field.clone());
        } else {
            for (index, name) in names.drain(..).enumerate() {
                elements.push(&name, || (index + 1).to_string())?;
            }
            elements.push(field, || (width + 1).to_string())?;
        }
        width += 1;
    }
    if let (Some(wanted), Some(place)) = (wanted, surplus) {
        return Err(Problem::CsvColumns { wanted, found: width }.at_place(place));
    }
    let mut rows = usize::from(width > 0 && !has_header);
    let column =
        |index: usize| names.get(index).map_or_else(|| (index + 1).to_string(), |name| shown_name(&name.name()));
    while table.next_row(width, |index, field| elements.push(field, || column(index)))? {
        rows += 1;
    }
    let data = elements.data.ok_or(Problem::CsvNoRows)?;
    let is_single = wanted.map_or(width == 1, |wanted| wanted.rank == 1);
    Ok(Value::new(if is_single { vec![rows] } else { vec![rows, width] }, data))
}

/// Reads the parts of an array of records or a record of arrays, whose columns have names, in any order.
pub(super) fn records(source: &mut Source<'_>, ty: &EntryType, columns: &[String]) -> Result<Vec<Value>, Fault> {
    let mut table = Table::new(source);
    let first = table.row()?;
    let parts: BTreeMap<&str, usize> = columns.iter().map(String::as_str).zip(0..).collect();
    let quoted = |names: &mut dyn Iterator<Item = String>| names.map(|n| shown_name(&n)).collect::<Vec<_>>().join(", ");
    let fields = || quoted(&mut columns.iter().cloned());
    let names: Vec<String> = first.iter().map(Field::name).collect();
    if !names.iter().any(|name| parts.contains_key(name.as_str())) && first.iter().all(Field::is_value) {
        let place = first.first().map_or_else(|| table.source.place(), |field| field.place);
        return Err(Problem::CsvNoHeader(fields()).at_place(place));
    }
    // The part that each column is.
    let mut part_of = Vec::new();
    for (field, name) in first.iter().zip(&names) {
        let Some(part) = parts.get(name.as_str()) else {
            let unknown = Problem::CsvUnknown { name: shown(name), ty: ty.name.clone(), fields: fields() };
            return Err(unknown.at_place(field.place));
        };
        if part_of.contains(part) {
            return Err(Problem::CsvTwice(shown(name)).at_place(field.place));
        }
        part_of.push(*part);
    }
    if let Some(missing) = columns.iter().find(|name| !names.contains(name)) {
        let there = quoted(&mut names.iter().cloned());
        return Err(Problem::CsvMissing { name: missing.clone(), there }.at_place(first[0].place));
    }
    let empty = |part: &ParamType| Elements { prim: Some(part.prim), data: Some(Data::empty(part.prim)) };
    let mut elements: Vec<Elements> = ty.parts.iter().map(empty).collect();
    while table
        .next_row(names.len(), |index, field| elements[part_of[index]].push(field, || shown_name(&names[index])))?
    {}
    let values = elements.into_iter().filter_map(|elements| elements.data);
    Ok(values.map(|data| Value::new(vec![data.len()], data)).collect())
}

/// The elements of an array in the making.
struct Elements {
    /// The type that is wanted.
    prim: Option<Prim>,
    /// Known as soon as the type is.
    data: Option<Data>,
}

impl Elements {
    /// Appends the value of a field. Without a type that is wanted, integers become floats where a float comes.
    fn push(&mut self, field: &Field, column: impl Fn() -> String) -> Result<(), Fault> {
        let literal = field.literal();
        let fault = |problem: Problem| problem.at_place(field.place);
        let prim = match (self.prim, &mut self.data, &literal) {
            (Some(prim), _, _) => prim,
            (None, Some(Data::I32(ints)), Some((literal, _))) if literal.usual() == Prim::F64 => {
                self.data = Some(Data::F64(ints.iter().map(|&int| f64::from(int)).collect()));
                Prim::F64
            }
            (None, Some(data), _) => data.prim(),
            (None, None, Some((literal, _))) => literal.usual(),
            (None, None, None) => Prim::F64,
        };
        let scalar = match &literal {
            Some((literal, word)) => literal.value(prim, word).map_err(|problem| match problem {
                Problem::MixedTypes { wanted, found } if self.prim.is_none() => Problem::CsvTypes(wanted, found),
                Problem::Range { number, prim } => Problem::CsvRange { column: column(), number: shown(&number), prim },
                _ => Problem::CsvValue { column: column(), found: field.shown(), prim },
            }),
            None if field.text.is_empty() => Err(Problem::CsvEmpty { column: column(), prim }),
            None if self.prim.is_none() => Err(Problem::CsvNoValue { column: column(), found: field.shown() }),
            None => Err(Problem::CsvValue { column: column(), found: field.shown(), prim }),
        };
        let scalar = match (scalar, field.text.as_slice()) {
            // As some programs write booleans.
            (Err(_), b"0" | b"1") if prim == Prim::Bool && self.prim.is_some() => Scalar::Bool(field.text == b"1"),
            (scalar, _) => scalar.map_err(fault)?,
        };
        let data = self.data.get_or_insert_with(|| Data::empty(prim));
        if !data.make_room() {
            return Err(fault(Problem::TooMuch));
        }
        let pushed = data.push(scalar);
        debug_assert!(pushed);
        Ok(())
    }
}

/// What stands between two commas, without the blanks and quotes around it.
#[derive(Clone)]
struct Field {
    text: Vec<u8>,
    place: Place,
    is_quoted: bool,
}

impl Field {
    fn name(&self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }

    fn shown(&self) -> String {
        shown(&String::from_utf8_lossy(&self.text))
    }

    fn is_value(&self) -> bool {
        self.literal().is_some()
    }

    /// Whether it names a column: in quotes, whatever is no value does, and otherwise not what begins like a number.
    fn can_be_name(&self) -> bool {
        let begins_number = self.text.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.'));
        !self.is_value() && (self.is_quoted || !begins_number)
    }

    /// The number or boolean, with the word that says so in the text format.
    fn literal(&self) -> Option<(Literal<'_>, Cow<'_, str>)> {
        let text = std::str::from_utf8(&self.text).ok()?;
        let word = match text.strip_prefix('+') {
            Some(rest) if !rest.starts_with(['+', '-']) => rest,
            _ => text,
        };
        let (sign, magnitude) = match word.strip_prefix('-') {
            Some(magnitude) => ("-", magnitude),
            None => ("", word),
        };
        let is = |name: &str| magnitude.eq_ignore_ascii_case(name);
        let float = |value: f64| Literal::Unsized(if sign.is_empty() { value } else { -value });
        if is("nan") {
            return Some((float(f64::NAN), Cow::Borrowed(word)));
        }
        if is("inf") || is("infinity") {
            return Some((float(f64::INFINITY), Cow::Borrowed(word)));
        }
        if sign.is_empty() && (is("true") || is("false")) {
            return Some((Literal::Bool(is("true")), Cow::Borrowed(word)));
        }
        Some((Literal::new(word)?, Cow::Borrowed(word)))
    }
}

/// A text of a file in a message: on one line, and not too long.
fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

fn shown_name(name: &str) -> String {
    format!("`{}`", shown(name))
}

/// A line ends with either character or both, of which the second is then that of an empty line.
fn ends_field(byte: u8) -> bool {
    matches!(byte, b',' | b'\n' | b'\r')
}

struct Table<'s, 'a> {
    source: &'s mut Source<'a>,
    field: Field,
}

impl<'s, 'a> Table<'s, 'a> {
    fn new(source: &'s mut Source<'a>) -> Table<'s, 'a> {
        let field = Field { text: Vec::new(), place: source.place(), is_quoted: false };
        Table { source, field }
    }

    /// All fields of the next row; none at the end.
    fn row(&mut self) -> Result<Vec<Field>, Fault> {
        let mut fields = Vec::new();
        let mut more = self.begin_row()?;
        while more {
            more = self.next_field()?;
            fields.push(self.field.clone());
        }
        Ok(fields)
    }

    /// Hands on the fields of the next row, which has as many as the first one; false at the end.
    fn next_row(
        &mut self,
        width: usize,
        mut each: impl FnMut(usize, &Field) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        if !self.begin_row()? {
            return Ok(false);
        }
        let mut found = 0;
        let mut surplus = None;
        let mut more = true;
        while more {
            more = self.next_field()?;
            if found < width {
                each(found, &self.field)?;
            } else {
                surplus.get_or_insert(self.field.place);
            }
            found += 1;
        }
        if found == width {
            return Ok(true);
        }
        Err(Problem::CsvRagged { found, wanted: width }.at_place(surplus.unwrap_or(self.field.place)))
    }

    /// Goes past lines without anything in them, to the begin of a row; false at the end.
    fn begin_row(&mut self) -> Result<bool, Fault> {
        loop {
            self.skip_blanks()?;
            match self.source.peek()? {
                None => return Ok(false),
                Some(b'\n' | b'\r') => self.source.advance(),
                Some(_) => return Ok(true),
            }
        }
    }

    fn skip_blanks(&mut self) -> Result<(), Fault> {
        while let Some(b' ' | b'\t') = self.source.peek()? {
            self.source.advance();
        }
        Ok(())
    }

    /// Reads a field and goes past what ends it; whether there is another one in the row.
    fn next_field(&mut self) -> Result<bool, Fault> {
        self.skip_blanks()?;
        self.field.place = self.source.place();
        self.field.text.clear();
        self.field.is_quoted = self.source.peek()? == Some(b'"');
        if self.field.is_quoted {
            self.source.advance();
            self.quoted()?;
        } else {
            self.unquoted()?;
        }
        match self.source.peek()? {
            Some(end) => {
                self.source.advance();
                Ok(end == b',')
            }
            None => Ok(false),
        }
    }

    fn unquoted(&mut self) -> Result<(), Fault> {
        while let Some(byte) = self.source.peek()?.filter(|byte| !ends_field(*byte)) {
            if byte == b'"' {
                return Err(Problem::CsvQuote.at_place(self.source.place()));
            }
            self.push(byte)?;
        }
        while let [.., b' ' | b'\t'] = self.field.text[..] {
            self.field.text.pop();
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Fault> {
        loop {
            let Some(byte) = self.source.peek()? else {
                return Err(Problem::CsvOpenQuotes.at_place(self.field.place));
            };
            if byte == b'"' {
                self.source.advance();
                if self.source.peek()? != Some(b'"') {
                    break;
                }
            }
            self.push(byte)?;
        }
        while let Some(byte) = self.source.peek()?.filter(|byte| !ends_field(*byte)) {
            if !matches!(byte, b' ' | b'\t') {
                let found = shown_name(&String::from_utf8_lossy(&[byte]));
                return Err(Problem::CsvAfterQuotes { found }.at_place(self.source.place()));
            }
            self.source.advance();
        }
        Ok(())
    }

    fn push(&mut self, byte: u8) -> Result<(), Fault> {
        if self.field.text.len() >= LONGEST_FIELD {
            return Err(Problem::CsvLongField.at_place(self.field.place));
        }
        self.field.text.push(byte);
        self.source.advance();
        Ok(())
    }
}

/// Writes an array, a row on a line. One without rows is an empty file.
pub(super) fn write(out: &mut dyn Write, value: &Value) -> Result<(), WriteError> {
    let width = match *value.shape() {
        [_] => 1,
        [rows, 0] if rows > 0 => {
            return Err(WriteError::Unfit(format!("a value of type `{}` has no columns", value.value_type())));
        }
        [_, width] => width.max(1),
        _ => return Err(WriteError::Unfit(format!("a value of type `{}` is no table", value.value_type()))),
    };
    let mut text = String::with_capacity(BUFFER + 64);
    with_elements!(value.data(), xs => {
        for (x, index) in xs.iter().zip(1..) {
            bare_scalar(&mut text, crate::Element::into_scalar(*x))?;
            text.push(if index % width == 0 { '\n' } else { ',' });
            flush(out, &mut text, BUFFER)?;
        }
    });
    flush(out, &mut text, 0)
}

/// Writes columns of the same length below their names.
pub(super) fn write_records(out: &mut dyn Write, columns: &[String], parts: &[Value]) -> Result<(), WriteError> {
    let rows = parts.first().map_or(0, |part| part.data().len());
    if let Some((other, name)) = parts.iter().zip(columns).find(|(part, _)| part.data().len() != rows) {
        let (first, length) = (columns.first().map_or("", String::as_str), other.data().len());
        return Err(WriteError::Unfit(format!(
            "the columns are not of one length: `{first}` has {rows}, `{name}` {length}"
        )));
    }
    let mut text = columns.join(",");
    text.push('\n');
    for row in 0..rows {
        for (part, index) in parts.iter().zip(0..) {
            if index > 0 {
                text.push(',');
            }
            bare_scalar(&mut text, part.data().get(row))?;
        }
        text.push('\n');
        flush(out, &mut text, BUFFER)?;
    }
    flush(out, &mut text, 0)
}

/// Writes the text once it is this long.
fn flush(out: &mut dyn Write, text: &mut String, least: usize) -> Result<(), WriteError> {
    if text.len() >= least {
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> WriteError {
        WriteError::Unfit("a number cannot be written".to_string())
    }
}

#[cfg(test)]
mod tests {
    use crate::{EntryType, Format, Reader, Value, write};

    fn reader(text: &str) -> Reader<'_> {
        Reader::with_format(text.as_bytes(), Format::Csv)
    }

    /// What is read, of this type or of any, with its type; or what is wrong.
    fn echo(text: &str, ty: &str) -> String {
        let mut reader = reader(text);
        let value = match ty {
            "" => reader.next_value().map(|value| value.unwrap()),
            ty => reader.next_of(ty.parse().unwrap()),
        };
        value.map_or_else(|error| error.to_string(), |value| format!("{value} : {}", value.value_type()))
    }

    fn records_of(fields: &[(&str, &str)]) -> EntryType {
        EntryType {
            name: "[]t".to_string(),
            parts: fields.iter().map(|(_, prim)| format!("[]{prim}").parse().unwrap()).collect(),
            names: fields.iter().map(|(name, _)| name.to_string()).collect(),
            transparent: false,
        }
    }

    fn table(text: &str) -> String {
        let ty = records_of(&[("id", "i8"), ("pos.x", "f32"), ("z", "bool")]);
        let shown = |values: Vec<Value>| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        reader(text).next_entry(&ty).map_or_else(|error| error.to_string(), shown)
    }

    fn written(ty: &EntryType, parts: &[Value]) -> String {
        let mut out = Vec::new();
        match write(&mut out, Format::Csv, ty, parts) {
            Ok(()) => String::from_utf8(out).unwrap(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn arrays() {
        for (text, ty, expected) in [
            ("1\n2\n", "[]i32", "[1i32, 2i32] : [2]i32"),
            ("x\n1\n2", "[]f64", "[1.0f64, 2.0f64] : [2]f64"),
            ("1\n2\n", "[][]i32", "[[1i32], [2i32]] : [2][1]i32"),
            ("1,2\n3,4\n", "[][]u8", "[[1u8, 2u8], [3u8, 4u8]] : [2][2]u8"),
            ("a,b\n1,2\n", "[][]f16", "[[1.0f16, 2.0f16]] : [1][2]f16"),
            // A name in quotes may have anything in it.
            ("\"a,\"\"\nb\",c\n1,2\n", "[][]i8", "[[1i8, 2i8]] : [1][2]i8"),
            // Blanks, ends of lines, empty lines, a byte-order mark, quotes.
            ("\u{feff}1,2\r\n\r\n 3\t,\t4 \r\n", "[][]i32", "[[1i32, 2i32], [3i32, 4i32]] : [2][2]i32"),
            ("\n \n\"1\" , \"2\"\n\n", "[][]i32", "[[1i32, 2i32]] : [1][2]i32"),
            ("1,2\r3,4\r", "[][]i32", "[[1i32, 2i32], [3i32, 4i32]] : [2][2]i32"),
            ("\"1st\",\n1,2\n", "[][]i32", "[[1i32, 2i32]] : [1][2]i32"),
            (
                "nan,NaN,-nan\ninf,-INF,+infinity",
                "[][]f32",
                "[[f32.nan, f32.nan, f32.nan], [f32.inf, -f32.inf, f32.inf]] : [2][3]f32",
            ),
            ("+1\n-1\n1e3\n.5\n", "[]f64", "[1.0f64, -1.0f64, 1000.0f64, 0.5f64] : [4]f64"),
            ("true\nFALSE\n1\n0\n", "[]bool", "[true, false, true, false] : [4]bool"),
            ("18446744073709551615\n", "[]u64", "[18446744073709551615u64] : [1]u64"),
            // What nobody says the type of.
            ("1\n-2\n", "", "[1i32, -2i32] : [2]i32"),
            ("1,2\n3,4.5\n", "", "[[1.0f64, 2.0f64], [3.0f64, 4.5f64]] : [2][2]f64"),
            ("1\ninf\n", "", "[1.0f64, f64.inf] : [2]f64"),
            ("true,false", "", "[[true, false]] : [1][2]bool"),
            // Without rows.
            ("", "[]i32", "empty([0]i32) : [0]i32"),
            ("\n\n", "[][]i32", "empty([0][0]i32) : [0][0]i32"),
            ("x\n", "[]i32", "empty([0]i32) : [0]i32"),
            ("x,y\n", "[][]i32", "empty([0][2]i32) : [0][2]i32"),
        ] {
            assert_eq!(echo(text, ty), expected, "{text:?}");
        }
    }

    #[test]
    fn wrong_arrays() {
        for (text, ty, expected) in [
            ("1,2\n", "[]i32", "line 1, column 3: the table has 2 columns, and `[]i32` takes one"),
            ("1,2\n3\n", "[][]i32", "line 2, column 1: this row has 1 fields, the first line has 2"),
            ("1\n2,3,4\n", "[]i32", "line 2, column 3: this row has 3 fields, the first line has 1"),
            ("x,y\n1,2\n3,\n", "[][]i32", "line 3, column 3: column `y`: there is nothing in this field"),
            (
                "1.5\n\n,\n",
                "[]f32",
                "line 3, column 1: column 1: there is nothing in this field; write `nan` for a missing number",
            ),
            ("1\n300\n", "[]u8", "line 2, column 1: column 1: `300` is out of the range of `u8`"),
            ("1\n1.5\n", "[]i32", "line 2, column 1: column 1: `1.5` is not a value of type `i32`"),
            (
                "1\n 1;2\n",
                "[]i32",
                "line 2, column 2: column 1: `1;2` is not a value of type `i32`; columns are separated by commas",
            ),
            (
                "1\nx\ty\n",
                "",
                "line 2, column 1: column 1: `x\\ty` is neither a number nor a boolean; columns are separated by commas",
            ),
            (
                "1\ntrue\n",
                "",
                "line 2, column 1: the table has values of type `i32` and `bool`, and an array has one type",
            ),
            (
                "true\n1\n",
                "",
                "line 2, column 1: the table has values of type `bool` and `i32`, and an array has one type",
            ),
            ("x\n", "", "line 2, column 1: the table has no rows, so that its type is unknown"),
            ("", "", "line 1, column 1: the table has no rows, so that its type is unknown"),
            // One mistake does not make a header of a row.
            ("1x\n2\n", "[]i32", "line 1, column 1: column 1: `1x` is not a value of type `i32`"),
            ("1,x\n", "[][]i32", "line 1, column 3: column 2: `x` is not a value of type `i32`"),
            (
                "1\n\"2\"x\n",
                "[]i32",
                "line 2, column 4: `x` behind the quotes of a field; a quote inside is written as two",
            ),
            (
                "1\n2\"\n",
                "[]i32",
                "line 2, column 2: a quote in the middle of a field; a field with quotes stands in quotes, and a quote inside is written as two",
            ),
            ("1\n\"2\n3\n", "[]i32", "line 2, column 1: the quotes of this field are never closed"),
            ("1\n\"2\n3\"\n", "[]i32", "line 2, column 1: column 1: `2\\n3` is not a value of type `i32`"),
            ("1", "i32", "line 1, column 1: expected a value of type `i32`, found a table"),
            ("1", "[][][]i32", "line 1, column 1: expected a value of type `[][][]i32`, found a table"),
        ] {
            assert_eq!(echo(text, ty), expected, "{text:?}");
        }
        let long = format!("1\n{}\n", "1".repeat(1 << 17));
        assert_eq!(echo(&long, "[]i32"), "line 2, column 1: a field of more than 65536 bytes is no number");
        let name = format!("1\n{}\n", "é".repeat(100));
        let cut = "é".repeat(60);
        assert_eq!(echo(&name, "[]i32"), format!("line 2, column 1: column 1: `{cut}…` is not a value of type `i32`"));
    }

    #[test]
    fn arrays_of_records() {
        for (text, expected) in [
            ("id,pos.x,z\n1,2,true\n-3,4.5,0\n", "[1i8, -3i8] [2.0f32, 4.5f32] [true, false]"),
            (" z , id,\"pos.x\"\nfalse,1,nan\n", "[1i8] [f32.nan] [false]"),
            ("pos.x,id,z\n", "empty([0]i8) empty([0]f32) empty([0]bool)"),
            ("id,z\n1,true\n", "line 1, column 1: there is no column `pos.x`; the columns are `id`, `z`"),
            ("id,pos.x,z,w\n", "line 1, column 12: `w` is no field of `[]t`, which has `id`, `pos.x`, `z`"),
            ("id,pos.x,id\n", "line 1, column 10: two columns are called `id`"),
            ("1,2,true\n", "line 1, column 1: the first line must name the columns, which are `id`, `pos.x`, `z`"),
            ("", "line 1, column 1: the first line must name the columns, which are `id`, `pos.x`, `z`"),
            ("id,pos.x,z\n1,2\n", "line 2, column 3: this row has 2 fields, the first line has 3"),
            ("z,pos.x,id\n1,2,300\n", "line 2, column 5: column `id`: `300` is out of the range of `i8`"),
        ] {
            assert_eq!(table(text), expected, "{text:?}");
        }
        // The fields of a tuple are numbers.
        let pairs = records_of(&[("0", "i32"), ("1", "f64")]);
        let values = reader("1,0\n2.5,1\n").next_entry(&pairs).unwrap();
        assert_eq!(values, [Value::from(vec![1i32]), Value::from(vec![2.5f64])]);
        let one = EntryType::plain("f32".parse().unwrap());
        assert_eq!(
            reader("1\n").next_entry(&one).unwrap_err().to_string(),
            "line 1, column 1: `f32` does not fit into csv data, which is an array with one or two dimensions, an array \
             of records or a record of arrays"
        );
    }

    /// A file is one table.
    #[test]
    fn nothing_comes_after_a_table() {
        let mut reader = reader("1\n");
        assert!(reader.next_value().unwrap().is_some());
        assert!(reader.next_value().unwrap().is_none());
        reader.finish().unwrap();
        assert!(reader.next_of("[]i32".parse().unwrap()).is_err());
    }

    #[test]
    fn writing() {
        let plain =
            |value: &Value| written(&EntryType::plain(crate::ParamType::of(value)), std::slice::from_ref(value));
        let shaped = |shape: &[usize], values: &[f64]| Value::new(shape.to_vec(), crate::Data::F64(values.to_vec()));
        let inf = f64::INFINITY;
        assert_eq!(plain(&shaped(&[2, 3], &[1.0, -0.5, 1e10, f64::NAN, inf, -inf])), "1.0,-0.5,1.0e10\nnan,inf,-inf\n");
        assert_eq!(plain(&Value::from(vec![1u8, 255])), "1\n255\n");
        assert_eq!(plain(&Value::from(vec![true, false])), "true\nfalse\n");
        assert_eq!(plain(&shaped(&[0, 3], &[])), "");
        assert_eq!(plain(&shaped(&[3, 0], &[])), "a value of type `[3][0]f64` has no columns");
        assert!(plain(&Value::from(1u8)).starts_with("`u8` does not fit into csv data"));
        let ty = records_of(&[("x", "i32"), ("p.y", "bool")]);
        let (xs, ys) = (Value::from(vec![1, 2]), Value::from(vec![true, false]));
        assert_eq!(written(&ty, &[xs.clone(), ys]), "x,p.y\n1,true\n2,false\n");
        assert_eq!(written(&ty, &[Value::from(Vec::<i32>::new()), Value::from(Vec::<bool>::new())]), "x,p.y\n");
        let short = Value::from(vec![true]);
        assert_eq!(written(&ty, &[xs, short]), "the columns are not of one length: `x` has 2, `p.y` 1");
    }
}
