//! Arrays of NumPy: a magic number, a header that is a dictionary of Python, and the elements.

use super::binary::{Order, check_shape, elements};
use super::source::Source;
use super::write::elements as write_elements;
use super::{Fault, Problem, WriteError};
use crate::{Data, Element, Value, ValueType, with_elements};
use kenaz_base::Prim;
use std::fmt::Write as _;
use std::io::Write;

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// A header longer than this is that of no array of numbers.
const LONGEST_HEADER: usize = 1 << 16;
/// Headers end where the elements may be mapped into memory.
const ALIGNMENT: usize = 64;
const MOST_DIMENSIONS: usize = 255;

/// Reads an array; the source stands before its magic number.
pub(super) fn read(source: &mut Source<'_>) -> Result<Value, Fault> {
    let _: [u8; MAGIC.len()] = source.exactly()?;
    let version_at = source.offset();
    let [major, minor] = source.exactly()?;
    let length = match (major, minor) {
        (1, 0) => u64::from(u16::from_le_bytes(source.exactly()?)),
        (2 | 3, 0) => u64::from(u32::from_le_bytes(source.exactly()?)),
        _ => return Err(Problem::NpyVersion(major, minor).at(version_at)),
    };
    let header_at = source.offset();
    let length = usize::try_from(length)
        .ok()
        .filter(|length| *length <= LONGEST_HEADER)
        .ok_or_else(|| Problem::NpyHeaderLength(length).at(version_at + 2))?;
    let mut text = Vec::new();
    while text.len() < length {
        let chunk = source.chunk(1)?;
        let n = chunk.len().min(length - text.len());
        if n == 0 {
            return Err(Problem::Truncated.into());
        }
        text.extend_from_slice(&chunk[..n]);
        source.skip(n);
    }
    let header = Parser { text: &text, at: 0, base: header_at }.header()?;
    let count = check_shape(&header.dims, header.prim, header.dims_at)?;
    let mut data = Data::empty(header.prim);
    let shape = count.shape;
    with_elements!(&mut data, xs => elements(source, &shape, count.elements, header.order, xs))?;
    if header.is_fortran && shape.len() > 1 && !data.is_empty() {
        data = with_elements!(&data, xs => transposed(&shape, xs))?;
    }
    Ok(Value::new(shape, data))
}

/// What NumPy calls the type of such elements.
pub(super) fn dtype(prim: Prim) -> &'static str {
    match prim {
        Prim::Bool => "bool_",
        Prim::I8 => "int8",
        Prim::I16 => "int16",
        Prim::I32 => "int32",
        Prim::I64 => "int64",
        Prim::U8 => "uint8",
        Prim::U16 => "uint16",
        Prim::U32 => "uint32",
        Prim::U64 => "uint64",
        Prim::F16 => "float16",
        Prim::F32 => "float32",
        Prim::F64 => "float64",
    }
}

/// What the header says.
struct Header {
    prim: Prim,
    order: Order,
    is_fortran: bool,
    dims: Vec<u64>,
    /// Where the dimensions stand.
    dims_at: u64,
}

/// A parser of the dictionary, which has neither dictionaries nor tuples inside of those that it reads.
struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    /// The offset of the text in the data.
    base: u64,
}

