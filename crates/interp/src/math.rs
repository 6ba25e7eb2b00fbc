//! The functions of mathematics and of bits, as functions between registers.

use crate::scalar::{Float, Fn1, Fn2, Fn3, int, per_float, per_int};
use half::f16;
use kenaz_base::Prim;
use kenaz_ir::MathFn;

/// A function with as many parameters as it has.
#[derive(Clone, Copy)]
pub(crate) enum Function {
    One(Fn1),
    Two(Fn2),
    Three(Fn3),
}

use Function::{One, Three, Two};

/// The function over `prim`; `second` is the type of the second operand, which for `ldexp` may be an integer.
pub(crate) fn function(f: MathFn, prim: Prim, second: Option<Prim>) -> Function {
    /// A function that has the same name in the two types that numbers are computed in.
    macro_rules! float1 {
        ($x:ident => $body:expr) => {
            One(per_float!(prim, T => |a| { let $x = T::get(a); T::put($body) }, else bad(f, prim)))
        };
    }
    macro_rules! float2 {
        ($x:ident, $y:ident => $body:expr) => {
            Two(per_float!(prim, T => |a, b| { let ($x, $y) = (T::get(a), T::get(b)); T::put($body) },
                else bad(f, prim)))
        };
    }
    /// A function of the crate `libm`, which has two versions of it.
    macro_rules! libm1 {
        ($single:ident, $double:ident) => {
            One(match prim {
                Prim::F16 => |a| f16::put(libm::$single(f16::get(a))),
                Prim::F32 => |a| f32::put(libm::$single(f32::get(a))),
                Prim::F64 => |a| f64::put(libm::$double(f64::get(a))),
                _ => bad(f, prim),
            })
        };
    }
    match f {
        MathFn::Popc => One(per_int!(prim, T => |a| u64::from((a as T).count_ones()), else bad(f, prim))),
        MathFn::Clz => One(per_int!(prim, T => |a| u64::from((a as T).leading_zeros()), else bad(f, prim))),
        MathFn::Ctz => One(per_int!(prim, T => |a| u64::from((a as T).trailing_zeros()), else bad(f, prim))),
        MathFn::MulHi => {
            Two(per_int!(prim, T => |a, b| int!(((a as T as i128).wrapping_mul(b as T as i128) >> T::BITS) as T),
                else bad(f, prim)))
        }
        MathFn::SizeMul => Two(|a, b| {
            let (a, b) = ((a as i64).max(0), (b as i64).max(0));
            a.saturating_mul(b) as u64
        }),
        MathFn::Sqrt => float1!(x => x.sqrt()),
        MathFn::Rsqrt => float1!(x => 1.0 / x.sqrt()),
        MathFn::Cbrt => float1!(x => x.cbrt()),
        MathFn::Exp => float1!(x => x.exp()),
        MathFn::Log => float1!(x => x.ln()),
        MathFn::Log2 => float1!(x => x.log2()),
        MathFn::Log10 => float1!(x => x.log10()),
        MathFn::Log1p => float1!(x => x.ln_1p()),
        MathFn::Sin => float1!(x => x.sin()),
        MathFn::Cos => float1!(x => x.cos()),
        MathFn::Tan => float1!(x => x.tan()),
        MathFn::Asin => float1!(x => x.asin()),
        MathFn::Acos => float1!(x => x.acos()),
        MathFn::Atan => float1!(x => x.atan()),
        MathFn::Sinh => float1!(x => x.sinh()),
        MathFn::Cosh => float1!(x => x.cosh()),
        MathFn::Tanh => float1!(x => x.tanh()),
        // The standard library's versions of these lose digits near 1.
        MathFn::Asinh => libm1!(asinhf, asinh),
        MathFn::Acosh => libm1!(acoshf, acosh),
        MathFn::Atanh => libm1!(atanhf, atanh),
        MathFn::Atan2 => float2!(x, y => x.atan2(y)),
        MathFn::Hypot => float2!(x, y => x.hypot(y)),
        MathFn::Gamma => libm1!(tgammaf, tgamma),
        MathFn::Lgamma => libm1!(lgammaf, lgamma),
        MathFn::Erf => libm1!(erff, erf),
        MathFn::Erfc => libm1!(erfcf, erfc),
        MathFn::Ceil => float1!(x => x.ceil()),
        MathFn::Floor => float1!(x => x.floor()),
        MathFn::Trunc => float1!(x => x.trunc()),
        MathFn::Round => float1!(x => x.round_ties_even()),
        MathFn::Fma => Three(match prim {
            // The product of halves is exact in a double, and so is the sum but for numbers far too small to matter.
            Prim::F16 => |a, b, c| {
                let (x, y, z) = (f64::from(f16::get(a)), f64::from(f16::get(b)), f64::from(f16::get(c)));
                u64::from(f16::from_f64(x.mul_add(y, z)).to_bits())
            },
            Prim::F32 => |a, b, c| f32::put(f32::get(a).mul_add(f32::get(b), f32::get(c))),
            Prim::F64 => |a, b, c| f64::put(f64::get(a).mul_add(f64::get(b), f64::get(c))),
            _ => bad(f, prim),
        }),
        MathFn::Ldexp => Two(ldexp(prim, second)),
        MathFn::Copysign => float2!(x, y => x.copysign(y)),
        MathFn::Nextafter => Two(match prim {
            Prim::F16 => |a, b| u64::from(next_half(f16::from_bits(a as u16), f16::from_bits(b as u16)).to_bits()),
            Prim::F32 => |a, b| f32::put(libm::nextafterf(f32::get(a), f32::get(b))),
            Prim::F64 => |a, b| f64::put(libm::nextafter(f64::get(a), f64::get(b))),
            _ => bad(f, prim),
        }),
        // A register holds the bits already.
        MathFn::ToBits | MathFn::FromBits => One(|a| a),
    }
}

