//! Writing values.

use super::binary::{VERSION, type_name};
use super::{Format, csv, npy, picture};
use crate::{Element, EntryType, Value, with_elements};
use half::f16;
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind, Write};

/// How much is gathered before it is written.
const BUFFER: usize = 1 << 16;

/// Why a value is not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format cannot hold it.
    #[error("{0}")]
    Unfit(String),
}

/// Writes a value that consists of these parts. In text format each part is on a line of its own.
pub fn write(out: &mut dyn Write, format: Format, ty: &EntryType, parts: &[Value]) -> Result<(), WriteError> {
    if let Some(problem) = format.refuses(ty) {
        return Err(WriteError::Unfit(problem));
    }
    match (format, ty.columns()) {
        (Format::Csv, Some(columns)) => return csv::write_records(out, columns, parts),
        (Format::Text | Format::Binary | Format::Npy | Format::Csv | Format::Png, _) => {}
    }
    for part in parts {
        match format {
            Format::Text => write_text(out, part).and_then(|()| writeln!(out))?,
            Format::Binary => write_binary(out, part)?,
            Format::Npy => npy::write(out, part)?,
            Format::Csv => csv::write(out, part)?,
            Format::Png => picture::write(out, part)?,
        }
    }
    Ok(())
}

/// Writes a value in text format, without a line break at the end. Reading it gives the same value again, bit for bit
/// except for NaNs.
pub fn write_text(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    if value.data().is_empty() {
        return write!(out, "empty({})", value.value_type());
    }
    let mut text = String::with_capacity(BUFFER + 64);
    with_elements!(value.data(), xs => array(out, &mut text, value.shape(), xs))?;
    out.write_all(text.as_bytes())
}

/// Writes a value in binary format.
pub fn write_binary(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    let rank = u8::try_from(value.rank())
        .map_err(|_| io::Error::new(ErrorKind::InvalidInput, "binary data can have at most 255 dimensions"))?;
    let mut header = vec![b'b', VERSION, rank];
    header.extend(type_name(value.prim()));
    value.shape().iter().for_each(|&dim| header.extend((dim as u64).to_le_bytes()));
    out.write_all(&header)?;
    with_elements!(value.data(), xs => elements(out, xs))
}

