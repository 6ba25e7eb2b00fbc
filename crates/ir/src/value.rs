//! Scalar constants.

use crate::op::BinOp;
use half::f16;
use kenaz_base::Prim;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A value of a primitive type.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    F32(f32),
    F64(f64),
    Bool(bool),
}

impl Scalar {
    pub fn prim(self) -> Prim {
        match self {
            Scalar::I8(_) => Prim::I8,
            Scalar::I16(_) => Prim::I16,
            Scalar::I32(_) => Prim::I32,
            Scalar::I64(_) => Prim::I64,
            Scalar::U8(_) => Prim::U8,
            Scalar::U16(_) => Prim::U16,
            Scalar::U32(_) => Prim::U32,
            Scalar::U64(_) => Prim::U64,
            Scalar::F16(_) => Prim::F16,
            Scalar::F32(_) => Prim::F32,
            Scalar::F64(_) => Prim::F64,
            Scalar::Bool(_) => Prim::Bool,
        }
    }

    /// The value whose low bits are these, for integers, booleans and the bit patterns of floats.
    pub fn from_bits(prim: Prim, bits: u64) -> Scalar {
        match prim {
            Prim::I8 => Scalar::I8(bits as i8),
            Prim::I16 => Scalar::I16(bits as i16),
            Prim::I32 => Scalar::I32(bits as i32),
            Prim::I64 => Scalar::I64(bits as i64),
            Prim::U8 => Scalar::U8(bits as u8),
            Prim::U16 => Scalar::U16(bits as u16),
            Prim::U32 => Scalar::U32(bits as u32),
            Prim::U64 => Scalar::U64(bits),
            Prim::F16 => Scalar::F16(f16::from_bits(bits as u16)),
            Prim::F32 => Scalar::F32(f32::from_bits(bits as u32)),
            Prim::F64 => Scalar::F64(f64::from_bits(bits)),
            Prim::Bool => Scalar::Bool(bits & 1 != 0),
        }
    }

    /// The inverse of [`Scalar::from_bits`]; signed integers are sign-extended.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::I8(x) => i64::from(x) as u64,
            Scalar::I16(x) => i64::from(x) as u64,
            Scalar::I32(x) => i64::from(x) as u64,
            Scalar::I64(x) => x as u64,
            Scalar::U8(x) => u64::from(x),
            Scalar::U16(x) => u64::from(x),
            Scalar::U32(x) => u64::from(x),
            Scalar::U64(x) => x,
            Scalar::F16(x) => u64::from(x.to_bits()),
            Scalar::F32(x) => u64::from(x.to_bits()),
            Scalar::F64(x) => x.to_bits(),
            Scalar::Bool(b) => u64::from(b),
        }
    }

    /// The constant that is written like this: the inverse of its display. A float may be written like an integer.
    pub fn parse(text: &str) -> Option<Scalar> {
        match text {
            "true" => return Some(Scalar::Bool(true)),
            "false" => return Some(Scalar::Bool(false)),
            _ => {}
        }
        for (prim, infinity, nan) in [
            (Prim::F16, 0x7c00, 0x7e00),
            (Prim::F32, 0x7f80_0000, 0x7fc0_0000),
            (Prim::F64, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000),
        ] {
            let sign = match prim {
                Prim::F16 => 1 << 15,
                Prim::F32 => 1 << 31,
                _ => 1 << 63,
            };
            if let Some(text) = text.strip_prefix('-').and_then(|text| text.strip_prefix(prim.name())) {
                if text == ".inf" {
                    return Some(Scalar::from_bits(prim, sign | infinity));
                }
            } else if let Some(text) = text.strip_prefix(prim.name()) {
                let bits = match text {
                    ".inf" => infinity,
                    ".nan" => nan,
                    _ => u64::from_str_radix(text.strip_prefix(".nan:")?, 16).ok()?,
                };
                let is_special = bits & infinity == infinity && bits <= sign | (sign - 1);
                return Some(Scalar::from_bits(prim, bits)).filter(|_| is_special);
            }
        }
        if !text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let suffix = Prim::ALL.into_iter().find(|p| text.ends_with(p.name()));
        let digits = suffix.map_or(text, |p| &text[..text.len() - p.name().len()]);
        match suffix.unwrap_or(Prim::I64) {
            Prim::I8 => digits.parse().ok().map(Scalar::I8),
            Prim::I16 => digits.parse().ok().map(Scalar::I16),
            Prim::I32 => digits.parse().ok().map(Scalar::I32),
            Prim::I64 => digits.parse().ok().map(Scalar::I64),
            Prim::U8 => digits.parse().ok().map(Scalar::U8),
            Prim::U16 => digits.parse().ok().map(Scalar::U16),
            Prim::U32 => digits.parse().ok().map(Scalar::U32),
            Prim::U64 => digits.parse().ok().map(Scalar::U64),
            // A number with 16 bits is one with 32, and is written like it.
            Prim::F16 => digits.parse().ok().map(|x| Scalar::F16(f16::from_f32(x))),
            Prim::F32 => digits.parse().ok().map(Scalar::F32),
            Prim::F64 => digits.parse().ok().map(Scalar::F64),
            Prim::Bool => None,
        }
    }

    /// Zero, or false.
    pub fn zero(prim: Prim) -> Scalar {
        Scalar::from_bits(prim, 0)
    }

    /// The value that changes nothing as an operand of an operator, if there is one.
    pub fn neutral(op: BinOp, prim: Prim) -> Option<Scalar> {
        let one = |prim| match prim {
            Prim::F16 => Scalar::F16(f16::ONE),
            Prim::F32 => Scalar::F32(1.0),
            Prim::F64 => Scalar::F64(1.0),
            _ => Scalar::from_bits(prim, 1),
        };
        Some(match op {
            BinOp::Add | BinOp::Or | BinOp::Xor => Scalar::zero(prim),
            BinOp::Mul => one(prim),
            BinOp::And => Scalar::from_bits(prim, u64::MAX),
            BinOp::Min => Scalar::largest(prim),
            BinOp::Max => Scalar::smallest(prim),
            BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => return None,
            BinOp::Shl | BinOp::Shr => return None,
        })
    }

    /// The largest value of a type; infinity is one.
    fn largest(prim: Prim) -> Scalar {
        match prim {
            Prim::I8 => Scalar::I8(i8::MAX),
            Prim::I16 => Scalar::I16(i16::MAX),
            Prim::I32 => Scalar::I32(i32::MAX),
            Prim::I64 => Scalar::I64(i64::MAX),
            Prim::F16 => Scalar::F16(f16::INFINITY),
            Prim::F32 => Scalar::F32(f32::INFINITY),
            Prim::F64 => Scalar::F64(f64::INFINITY),
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 | Prim::Bool => Scalar::from_bits(prim, u64::MAX),
        }
    }

    /// The smallest value of a type; minus infinity is one.
    fn smallest(prim: Prim) -> Scalar {
        match prim {
            Prim::I8 => Scalar::I8(i8::MIN),
            Prim::I16 => Scalar::I16(i16::MIN),
            Prim::I32 => Scalar::I32(i32::MIN),
            Prim::I64 => Scalar::I64(i64::MIN),
            Prim::F16 => Scalar::F16(f16::NEG_INFINITY),
            Prim::F32 => Scalar::F32(f32::NEG_INFINITY),
            Prim::F64 => Scalar::F64(f64::NEG_INFINITY),
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 | Prim::Bool => Scalar::zero(prim),
        }
    }

    pub fn as_i64(self) -> Option<i64> {
        match self {
            Scalar::I64(n) => Some(n),
            _ => None,
        }
    }
}