impl Parser<'_> {
    fn header(mut self) -> Result<Header, Fault> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        self.expect(b'{', "`{`")?;
        while self.peek() != Some(b'}') {
            let at = self.position();
            let key = self.string("the name of a field in quotes")?;
            self.expect(b':', "`:`")?;
            let is_second = match key.as_str() {
                "descr" => descr.replace(self.descr()?).is_some(),
                "fortran_order" => is_fortran.replace(self.boolean()?).is_some(),
                "shape" => {
                    self.skip_space();
                    shape.replace((self.position(), self.shape()?)).is_some()
                }
                _ => true,
            };
            if is_second {
                let wanted = "each of `descr`, `fortran_order` and `shape` once";
                return Err(Problem::NpyHeader { wanted, found: format!("`{}`", key.escape_debug()) }.at(at));
            }
            if self.peek() == Some(b',') {
                self.at += 1;
            } else if self.peek() != Some(b'}') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        self.at += 1;
        if self.peek().is_some() {
            return Err(self.unexpected("its end"));
        }
        let missing = |field| Problem::NpyField(field).at(self.base);
        let (prim, order) = descr.ok_or_else(|| missing("descr"))?;
        let is_fortran = is_fortran.ok_or_else(|| missing("fortran_order"))?;
        let (dims_at, dims) = shape.ok_or_else(|| missing("shape"))?;
        Ok(Header { prim, order, is_fortran, dims, dims_at })
    }

    /// The type of the elements, such as `<f4`.
    fn descr(&mut self) -> Result<(Prim, Order), Fault> {
        let refused =
            |descr: &str, remedy, at| Err(Problem::NpyType { descr: descr.escape_debug().to_string(), remedy }.at(at));
        if self.peek() == Some(b'[') {
            let remedy = "which have fields; save each of them by itself: `np.save(\"x.npy\", a[\"x\"])`";
            return refused("[…]", remedy, self.position());
        }
        let at = self.position();
        let descr = self.string("the type of the elements in quotes")?;
        let (order, kind) = match descr.as_bytes().first() {
            Some(b'<' | b'=' | b'|') => (Order::Little, &descr[1..]),
            Some(b'>') => (Order::Big, &descr[1..]),
            _ => (Order::Little, &descr[..]),
        };
        let prim = match kind {
            "b1" | "?" => Prim::Bool,
            "i1" => Prim::I8,
            "i2" => Prim::I16,
            "i4" => Prim::I32,
            "i8" => Prim::I64,
            "u1" => Prim::U8,
            "u2" => Prim::U16,
            "u4" => Prim::U32,
            "u8" => Prim::U64,
            "f2" => Prim::F16,
            "f4" => Prim::F32,
            "f8" => Prim::F64,
            _ => {
                let remedy = match kind.as_bytes().first() {
                    Some(b'O') => "which are objects; save numbers: `np.save(\"a.npy\", a.astype(np.float64))`",
                    Some(b'S' | b'U' | b'a') => "which are strings; save numbers: `a.astype(np.float64)`",
                    Some(b'c') => "which are complex; save `a.real` and `a.imag`",
                    Some(b'M' | b'm') => "which are times; save numbers: `a.astype(np.int64)`",
                    Some(b'f' | b'g') => "which the language does not have; save `a.astype(np.float64)`",
                    _ => "which the language does not have",
                };
                return refused(&descr, remedy, at);
            }
        };
        Ok((prim, order))
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        self.skip_space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("`True` or `False`"))
    }

    /// A tuple of sizes: `()`, `(3,)`, `(3, 4)`.
    fn shape(&mut self) -> Result<Vec<u64>, Fault> {
        let at = self.position();
        let mut dims = Vec::new();
        self.expect(b'(', "`(` and the shape")?;
        while self.peek() != Some(b')') {
            dims.push(self.size()?);
            if dims.len() > MOST_DIMENSIONS {
                return Err(Problem::Rank.at(at));
            }
            if self.peek() == Some(b',') {
                self.at += 1;
            } else if self.peek() != Some(b')') {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
        self.at += 1;
        Ok(dims)
    }

    fn size(&mut self) -> Result<u64, Fault> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = std::str::from_utf8(&rest[..length]).unwrap_or_default();
        let Ok(size) = digits.parse() else { return Err(self.unexpected("a size")) };
        self.at += length;
        // As Python 2 wrote integers.
        if self.text.get(self.at) == Some(&b'L') {
            self.at += 1;
        }
        Ok(size)
    }

    /// A text in quotes, in which nothing stands for something else.
    fn string(&mut self, wanted: &'static str) -> Result<String, Fault> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.unexpected(wanted)),
        };
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.iter().position(|byte| *byte == quote) else { return Err(self.unexpected(wanted)) };
        self.at += length + 2;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected(wanted));
        }
        self.at += 1;
        Ok(())
    }

    fn unexpected(&self, wanted: &'static str) -> Fault {
        let found = match self.text.get(self.at) {
            None => "the end of the header".to_string(),
            Some(byte) => format!("`{}`", byte.escape_ascii()),
        };
        Problem::NpyHeader { wanted, found }.at(self.position())
    }

    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.get(self.at).copied()
    }
}