pub(super) fn elements<T: Element>(out: &mut dyn Write, xs: &[T]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(BUFFER);
    for chunk in xs.chunks(BUFFER / T::BYTES) {
        bytes.clear();
        chunk.iter().for_each(|x| x.append_bytes(&mut bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

fn array<T: Element>(out: &mut dyn Write, text: &mut String, shape: &[usize], xs: &[T]) -> io::Result<()> {
    let failed = |_: fmt::Error| io::Error::other("a number cannot be written");
    // The number of elements of a row, outermost first, the value itself excluded.
    let mut strides: Vec<usize> = Vec::new();
    for k in 0..shape.len() {
        strides.push(shape[k..].iter().product());
    }
    for (x, i) in xs.iter().zip(0usize..) {
        let starting = strides.iter().filter(|&&n| i % n == 0).count();
        let ending = strides.iter().filter(|&&n| (i + 1) % n == 0).count();
        if i > 0 {
            text.push_str(", ");
        }
        (0..starting).for_each(|_| text.push('['));
        scalar(text, x.into_scalar()).map_err(failed)?;
        (0..ending).for_each(|_| text.push(']'));
        if text.len() >= BUFFER {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    Ok(())
}

/// A scalar with the suffix of its type.
fn scalar(text: &mut String, scalar: Scalar) -> fmt::Result {
    if let Some(wide) = special(scalar) {
        let ty = scalar.prim().name();
        return match wide {
            wide if wide.is_nan() => write!(text, "{ty}.nan"),
            wide => write!(text, "{}{ty}.inf", if wide < 0.0 { "-" } else { "" }),
        };
    }
    finite(text, scalar)?;
    if scalar.prim() == Prim::Bool { Ok(()) } else { text.write_str(scalar.prim().name()) }
}

/// A scalar without its type.
pub(super) fn bare_scalar(text: &mut String, scalar: Scalar) -> fmt::Result {
    match special(scalar) {
        Some(wide) if wide.is_nan() => text.write_str("nan"),
        Some(wide) => write!(text, "{wide}"),
        None => finite(text, scalar),
    }
}

/// The float, if it is no number or infinite.
fn special(scalar: Scalar) -> Option<f64> {
    let wide = match scalar {
        Scalar::F16(x) => f64::from(x),
        Scalar::F32(x) => f64::from(x),
        Scalar::F64(x) => x,
        _ => return None,
    };
    (!wide.is_finite()).then_some(wide)
}

fn finite(text: &mut String, scalar: Scalar) -> fmt::Result {
    match scalar {
        Scalar::I8(x) => write!(text, "{x}"),
        Scalar::I16(x) => write!(text, "{x}"),
        Scalar::I32(x) => write!(text, "{x}"),
        Scalar::I64(x) => write!(text, "{x}"),
        Scalar::U8(x) => write!(text, "{x}"),
        Scalar::U16(x) => write!(text, "{x}"),
        Scalar::U32(x) => write!(text, "{x}"),
        Scalar::U64(x) => write!(text, "{x}"),
        Scalar::Bool(x) => write!(text, "{x}"),
        // The shortest decimal of the f32 is one of the f16 as well, if not its shortest.
        Scalar::F16(x) => float(text, f16::to_f32(x), f64::from(x)),
        Scalar::F32(x) => float(text, x, f64::from(x)),
        Scalar::F64(x) => float(text, x, x),
    }
}

/// The fewest digits that give the same float again: in the usual notation from 0.1 to below 10⁷, otherwise as
/// `1.5e10`, and always with a point.
fn float<T: fmt::Debug + fmt::LowerExp>(text: &mut String, x: T, wide: f64) -> fmt::Result {
    if wide == 0.0 || (0.1..1e7).contains(&wide.abs()) {
        return write!(text, "{x:?}");
    }
    let start = text.len();
    write!(text, "{x:e}")?;
    if !text[start..].contains('.')
        && let Some(at) = text[start..].find('e')
    {
        text.insert_str(start + at, ".0");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Data, Reader, Tolerance, compare};

    /// As the peer prints them.
    #[test]
    fn floats() {
        for (x, expected) in [
            (1.0f32, "1.0f32"),
            (0.1, "0.1f32"),
            (1e10, "1.0e10f32"),
            (1e-5, "1.0e-5f32"),
            (-0.0, "-0.0f32"),
            (1e7, "1.0e7f32"),
            (1e6, "1000000.0f32"),
            (0.01, "1.0e-2f32"),
            (123_456_789.0, "1.2345679e8f32"),
            (f32::NAN, "f32.nan"),
            (f32::INFINITY, "f32.inf"),
            (f32::NEG_INFINITY, "-f32.inf"),
            (0.044_560_432, "4.4560432e-2f32"),
        ] {
            assert_eq!(Value::from(x).to_string(), expected);
        }
        assert_eq!(Value::from(123_456.789).to_string(), "123456.789f64");
        assert_eq!(Value::from(3.644_953_908_667_137e-2).to_string(), "3.644953908667137e-2f64");
        assert_eq!(Value::from(f16::from_f32(0.1)).to_string(), "9.9975586e-2f16");
    }

    #[test]
    fn arrays() {
        let shaped = |shape: &[usize]| {
            Value::new(shape.to_vec(), Data::U8((0..shape.iter().product::<usize>() as u8).collect()))
        };
        assert_eq!(shaped(&[]).to_string(), "0u8");
        assert_eq!(shaped(&[2, 2]).to_string(), "[[0u8, 1u8], [2u8, 3u8]]");
        assert_eq!(shaped(&[2, 1, 2]).to_string(), "[[[0u8, 1u8]], [[2u8, 3u8]]]");
        assert_eq!(shaped(&[2, 0, 2]).to_string(), "empty([2][0][2]u8)");
    }

    #[test]
    fn both_formats_give_the_same_values_again() {
        let bits = [0, 1, 0x3c00, 0x7bff, 0x3f80_0000, 0x7f7f_ffff, 0x4009_21fb_5444_2d18, u64::MAX >> 12, 1 << 63];
        for prim in Prim::ALL {
            let mut data = Data::empty(prim);
            assert!(bits.iter().all(|&bits| data.push(Scalar::from_bits(prim, bits))));
            let value = Value::new(vec![3, 3], data);
            let (mut text, mut binary) = (Vec::new(), Vec::new());
            write_text(&mut text, &value).unwrap();
            write_binary(&mut binary, &value).unwrap();
            let again = Reader::new(&text[..]).next_value().unwrap().unwrap();
            assert_eq!(compare(&value, &again, &Tolerance::EXACT), Ok(()));
            assert_eq!(Reader::new(&binary[..]).rest().unwrap(), [value]);
        }
    }

    #[test]
    fn every_f16_survives_the_text() {
        let all: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).filter(|x| !x.is_nan()).collect();
        let value = Value::from(all);
        assert!(Reader::new(value.to_string().as_bytes()).rest().unwrap() == [value]);
    }
}