fn bad<T>(f: MathFn, prim: Prim) -> T {
    panic!("the function `{}` is not defined on `{}`", f.text(), prim.name())
}

fn ldexp(prim: Prim, second: Option<Prim>) -> Fn2 {
    /// Any exponent beyond this one gives zero or infinity, and less does not overflow in `libm`.
    fn exponent(n: i64) -> i32 {
        n.clamp(-10_000, 10_000) as i32
    }
    if second == Some(prim) {
        return match prim {
            Prim::F16 => |a, b| scale_half(a, exponent(f16::get(b) as i64)),
            Prim::F32 => |a, b| f32::put(libm::ldexpf(f32::get(a), exponent(f32::get(b) as i64))),
            Prim::F64 => |a, b| f64::put(libm::ldexp(f64::get(a), exponent(f64::get(b) as i64))),
            _ => bad(MathFn::Ldexp, prim),
        };
    }
    match prim {
        Prim::F16 => |a, b| scale_half(a, exponent(b as i64)),
        Prim::F32 => |a, b| f32::put(libm::ldexpf(f32::get(a), exponent(b as i64))),
        Prim::F64 => |a, b| f64::put(libm::ldexp(f64::get(a), exponent(b as i64))),
        _ => bad(MathFn::Ldexp, prim),
    }
}

fn scale_half(a: u64, n: i32) -> u64 {
    u64::from(f16::from_f64(libm::ldexp(f64::from(f16::get(a)), n)).to_bits())
}

fn next_half(x: f16, y: f16) -> f16 {
    if x.is_nan() || y.is_nan() {
        return f16::NAN;
    }
    if x == y {
        return y;
    }
    if x.to_f32() == 0.0 {
        return f16::from_bits(1).copysign(y);
    }
    let away_from_zero = (x < y) == (x.to_f32() > 0.0);
    f16::from_bits(if away_from_zero { x.to_bits() + 1 } else { x.to_bits() - 1 })
}
