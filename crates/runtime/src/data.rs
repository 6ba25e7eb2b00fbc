//! Data files: values in one of the formats of [`Format`], the whole perhaps compressed with gzip.
//!
//! Data says by its first bytes in which format it is, but for text and tables: a value in binary format begins with
//! the letter `b`, arrays of NumPy and pictures with bytes that are no ASCII, and no value in text format begins so.
//! Hence values in these formats can also stand one after the other. A table is one by its name or because somebody
//! says so.

mod binary;
mod csv;
mod format;
mod npy;
mod number;
mod picture;
mod problem;
mod source;
mod text;
mod write;

pub use format::Format;
pub use problem::{DataError, Place, Problem};
pub use write::{WriteError, write, write_binary, write_text};

use crate::{EntryType, ParamType, Value};
use problem::{Fault, Start};
use source::Source;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The first bytes of an archive, such as `numpy.savez` writes.
const ZIP: &[u8] = b"PK\x03\x04";

/// Reads values from a file, however large, a piece at a time.
pub struct Reader<'a> {
    source: Source<'a>,
    /// The format of data that does not say itself in which it is.
    format: Format,
    /// Data in another format is refused.
    is_certain: bool,
    /// The table, of which there is one in a file, has been read.
    table_read: bool,
}

impl<'a> Reader<'a> {
    /// Reads data in a format that its first bytes tell, or in text.
    pub fn new(input: impl Read + 'a) -> Reader<'a> {
        Reader { source: Source::new(Box::new(input)), format: Format::Text, is_certain: false, table_read: false }
    }

    /// Reads data that must be in this format.
    pub fn with_format(input: impl Read + 'a, format: Format) -> Reader<'a> {
        Reader { source: Source::new(Box::new(input)), format, is_certain: true, table_read: false }
    }

    /// Reads a file, in the format that is given, or else that its first bytes tell, or else its name.
    pub fn open(path: &Path, format: Option<Format>) -> io::Result<Reader<'static>> {
        let file = File::open(path)?;
        Ok(match format {
            Some(format) => Reader::with_format(file, format),
            None => Reader { format: Format::of_path(path).unwrap_or(Format::Text), ..Reader::new(file) },
        })
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

    /// The parts of the next argument, which must have this type: values one after the other, or a table.
    pub fn next_entry(&mut self, ty: &EntryType) -> Result<Vec<Value>, DataError> {
        let parts = match self.next_format() {
            Ok(Some(Format::Csv)) if !ty.parts.is_empty() => match (ty.columns(), Format::Csv.refuses(ty)) {
                (Some(columns), _) => {
                    self.table_read = true;
                    Some(csv::records(&mut self.source, ty, columns))
                }
                (None, Some(problem)) => Some(Err(Problem::Unfit(problem).into())),
                (None, None) => None,
            },
            Ok(_) => None,
            Err(fault) => Some(Err(fault)),
        };
        match parts {
            Some(parts) => self.located(parts),
            None => ty.parts.iter().map(|part| self.next_of(*part)).collect(),
        }
    }

    /// All values that are left.
    pub fn rest(&mut self) -> Result<Vec<Value>, DataError> {
        self.rest_as(&[])
    }

    /// All values that are left. Where the format says nothing about types, as those of tables and pictures do not,
    /// they are read as these types; otherwise the values may have others.
    pub fn rest_as(&mut self, wanted: &[EntryType]) -> Result<Vec<Value>, DataError> {
        let parts: Vec<ParamType> = wanted.iter().flat_map(|ty| &ty.parts).copied().collect();
        let mut values = Vec::new();
        loop {
            let format = self.next_format();
            match (self.located(format)?, wanted) {
                (None, _) => return Ok(values),
                // A file is one table.
                (Some(Format::Csv), [ty, ..]) => values.extend(self.next_entry(ty)?),
                (Some(format), _) => {
                    let part = parts.get(values.len()).copied().filter(|_| format == Format::Png);
                    values.extend(self.value(part)?);
                }
            }
        }
    }

    /// Whether nothing but white space and comments is left.
    pub fn is_at_end(&mut self) -> Result<bool, DataError> {
        let next = self.next_format();
        Ok(self.located(next)?.is_none())
    }

    /// Makes sure that nothing but white space and comments is left.
    pub fn finish(&mut self) -> Result<(), DataError> {
        if self.is_at_end()? { Ok(()) } else { Err(self.error(Problem::TooMany)) }
    }

    /// Where the reader is.
    pub fn place(&self) -> Place {
        self.source.place()
    }

    fn value(&mut self, wanted: Option<ParamType>) -> Result<Option<Value>, DataError> {
        let value = self.next_format().and_then(|format| {
            let source = &mut self.source;
            let value = match format {
                None => return Ok(None),
                Some(Format::Text) => text::read(source, wanted)?,
                Some(Format::Csv) => {
                    self.table_read = true;
                    csv::read(source, wanted)?
                }
                Some(Format::Png) => picture::read(source, wanted)?,
                Some(format @ (Format::Binary | Format::Npy)) => typed(source, wanted, format)?,
            };
            Ok(Some(value))
        });
        self.located(value)
    }

    /// The format of the next value, before which the source then stands; nothing at the end.
    fn next_format(&mut self) -> Result<Option<Format>, Fault> {
        if self.format != Format::Csv {
            text::skip_space(&mut self.source)?;
        }
        let Some(first) = self.source.peek()? else {
            // A file with nothing in it is a table without rows.
            return Ok((self.format == Format::Csv && !self.table_read).then_some(Format::Csv));
        };
        let mut found = None;
        for format in Format::ALL {
            let magic = format.magic();
            // No more is waited for than is needed.
            if magic.first() == Some(&first) && self.source.chunk(magic.len())?.starts_with(magic) {
                found = Some(format);
            }
        }
        if first == b'P' && self.source.chunk(ZIP.len())?.starts_with(ZIP) {
            return Err(Problem::Archive.into());
        }
        // Whatever version it has, it is no text.
        if first == b'b' && self.format != Format::Csv {
            found = Some(Format::Binary);
        }
        let is_other = found != Some(self.format) && (found.is_some() || !self.format.magic().is_empty());
        if is_other && (self.is_certain || found.is_none()) {
            return Err(match self.format {
                Format::Text | Format::Csv => {
                    found.map_or(Problem::Truncated, |found| Problem::NotAValue(format!("{found} data")))
                }
                format => Problem::NotFormat(format),
            }
            .into());
        }
        Ok(Some(found.unwrap_or(self.format)))
    }

    fn error(&self, problem: Problem) -> DataError {
        DataError { place: self.place(), problem }
    }

    fn located<T>(&self, result: Result<T, Fault>) -> Result<T, DataError> {
        result.map_err(|fault| {
            let mut place = self.place();
            match fault.start {
                Start::Here => {}
                Start::Place(exact) => place = exact,
                Start::Byte(start) => {
                    // A token that went wrong is on one line.
                    let back = place.byte.saturating_sub(start);
                    place.byte = start;
                    place.line = place.line.map(|(line, column)| (line, column.saturating_sub(back).max(1)));
                }
            }
            DataError { place, problem: fault.problem }
        })
    }
}

/// Reads a value that has a type of its own, which must be the one that is wanted.
fn typed(source: &mut Source<'_>, wanted: Option<ParamType>, format: Format) -> Result<Value, Fault> {
    source.forget_lines();
    let start = source.offset();
    let value = if format == Format::Npy { npy::read(source) } else { binary::read(source) }?;
    let found = ParamType::of(&value);
    match wanted.filter(|wanted| *wanted != found) {
        None => Ok(value),
        Some(wanted) if format == Format::Npy && wanted.rank == found.rank => {
            Err(Problem::NpyWrongType { wanted, found, dtype: npy::dtype(wanted.prim) }.at(start))
        }
        Some(wanted) => Err(Problem::WrongType { wanted, found }.at(start)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Prim;
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

    /// Whatever anyone says about the format, data in another one is refused.
    #[test]
    fn formats_that_are_certain() {
        let error = |format, bytes: &[u8]| Reader::with_format(bytes, format).rest().unwrap_err().to_string();
        let npy = b"\x93NUMPY\x01\0";
        assert_eq!(error(Format::Text, npy), "line 1, column 1: expected a value, found npy data");
        assert_eq!(error(Format::Csv, npy), "line 1, column 1: expected a value, found npy data");
        assert_eq!(error(Format::Text, b" b\x02\0 i32"), "line 1, column 2: expected a value, found binary data");
        let binary = "line 1, column 1: expected binary data, which begins with `b\\x02`";
        assert_eq!(error(Format::Binary, b"1"), binary);
        assert_eq!(error(Format::Binary, npy), binary);
        assert_eq!(
            error(Format::Png, b"\x89PNG\r\n"),
            "line 1, column 1: expected png data, which begins with `\\x89PNG\\r\\n\\x1a\\n`"
        );
        // A column may be called `b`.
        let wanted = ParamType { rank: 1, prim: Prim::I8 };
        assert_eq!(Reader::with_format(&b"b\n1"[..], Format::Csv).next_of(wanted).unwrap(), Value::from(vec![1i8]));
        let archive = Reader::new(&b"PK\x03\x04\x14"[..]).rest().unwrap_err().to_string();
        assert_eq!(
            archive,
            "line 1, column 1: the data is an archive; if it was written by `np.savez`, save each array by itself with \
             `np.save`"
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