/// Equality of type and bits, so that a NaN is equal to itself and the zeros differ: this is the identity of constants,
/// not the language's `==`.
impl PartialEq for Scalar {
    fn eq(&self, other: &Scalar) -> bool {
        self.prim() == other.prim() && self.bits() == other.bits()
    }
}

impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.prim().hash(state);
        self.bits().hash(state);
    }
}

/// `12i32`, `0.5f32`, `true`; NaN and infinities as `f32.nan`, `f32.inf`, `-f32.inf`, a NaN with other bits as
/// `f32.nan:7fc00001`. An `i64` stands without its type.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::I8(x) => write!(f, "{x}i8"),
            Scalar::I16(x) => write!(f, "{x}i16"),
            Scalar::I32(x) => write!(f, "{x}i32"),
            Scalar::I64(x) => write!(f, "{x}"),
            Scalar::U8(x) => write!(f, "{x}u8"),
            Scalar::U16(x) => write!(f, "{x}u16"),
            Scalar::U32(x) => write!(f, "{x}u32"),
            Scalar::U64(x) => write!(f, "{x}u64"),
            Scalar::Bool(b) => write!(f, "{b}"),
            Scalar::F16(x) => write_float(f, "f16", f64::from(x), &format!("{x}"), u64::from(x.to_bits()), 0x7e00),
            Scalar::F32(x) => {
                write_float(f, "f32", f64::from(x), &format!("{x:?}"), u64::from(x.to_bits()), 0x7fc0_0000)
            }
            Scalar::F64(x) => write_float(f, "f64", x, &format!("{x:?}"), x.to_bits(), 0x7ff8_0000_0000_0000),
        }
    }
}

fn write_float(f: &mut fmt::Formatter<'_>, ty: &str, x: f64, text: &str, bits: u64, nan: u64) -> fmt::Result {
    match (x.is_nan(), x.is_infinite()) {
        (true, _) if bits == nan => write!(f, "{ty}.nan"),
        (true, _) => write!(f, "{ty}.nan:{bits:x}"),
        (_, true) => write!(f, "{}{ty}.inf", if x < 0.0 { "-" } else { "" }),
        _ => write!(f, "{text}{ty}"),
    }
}
