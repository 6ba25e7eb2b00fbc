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
    let first = table.row()?;
    let names: Vec<String> = first.iter().map(Field::name).collect();
    let has_header = !first.is_empty() && !first.iter().any(Field::is_value);
    let width = first.len();
    if let Some(wanted) = wanted.filter(|wanted| wanted.rank == 1 && width > 1) {
        return Err(Problem::CsvColumns { wanted, found: width }.at_place(first[1].place));
    }
    let column = |index: usize| if has_header { shown_name(&names[index]) } else { (index + 1).to_string() };
    let mut elements = Elements { prim: wanted.map(|wanted| wanted.prim), data: wanted.map(|ty| Data::empty(ty.prim)) };
    let mut rows = 0;
    if !has_header && width > 0 {
        for (index, field) in first.iter().enumerate() {
            elements.push(field, || column(index))?;
        }
        rows = 1;
    }
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

struct Table<'s, 'a> {
    source: &'s mut Source<'a>,
    field: Field,
}

impl<'s, 'a> Table<'s, 'a> {
    fn new(source: &'s mut Source<'a>) -> Table<'s, 'a> {
        let field = Field { text: Vec::new(), place: source.place() };
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
        if self.source.peek()? == Some(b'"') {
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
        while let Some(byte) = self.source.peek()?.filter(|byte| !matches!(byte, b',' | b'\n')) {
            if byte == b'"' {
                return Err(Problem::CsvQuote.at_place(self.source.place()));
            }
            self.push(byte)?;
        }
        while let [.., b' ' | b'\t' | b'\r'] = self.field.text[..] {
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
        while let Some(byte) = self.source.peek()?.filter(|byte| !matches!(byte, b',' | b'\n')) {
            if !matches!(byte, b' ' | b'\t' | b'\r') {
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
