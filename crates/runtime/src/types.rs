//! Types of values, with and without sizes, and which sizes are possible.

use crate::Value;
use kenaz_base::Prim;
use std::fmt;
use std::str::FromStr;

/// The type of one value: `[10][2]i32`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    pub shape: Vec<usize>,
    pub prim: Prim,
}

/// What an entry point expects: `[][]i32`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ParamType {
    pub rank: usize,
    pub prim: Prim,
}

/// The most bytes that the elements of a value may have: what a process can address on the machines of our time.
const MOST_BYTES: usize = 1 << 47;

/// The number of elements of a value, or nothing if no machine can hold it.
///
/// A dimension of size 0 does not make the other ones harmless: strides and row counts are computed from them.
pub fn element_count(shape: &[usize], prim: Prim) -> Option<usize> {
    let bytes = byte_width(prim);
    let rows = shape.iter().filter(|&&n| n != 0).try_fold(bytes, |product, &n| product.checked_mul(n))?;
    let empty = shape.contains(&0);
    (rows <= MOST_BYTES).then_some(if empty { 0 } else { rows / bytes })
}

/// The number of bytes of an element, in memory and in binary data.
pub(crate) fn byte_width(prim: Prim) -> usize {
    match prim {
        Prim::I8 | Prim::U8 | Prim::Bool => 1,
        Prim::I16 | Prim::U16 | Prim::F16 => 2,
        Prim::I32 | Prim::U32 | Prim::F32 => 4,
        Prim::I64 | Prim::U64 | Prim::F64 => 8,
    }
}

impl ParamType {
    pub fn accepts(self, value: &Value) -> bool {
        self == ParamType::of(value)
    }

    pub fn of(value: &Value) -> ParamType {
        ParamType { rank: value.rank(), prim: value.prim() }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.iter().try_for_each(|n| write!(f, "[{n}]"))?;
        f.write_str(self.prim.name())
    }
}

impl fmt::Display for ParamType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.rank).try_for_each(|_| f.write_str("[]"))?;
        f.write_str(self.prim.name())
    }
}

/// Why a text is not a [`ValueType`] or [`ParamType`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadType {
    #[error("`{0}` is not the type of a value, like `i32` or `[10][2]f64`")]
    Syntax(String),
    #[error("the type `{0}` lacks the size of a dimension, as in `[10]i32`")]
    NoSize(String),
    #[error("a value of type `{0}` is too large for any machine")]
    TooLarge(String),
    #[error("the type `{0}` is not right: one of its dimensions is negative")]
    Negative(String),
}

/// Sizes may have underscores and the suffix of their type, as in `[1_000][2i64]i32`.
impl FromStr for ValueType {
    type Err = BadType;

    fn from_str(text: &str) -> Result<ValueType, BadType> {
        let syntax = || BadType::Syntax(text.to_string());
        let (dims, prim) = split(text).ok_or_else(syntax)?;
        let mut shape = Vec::new();
        for dim in dims {
            if dim.is_empty() {
                return Err(BadType::NoSize(text.to_string()));
            }
            let digits: String = dim.strip_suffix("i64").unwrap_or(dim).chars().filter(|&c| c != '_').collect();
            if digits.parse::<i64>().is_ok_and(|size| size < 0) {
                return Err(BadType::Negative(text.to_string()));
            }
            let is_number = dim.starts_with(|c: char| c.is_ascii_digit());
            if !is_number || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(syntax());
            }
            shape.push(digits.parse().map_err(|_| BadType::TooLarge(text.to_string()))?);
        }
        if element_count(&shape, prim).is_none() {
            return Err(BadType::TooLarge(text.to_string()));
        }
        Ok(ValueType { shape, prim })
    }
}

impl FromStr for ParamType {
    type Err = BadType;

    fn from_str(text: &str) -> Result<ParamType, BadType> {
        match split(text) {
            Some((dims, prim)) if dims.iter().all(|dim| dim.is_empty()) => Ok(ParamType { rank: dims.len(), prim }),
            _ => Err(BadType::Syntax(text.to_string())),
        }
    }
}

/// What stands between the brackets, and the type of the elements.
fn split(text: &str) -> Option<(Vec<&str>, Prim)> {
    let mut rest = text.trim();
    let mut dims = Vec::new();
    while let Some(after) = rest.strip_prefix('[') {
        let (dim, after) = after.split_once(']')?;
        dims.push(dim.trim());
        rest = after.trim_start();
    }
    Some((dims, Prim::from_name(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_printed() {
        for text in ["i32", "[0]bool", "[2][0][3]f16", "[1000000]u64"] {
            assert_eq!(text.parse::<ValueType>().map(|t| t.to_string()), Ok(text.to_string()));
        }
        assert_eq!(" [ 1_0 ] [2i64] f32".parse::<ValueType>().map(|t| t.to_string()), Ok("[10][2]f32".to_string()));
        assert_eq!("[][]i8".parse::<ParamType>().map(|t| t.to_string()), Ok("[][]i8".to_string()));
    }

    #[test]
    fn other_texts_are_refused() {
        let bad = |text: &str| text.parse::<ValueType>().unwrap_err();
        for text in ["", "int", "[2", "[2]", "[-]i32", "[n]i32", "[+1]i32", "[1]i32 i32", "(i32,i32)", "[_]i8"] {
            assert!(matches!(bad(text), BadType::Syntax(_)), "{text}: {:?}", bad(text));
        }
        assert!(matches!(bad("[]i32"), BadType::NoSize(_)));
        assert!(matches!(bad("[2][-1]i32"), BadType::Negative(_)));
        for text in ["[1152921504606846976]i8", "[99999999999999999999]i8", "[4294967296][4294967296]i8"] {
            assert!(matches!(bad(text), BadType::TooLarge(_)), "{text}");
        }
        assert!("[2]i8".parse::<ParamType>().is_err());
    }

    #[test]
    fn counts() {
        assert_eq!(element_count(&[], Prim::F64), Some(1));
        assert_eq!(element_count(&[2, 3], Prim::F64), Some(6));
        assert_eq!(element_count(&[2, 0], Prim::F64), Some(0));
        assert_eq!(element_count(&[1 << 60, 0], Prim::I8), None);
        assert_eq!(element_count(&[usize::MAX, usize::MAX], Prim::I64), None);
    }
}
