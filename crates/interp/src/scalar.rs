//! The meaning of the operations on scalars, as functions between registers.
//!
//! A register holds the bits of a scalar in one form: signed integers are sign-extended, all others zero-extended, as
//! [`kenaz_ir::Scalar::bits`] does. Half-precision numbers are computed as `f32` and rounded.

use half::f16;
use kenaz_base::Prim;
use kenaz_ir::{BinOp, CmpOp, UnOp};

pub(crate) type Fn1 = fn(u64) -> u64;
pub(crate) type Fn2 = fn(u64, u64) -> u64;
pub(crate) type Fn3 = fn(u64, u64, u64) -> u64;

/// Floats in registers: the type they are computed in, and how they get there and back.
pub(crate) trait Float {
    type Wide: Copy;
    fn get(bits: u64) -> Self::Wide;
    fn put(x: Self::Wide) -> u64;
}

impl Float for f16 {
    type Wide = f32;
    #[inline]
    fn get(bits: u64) -> f32 {
        f16::from_bits(bits as u16).to_f32()
    }
    #[inline]
    fn put(x: f32) -> u64 {
        u64::from(f16::from_f32(x).to_bits())
    }
}

impl Float for f32 {
    type Wide = f32;
    #[inline]
    fn get(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    #[inline]
    fn put(x: f32) -> u64 {
        u64::from(x.to_bits())
    }
}

impl Float for f64 {
    type Wide = f64;
    #[inline]
    fn get(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline]
    fn put(x: f64) -> u64 {
        x.to_bits()
    }
}

/// An expression for each type of integers.
macro_rules! per_int {
    ($prim:expr, $t:ident => $body:expr, else $other:expr) => {
        match $prim {
            Prim::I8 => {
                type $t = i8;
                $body
            }
            Prim::I16 => {
                type $t = i16;
                $body
            }
            Prim::I32 => {
                type $t = i32;
                $body
            }
            Prim::I64 => {
                type $t = i64;
                $body
            }
            Prim::U8 => {
                type $t = u8;
                $body
            }
            Prim::U16 => {
                type $t = u16;
                $body
            }
            Prim::U32 => {
                type $t = u32;
                $body
            }
            Prim::U64 => {
                type $t = u64;
                $body
            }
            Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool => $other,
        }
    };
}

/// An expression for each type of signed integers, and one for each type of unsigned ones.
macro_rules! per_sign {
    ($prim:expr, $s:ident => $signed:expr, $u:ident => $unsigned:expr, else $other:expr) => {
        match $prim {
            Prim::I8 => {
                type $s = i8;
                $signed
            }
            Prim::I16 => {
                type $s = i16;
                $signed
            }
            Prim::I32 => {
                type $s = i32;
                $signed
            }
            Prim::I64 => {
                type $s = i64;
                $signed
            }
            Prim::U8 => {
                type $u = u8;
                $unsigned
            }
            Prim::U16 => {
                type $u = u16;
                $unsigned
            }
            Prim::U32 => {
                type $u = u32;
                $unsigned
            }
            Prim::U64 => {
                type $u = u64;
                $unsigned
            }
            Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool => $other,
        }
    };
}

/// An expression for each type of floats.
macro_rules! per_float {
    ($prim:expr, $t:ident => $body:expr, else $other:expr) => {
        match $prim {
            Prim::F16 => {
                type $t = f16;
                $body
            }
            Prim::F32 => {
                type $t = f32;
                $body
            }
            Prim::F64 => {
                type $t = f64;
                $body
            }
            _ => $other,
        }
    };
}

pub(crate) use {per_float, per_int};

/// The register of an integer of any type: `as i64` extends by the sign, or by zeros where there is none.
macro_rules! int {
    ($x:expr) => {
        $x as i64 as u64
    };
}

pub(crate) use int;

fn undefined<T>(op: &str, prim: Prim) -> T {
    panic!("the operation `{op}` is not defined on `{}`", prim.name())
}

/// Division by zero, which a check should have prevented, yields zero.
pub fn binary(op: BinOp, p: Prim) -> Fn2 {
    let bad = || undefined(op.text(), p);
    match op {
        BinOp::Add => per_int!(p, T => |a, b| int!((a as T).wrapping_add(b as T)),
            else per_float!(p, T => |a, b| T::put(T::get(a) + T::get(b)), else bad())),
        BinOp::Sub => per_int!(p, T => |a, b| int!((a as T).wrapping_sub(b as T)),
            else per_float!(p, T => |a, b| T::put(T::get(a) - T::get(b)), else bad())),
        BinOp::Mul => per_int!(p, T => |a, b| int!((a as T).wrapping_mul(b as T)),
            else per_float!(p, T => |a, b| T::put(T::get(a) * T::get(b)), else bad())),
        BinOp::Div => per_sign!(p,
            S => |a, b| {
                let (x, y) = (a as S, b as S);
                if y == 0 {
                    return 0;
                }
                let q = x.wrapping_div(y);
                int!(if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { q.wrapping_sub(1) } else { q })
            },
            U => |a, b| int!((a as U).checked_div(b as U).unwrap_or(0)),
            else per_float!(p, T => |a, b| T::put(T::get(a) / T::get(b)), else bad())),
        BinOp::Mod => per_sign!(p,
            S => |a, b| {
                let (x, y) = (a as S, b as S);
                if y == 0 {
                    return 0;
                }
                let r = x.wrapping_rem(y);
                int!(if r != 0 && (r < 0) != (y < 0) { r.wrapping_add(y) } else { r })
            },
            U => |a, b| int!((a as U).checked_rem(b as U).unwrap_or(0)),
            else per_float!(p, T => |a, b| T::put(T::get(a) % T::get(b)), else bad())),
        BinOp::Quot => per_int!(p, T => |a, b| if b as T == 0 { 0 } else { int!((a as T).wrapping_div(b as T)) },
            else per_float!(p, T => |a, b| T::put(T::get(a) / T::get(b)), else bad())),
        BinOp::Rem => per_int!(p, T => |a, b| if b as T == 0 { 0 } else { int!((a as T).wrapping_rem(b as T)) },
            else per_float!(p, T => |a, b| T::put(T::get(a) % T::get(b)), else bad())),
        BinOp::Pow => per_int!(p, T => |a, b| int!(wrapping_pow(a, b) as T),
            else per_float!(p, T => |a, b| T::put(T::get(a).powf(T::get(b))), else bad())),
        BinOp::Min => per_int!(p, T => |a, b| int!((a as T).min(b as T)),
            else per_float!(p, T => |a, b| T::put(T::get(a).min(T::get(b))), else |a, b| a & b)),
        BinOp::Max => per_int!(p, T => |a, b| int!((a as T).max(b as T)),
            else per_float!(p, T => |a, b| T::put(T::get(a).max(T::get(b))), else |a, b| a | b)),
        // The bits above the width are copies of the sign, or zero, on both sides: so they are in the result.
        BinOp::And => |a, b| a & b,
        BinOp::Or => |a, b| a | b,
        BinOp::Xor => |a, b| a ^ b,
        BinOp::Shl => {
            per_int!(p, T => |a, b| if b < u64::from(T::BITS) { int!((a as T) << b) } else { 0 }, else bad())
        }
        BinOp::Shr => per_int!(p, T => |a, b| int!((a as T) >> b.min(u64::from(T::BITS) - 1))
                & if b < u64::from(T::BITS) || T::MIN != 0 { u64::MAX } else { 0 }, else bad()),
    }
}

/// Right in all lower bits, thus at every width. A negative exponent, which a check should have prevented, is taken as
/// a large one.
fn wrapping_pow(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

pub fn unary(op: UnOp, p: Prim) -> Fn1 {
    let bad = || undefined(op.text(), p);
    match op {
        UnOp::Neg => per_int!(p, T => |a| int!((a as T).wrapping_neg()),
            else per_float!(p, T => |a| T::put(-T::get(a)), else bad())),
        UnOp::Not => per_int!(p, T => |a| int!(!(a as T)), else if p == Prim::Bool { |a| a ^ 1 } else { bad() }),
        UnOp::Abs => per_sign!(p, S => |a| int!((a as S).wrapping_abs()), U => |a| int!(a as U),
            else per_float!(p, T => |a| T::put(T::get(a).abs()), else bad())),
        UnOp::Sgn => per_sign!(p, S => |a| int!((a as S).signum()), U => |a| u64::from(a as U != 0),
            else per_float!(p, T => |a| {
                let x = T::get(a);
                if x.is_nan() || x == 0.0 { a } else { T::put(x.signum()) }
            }, else bad())),
    }
}

pub fn compare(op: CmpOp, p: Prim) -> Fn2 {
    macro_rules! with {
        ($op:tt) => {
            match p {
                Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => |a, b| u64::from((a as i64) $op (b as i64)),
                Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 | Prim::Bool => |a, b| u64::from(a $op b),
                Prim::F16 => |a, b| u64::from(f16::get(a) $op f16::get(b)),
                Prim::F32 => |a, b| u64::from(f32::get(a) $op f32::get(b)),
                Prim::F64 => |a, b| u64::from(f64::get(a) $op f64::get(b)),
            }
        };
    }
    match op {
        CmpOp::Eq => with!(==),
        CmpOp::Ne => with!(!=),
        CmpOp::Lt => with!(<),
        CmpOp::Le => with!(<=),
        CmpOp::Gt => with!(>),
        CmpOp::Ge => with!(>=),
    }
}

/// From a float to an integer: towards zero. NaN and the infinities become 0. What is beyond a range becomes the
/// nearest number in it, and then wraps around to the type: this range is that of `i32` for `i32` and smaller types,
/// that of `i64` for `i64` and `u32`, and from that of `i64` to that of `u64` for `u64`. To a boolean: whether it
/// differs from zero. To a float: to the nearest, ties to even.
pub fn convert(from: Prim, to: Prim) -> Fn1 {
    match to {
        Prim::Bool => per_float!(from, F => |a| u64::from(F::get(a) != 0.0), else |a| u64::from(a != 0)),
        Prim::F16 => match from {
            Prim::F16 => |a| a,
            Prim::F32 => |a| f16::put(f32::get(a)),
            Prim::F64 => |a| u64::from(f16::from_f64(f64::get(a)).to_bits()),
            // A double holds every integer that is in the range of a half, and rounds no other one into it.
            _ if from.is_signed() => |a| u64::from(f16::from_f64(a as i64 as f64).to_bits()),
            _ => |a| u64::from(f16::from_f64(a as f64).to_bits()),
        },
        Prim::F32 => match from {
            Prim::F16 => |a| f32::put(f16::get(a)),
            Prim::F32 => |a| a,
            Prim::F64 => |a| f32::put(f64::get(a) as f32),
            _ if from.is_signed() => |a| f32::put(a as i64 as f32),
            _ => |a| f32::put(a as f32),
        },
        Prim::F64 => match from {
            Prim::F16 => |a| f64::put(f64::from(f16::get(a))),
            Prim::F32 => |a| f64::put(f64::from(f32::get(a))),
            Prim::F64 => |a| a,
            _ if from.is_signed() => |a| f64::put(a as i64 as f64),
            _ => |a| f64::put(a as f64),
        },
        _ => match from {
            Prim::F16 => per_int!(to, T => |a| int!(T::integer(f64::from(f16::get(a)))), else undefined("conv", to)),
            Prim::F32 => per_int!(to, T => |a| int!(T::integer(f64::from(f32::get(a)))), else undefined("conv", to)),
            Prim::F64 => per_int!(to, T => |a| int!(T::integer(f64::get(a))), else undefined("conv", to)),
            // A signed number becomes an unsigned one of its own width first.
            Prim::I8 if to.is_unsigned() => |a| u64::from(a as u8),
            Prim::I16 if to.is_unsigned() => per_int!(to, T => |a| int!(a as u16 as T), else undefined("conv", to)),
            Prim::I32 if to.is_unsigned() => per_int!(to, T => |a| int!(a as u32 as T), else undefined("conv", to)),
            _ => per_int!(to, T => |a| int!(a as T), else undefined("conv", to)),
        },
    }
}

/// The integer in a float, see [`convert`].
trait FromFloat {
    fn integer(x: f64) -> Self;
}

macro_rules! from_float {
    ($carrier:ty: $($t:ty),*) => {
        $(impl FromFloat for $t {
            fn integer(x: f64) -> $t {
                if x.is_finite() { x as $carrier as $t } else { 0 }
            }
        })*
    };
}
from_float!(i32: i8, i16, i32, u8, u16);
from_float!(i64: i64, u32);

impl FromFloat for u64 {
    fn integer(x: f64) -> u64 {
        if x.is_finite() && x > 0.0 { x as u64 } else { i64::integer(x) as u64 }
    }
}