/// The elements in row-major order of an array whose first dimension varies fastest.
fn transposed<T: Element>(shape: &[usize], from: &[T]) -> Result<Data, Fault> {
    let memory = || Problem::Memory(ValueType { shape: shape.to_vec(), prim: T::PRIM });
    let mut to: Vec<T> = Vec::new();
    to.try_reserve_exact(from.len()).map_err(|_| memory())?;
    to.extend_from_slice(from);
    let (rows, columns) = (shape[0], shape[shape.len() - 1]);
    // Between the first dimension and the last, blocks stay in the cache; the ones in between are counted through.
    let (row_to, column_from) = (from.len() / rows, from.len() / columns);
    let middle = &shape[1..shape.len() - 1];
    let mut index = vec![0; middle.len()];
    loop {
        let (mut begin_from, mut begin_to, mut stride_from, mut stride_to) = (0, 0, rows, row_to);
        for (&i, &n) in index.iter().zip(middle) {
            stride_to /= n;
            begin_from += i * stride_from;
            begin_to += i * stride_to;
            stride_from *= n;
        }
        const BLOCK: usize = 32;
        for (row, column) in blocks(rows, BLOCK).flat_map(|row| blocks(columns, BLOCK).map(move |column| (row, column)))
        {
            for i in row..(row + BLOCK).min(rows) {
                for j in column..(column + BLOCK).min(columns) {
                    to[begin_to + i * row_to + j] = from[begin_from + i + j * column_from];
                }
            }
        }
        let Some(next) = (0..index.len()).rev().find(|&k| index[k] + 1 < middle[k]) else { break };
        index[next] += 1;
        index[next + 1..].fill(0);
    }
    Ok(T::into_data(to))
}

fn blocks(n: usize, block: usize) -> impl Iterator<Item = usize> {
    (0..n).step_by(block)
}

/// Writes an array as `numpy.save` does.
pub(super) fn write(out: &mut dyn Write, value: &Value) -> Result<(), WriteError> {
    let descr = match value.prim() {
        Prim::Bool => "|b1",
        Prim::I8 => "|i1",
        Prim::I16 => "<i2",
        Prim::I32 => "<i4",
        Prim::I64 => "<i8",
        Prim::U8 => "|u1",
        Prim::U16 => "<u2",
        Prim::U32 => "<u4",
        Prim::U64 => "<u8",
        Prim::F16 => "<f2",
        Prim::F32 => "<f4",
        Prim::F64 => "<f8",
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (");
    for (size, k) in value.shape().iter().zip(0..) {
        write!(header, "{}{size}", if k > 0 { ", " } else { "" })?;
    }
    header.push_str(if value.rank() == 1 { ",), }" } else { "), }" });
    let before = MAGIC.len() + 4;
    let length = (before + header.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let Ok(stated) = u16::try_from(length) else {
        return Err(WriteError::Unfit("an array with so many dimensions does not fit into npy data".to_string()));
    };
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&stated.to_le_bytes())?;
    writeln!(out, "{header:<width$}", width = length - 1)?;
    with_elements!(value.data(), xs => write_elements(out, xs))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Data, ParamType, Reader, Value};
    use half::f16;

    /// The data with a header of this version, of these fields.
    fn file(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((header.len() as u16).to_le_bytes()),
            _ => bytes.extend((header.len() as u32).to_le_bytes()),
        }
        bytes.extend(header.as_bytes());
        bytes.extend(elements);
        bytes
    }

    fn of(descr: &str, fortran: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}   \n");
        file(1, &header, elements)
    }

    #[track_caller]
    fn read(bytes: &[u8]) -> Value {
        let mut reader = Reader::new(bytes);
        let value = reader.next_value().unwrap().unwrap();
        reader.finish().unwrap();
        value
    }

    #[track_caller]
    fn error(bytes: &[u8]) -> String {
        Reader::new(bytes).rest().unwrap_err().to_string()
    }

    /// What `np.save` writes for `np.array([[1, 2, 3], [4, 5, 6]], dtype=np.int16)`.
    #[test]
    fn known_bytes() {
        let header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend(format!("{header:<117}\n").bytes());
        bytes.extend([1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
        let value = Value::new(vec![2, 3], Data::I16(vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(read(&bytes), value);
        let mut out = Vec::new();
        super::write(&mut out, &value).unwrap();
        assert_eq!(out, bytes);
        let mut out = Vec::new();
        super::write(&mut out, &Value::from(vec![true, false])).unwrap();
        assert!(
            out.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '|b1', 'fortran_order': False, 'shape': (2,), } ")
        );
        let mut out = Vec::new();
        super::write(&mut out, &Value::from(1.5f64)).unwrap();
        assert!(out.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (), } "));
    }

    #[test]
    fn versions_types_and_orders() {
        let header = "{'shape':(2,),\"descr\":'>u2','fortran_order':False}";
        for version in 1..=3 {
            assert_eq!(read(&file(version, header, &[1, 2, 3, 4])), Value::from(vec![0x0102u16, 0x0304]));
        }
        assert_eq!(read(&of("'<i4'", "False", "()", &[1, 0, 0, 0])), Value::from(1i32));
        assert_eq!(read(&of("'|b1'", "True", "(2,)", &[0, 1])), Value::from(vec![false, true]));
        assert_eq!(read(&of("'>f8'", "False", "(1L,)", &1.5f64.to_be_bytes())), Value::from(vec![1.5f64]));
        assert_eq!(read(&of("'<f2'", "False", "()", &[0, 0x3e])), Value::from(f16::from_f32(1.5)));
        assert_eq!(read(&of("'>i8'", "False", "()", &(-2i64).to_be_bytes())), Value::from(-2i64));
        assert_eq!(read(&of("'=u4'", "False", "()", &[1, 0, 0, 0])), Value::from(1u32));
        assert_eq!(read(&of("'i1'", "False", "(2, 0)", &[])).to_string(), "empty([2][0]i8)");
    }

    #[test]
    fn columns_become_rows() {
        // Element [i][j] is at i + 2j.
        let value = read(&of("'|u1'", "True", "(2, 3)", &[1, 4, 2, 5, 3, 6]));
        assert_eq!(value.to_string(), "[[1u8, 2u8, 3u8], [4u8, 5u8, 6u8]]");
        // With more dimensions, and with more in each than are moved at a time.
        let shape = [33usize, 2, 3, 65];
        let count: usize = shape.iter().product();
        let mut stored = vec![0u8; 2 * count];
        let mut expected = Vec::new();
        let mut indices = (0..shape[0]).flat_map(|i| {
            (0..shape[1]).flat_map(move |j| (0..shape[2]).flat_map(move |k| (0..shape[3]).map(move |l| [i, j, k, l])))
        });
        for (number, [i, j, k, l]) in (0u16..).zip(&mut indices) {
            expected.push(number);
            let at = i + shape[0] * (j + shape[1] * (k + shape[2] * l));
            stored[2 * at..2 * at + 2].copy_from_slice(&number.to_le_bytes());
        }
        let value = read(&of("'<u2'", "True", "(33, 2, 3, 65)", &stored));
        assert!(value == Value::new(shape.to_vec(), Data::U16(expected)));
    }

    #[test]
    fn what_is_refused() {
        for (bytes, expected) in [
            (file(1, "", b""), "byte 10: in the npy header, expected `{`, found the end of the header"),
            (file(4, "{}", b""), "byte 6: the npy data has version 4.0, only versions 1.0, 2.0 and 3.0 are known"),
            (file(1, "{}", b""), "byte 10: the npy header has no field `descr`"),
            (file(1, "{'descr': '<f4'}", b""), "byte 10: the npy header has no field `fortran_order`"),
            (
                file(1, "{'descr': '<f4', 'descr': '<f4'}", b""),
                "byte 27: in the npy header, expected each of `descr`, `fortran_order` and `shape` once, found `descr`",
            ),
            (
                of("'|O'", "False", "(1,)", b""),
                "byte 20: the npy data has elements of type `|O`, which are objects; save numbers: \
                 `np.save(\"a.npy\", a.astype(np.float64))`",
            ),
            (
                of("'<U3'", "False", "(1,)", b""),
                "byte 20: the npy data has elements of type `<U3`, which are strings; save numbers: `a.astype(np.float64)`",
            ),
            (
                of("'<c8'", "False", "(1,)", b""),
                "byte 20: the npy data has elements of type `<c8`, which are complex; save `a.real` and `a.imag`",
            ),
            (
                of("[('x', '<f4')]", "False", "(1,)", b""),
                "byte 20: the npy data has elements of type `[…]`, which have fields; save each of them by itself: \
                 `np.save(\"x.npy\", a[\"x\"])`",
            ),
            (of("'<f4'", "0", "(1,)", b""), "byte 44: in the npy header, expected `True` or `False`, found `0`"),
            (of("'<f4'", "False", "(-1,)", b""), "byte 61: in the npy header, expected a size, found `-`"),
            (of("'<f4'", "False", "[1]", b""), "byte 60: in the npy header, expected `(` and the shape, found `[`"),
            (
                of("'<f4'", "False", "(2,)", b"\0\0\0\0\0"),
                "byte 75: the binary data ends after 5 of 8 bytes of a value of type `[2]f32`",
            ),
            (
                of("'<f4'", "False", "(1152921504606846976, 0)", b""),
                "byte 60: the dimensions [1152921504606846976][0] are larger than any machine can hold",
            ),
            (of("'|b1'", "False", "(2,)", b"\x01\x02"), "byte 72: the byte 0x02 is not a boolean, which is 0 or 1"),
            (
                b"\x93NUMPY\x02\0\xff\xff\xff\xff{".to_vec(),
                "byte 8: the npy header has 4294967295 bytes, more than any array needs",
            ),
            (b"\x93NUMPY\x01\0\xff\xff{".to_vec(), "byte 11: the data ends in the middle of a value"),
            (b"\x93NUMP".to_vec(), "line 1, column 1: expected a value, found the byte 0x93"),
        ] {
            assert_eq!(error(&bytes), expected);
        }
        let wanted: ParamType = "[]f32".parse().unwrap();
        let doubles = of("'<f8'", "False", "(0,)", b"");
        assert_eq!(
            Reader::new(&doubles[..]).next_of(wanted).unwrap_err().to_string(),
            "byte 0: expected a value of type `[]f32`, found one of type `[]f64`; save `a.astype(np.float32)`"
        );
    }

    /// As large as a machine could hold: found to be a lie without believing it.
    #[test]
    fn no_memory_on_the_word_of_a_header() {
        let bytes = of("'|u1'", "True", "(8388608, 8388608)", &[1, 2, 3]);
        assert!(error(&bytes).contains("ends after 3 of 70368744177664 bytes"), "{}", error(&bytes));
    }
}
