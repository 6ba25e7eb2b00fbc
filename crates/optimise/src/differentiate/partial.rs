//! The derivatives of operations on scalars.
//!
//! Each is a linear function of a small change: [`push`] takes a change of an operand to one of the result, and in the
//! other direction the derivative by the result to that by the operand. Both are the same multiplication, but for
//! conversions between types. Where a factor may be infinite, a change of zero stays zero: `0 · ∞` is no number.
//!
//! At points without a derivative: `abs` has 0 at 0; `min` and `max` of equal operands are the first of them, or the
//! constant, if one is; a power with base 0 does not depend on its exponent; rounding and bits have 0. Integers are
//! derived like floats.

use super::arrays::{float, is_zero, number, select};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, Builder, CmpOp, Exp, MathFn, Operand, Scalar, Type, UnOp};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From an operand to the result.
    Forward,
    /// From the result to an operand.
    Back,
}

/// The scalar operands of an operation, in order.
pub(super) fn operands(exp: &Exp) -> Vec<Operand> {
    match exp {
        Exp::Un(_, x) | Exp::Conv(_, x) => vec![*x],
        Exp::Bin(_, x, y) => vec![*x, *y],
        Exp::Math(_, _, args) => args.clone(),
        _ => Vec::new(),
    }
}

/// Whether the result depends on an operand in a way that has a derivative.
pub(super) fn depends(b: &Builder, exp: &Exp, k: usize) -> bool {
    let prim = |x: Operand| b.type_of(x).prim().unwrap_or(Prim::Bool);
    match exp {
        Exp::Un(op, _) => *op != UnOp::Sgn,
        Exp::Bin(op, x, _) => match op {
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shr => false,
            BinOp::Shl => k == 0,
            BinOp::Pow => k == 0 || prim(*x).is_float(),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => true,
            BinOp::Min | BinOp::Max => true,
        },
        Exp::Conv(to, x) => *to != Prim::Bool && prim(*x) != Prim::Bool,
        Exp::Math(f, ..) => match f {
            MathFn::Popc | MathFn::Clz | MathFn::Ctz | MathFn::MulHi | MathFn::SizeMul => false,
            MathFn::Ceil | MathFn::Floor | MathFn::Trunc | MathFn::Round => false,
            MathFn::Ldexp | MathFn::Copysign | MathFn::Nextafter => k == 0,
            _ => true,
        },
        _ => false,
    }
}

/// The change `v` of operand `k`, or of the result `p`, on its way through an operation.
pub(super) fn push(b: &mut Builder, exp: &Exp, p: Operand, k: usize, v: Operand, way: Way) -> Operand {
    if is_zero(v) && way == Way::Back && !matches!(exp, Exp::Conv(..) | Exp::Math(..)) {
        return v;
    }
    match exp {
        Exp::Un(op, x) => match op {
            UnOp::Neg => b.un(UnOp::Neg, v),
            UnOp::Abs => {
                let sign = b.un(UnOp::Sgn, *x);
                b.bin(BinOp::Mul, v, sign)
            }
            UnOp::Not if b.type_of(*x) == Type::BOOL => v,
            UnOp::Not => b.un(UnOp::Neg, v),
            UnOp::Sgn => v,
        },
        Exp::Bin(op, x, y) => binary(b, *op, (*x, *y), p, k, v),
        Exp::Conv(to, x) => {
            let from = b.type_of(*x).prim().unwrap_or(*to);
            let to = if way == Way::Forward { *to } else { from };
            if b.type_of(v) == Type::Prim(to) { v } else { b.conv(to, v) }
        }
        Exp::Math(MathFn::ToBits, prim, _) => {
            b.math(if way == Way::Forward { MathFn::ToBits } else { MathFn::FromBits }, *prim, vec![v])
        }
        Exp::Math(MathFn::FromBits, prim, _) => {
            b.math(if way == Way::Forward { MathFn::FromBits } else { MathFn::ToBits }, *prim, vec![v])
        }
        Exp::Math(f, prim, args) => math(b, *f, *prim, args, p, k, v),
        _ => v,
    }
}

/// A product with something that may be infinite: zero where `v` is.
fn guarded(b: &mut Builder, v: Operand, product: Operand) -> Operand {
    let Some(prim) = b.type_of(v).prim() else { return product };
    if let Operand::Const(c) = v
        && c != Scalar::zero(prim)
    {
        return product;
    }
    let nothing = Operand::Const(Scalar::zero(prim));
    let is_nothing = b.cmp(CmpOp::Eq, v, nothing);
    select(b, is_nothing, nothing, product)
}

fn quotient(b: &mut Builder, v: Operand, by: Operand) -> Operand {
    let q = b.bin(BinOp::Div, v, by);
    guarded(b, v, q)
}

fn binary(b: &mut Builder, op: BinOp, (x, y): (Operand, Operand), p: Operand, k: usize, v: Operand) -> Operand {
    let prim = b.type_of(x).prim().unwrap_or(Prim::F64);
    match (op, k) {
        (BinOp::Add, _) | (BinOp::Sub, 0) => v,
        (BinOp::Sub, _) => b.un(UnOp::Neg, v),
        (BinOp::Mul, 0) => b.bin(BinOp::Mul, v, y),
        (BinOp::Mul, _) => b.bin(BinOp::Mul, v, x),
        (BinOp::Div, 0) if prim.is_float() => quotient(b, v, y),
        (BinOp::Div, _) if prim.is_float() => {
            let q = b.bin(BinOp::Div, p, y);
            let product = b.bin(BinOp::Mul, v, q);
            let product = guarded(b, v, product);
            b.un(UnOp::Neg, product)
        }
        (BinOp::Div | BinOp::Quot, 0) => b.bin(op, v, y),
        (BinOp::Div | BinOp::Quot, _) => {
            let product = b.bin(BinOp::Mul, v, x);
            let square = b.bin(BinOp::Mul, y, y);
            // The square of a number that is not zero may be zero.
            let is_nothing = b.cmp(CmpOp::Eq, square, number(prim, 0));
            let square = select(b, is_nothing, number(prim, 1), square);
            let q = b.bin(op, product, square);
            b.un(UnOp::Neg, q)
        }
        (BinOp::Mod | BinOp::Rem, 0) => v,
        (BinOp::Mod | BinOp::Rem, _) => {
            let q = match op {
                BinOp::Mod if prim.is_float() => {
                    let q = b.bin(BinOp::Div, x, y);
                    b.math(MathFn::Trunc, prim, vec![q])
                }
                BinOp::Mod => b.bin(BinOp::Div, x, y),
                _ => b.bin(BinOp::Quot, x, y),
            };
            let product = b.bin(BinOp::Mul, v, q);
            let product = if prim.is_float() { guarded(b, v, product) } else { product };
            b.un(UnOp::Neg, product)
        }
        (BinOp::Pow, 0) => power_by_base(b, prim, x, y, v),
        (BinOp::Pow, _) => {
            let log = b.math(MathFn::Log, prim, vec![x]);
            let slope = b.bin(BinOp::Mul, log, p);
            let product = b.bin(BinOp::Mul, v, slope);
            let product = guarded(b, v, product);
            let is_kink = b.cmp(CmpOp::Eq, x, number(prim, 0));
            select(b, is_kink, number(prim, 0), product)
        }
        (BinOp::Min | BinOp::Max, _) => {
            let is_first = is_first(b, op, x, y);
            let nothing = number(prim, 0);
            if k == 0 { select(b, is_first, v, nothing) } else { select(b, is_first, nothing, v) }
        }
        (BinOp::Shl, 0) => b.bin(BinOp::Shl, v, y),
        (BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor, _) => number(prim, 0),
    }
}

/// Whether the less or greater of two operands is the first: also of equal ones, unless the second is a constant.
pub(super) fn is_first(b: &mut Builder, op: BinOp, x: Operand, y: Operand) -> Operand {
    let comparison = match (op, y) {
        (BinOp::Min, Operand::Const(_)) => CmpOp::Lt,
        (BinOp::Min, Operand::Var(_)) => CmpOp::Le,
        (_, Operand::Const(_)) => CmpOp::Gt,
        (_, Operand::Var(_)) => CmpOp::Ge,
    };
    b.cmp(comparison, x, y)
}

/// `v · y · x^(y-1)`
fn power_by_base(b: &mut Builder, prim: Prim, x: Operand, y: Operand, v: Operand) -> Operand {
    let factor = b.bin(BinOp::Mul, v, y);
    if y == number(prim, 1) {
        return v;
    }
    if y == number(prim, 2) {
        return b.bin(BinOp::Mul, factor, x);
    }
    if y == number(prim, 0) {
        return y;
    }
    let one = number(prim, 1);
    if prim.is_float() {
        let less = b.bin(BinOp::Sub, y, one);
        let power = b.bin(BinOp::Pow, x, less);
        let product = b.bin(BinOp::Mul, factor, power);
        return guarded(b, factor, product);
    }
    // The exponent of an integer power is not negative.
    let less = b.bin(BinOp::Sub, y, one);
    let less = b.bin(BinOp::Max, less, number(prim, 0));
    let power = b.bin(BinOp::Pow, x, less);
    b.bin(BinOp::Mul, factor, power)
}

fn math(b: &mut Builder, f: MathFn, t: Prim, args: &[Operand], p: Operand, k: usize, v: Operand) -> Operand {
    let x = args[0];
    let one = float(t, 1.0);
    let square = |b: &mut Builder, x: Operand| b.bin(BinOp::Mul, x, x);
    let times = |b: &mut Builder, x: Operand, y: Operand| b.bin(BinOp::Mul, x, y);
    match f {
        MathFn::Sqrt => {
            let twice = times(b, float(t, 2.0), p);
            quotient(b, v, twice)
        }
        MathFn::Rsqrt => {
            let twice = times(b, float(t, -2.0), x);
            let slope = b.bin(BinOp::Div, p, twice);
            let product = times(b, v, slope);
            guarded(b, v, product)
        }
        MathFn::Cbrt => {
            let root = square(b, p);
            let thrice = times(b, float(t, 3.0), root);
            quotient(b, v, thrice)
        }
        MathFn::Exp => times(b, v, p),
        MathFn::Log => quotient(b, v, x),
        MathFn::Log2 | MathFn::Log10 => {
            let base = if f == MathFn::Log2 { std::f64::consts::LN_2 } else { std::f64::consts::LN_10 };
            let by = times(b, x, float(t, base));
            quotient(b, v, by)
        }
        MathFn::Log1p => {
            let by = b.bin(BinOp::Add, one, x);
            quotient(b, v, by)
        }
        MathFn::Sin => {
            let slope = b.math(MathFn::Cos, t, vec![x]);
            times(b, v, slope)
        }
        MathFn::Cos => {
            let slope = b.math(MathFn::Sin, t, vec![x]);
            let product = times(b, v, slope);
            b.un(UnOp::Neg, product)
        }
        MathFn::Tan => {
            let root = square(b, p);
            let slope = b.bin(BinOp::Add, one, root);
            times(b, v, slope)
        }
        MathFn::Asin | MathFn::Acos => {
            let root = square(b, x);
            let rest = b.bin(BinOp::Sub, one, root);
            let by = b.math(MathFn::Sqrt, t, vec![rest]);
            let q = quotient(b, v, by);
            if f == MathFn::Asin { q } else { b.un(UnOp::Neg, q) }
        }
        MathFn::Atan => {
            let root = square(b, x);
            let by = b.bin(BinOp::Add, one, root);
            b.bin(BinOp::Div, v, by)
        }
        MathFn::Sinh | MathFn::Cosh => {
            let slope = b.math(if f == MathFn::Sinh { MathFn::Cosh } else { MathFn::Sinh }, t, vec![x]);
            times(b, v, slope)
        }
        MathFn::Tanh => {
            let root = square(b, p);
            let slope = b.bin(BinOp::Sub, one, root);
            times(b, v, slope)
        }
        MathFn::Asinh | MathFn::Acosh => {
            let root = square(b, x);
            let rest = b.bin(if f == MathFn::Asinh { BinOp::Add } else { BinOp::Sub }, root, one);
            let by = b.math(MathFn::Sqrt, t, vec![rest]);
            quotient(b, v, by)
        }
        MathFn::Atanh => {
            let root = square(b, x);
            let by = b.bin(BinOp::Sub, one, root);
            quotient(b, v, by)
        }
        MathFn::Atan2 => {
            let (y, x) = (args[0], args[1]);
            let (yy, xx) = (square(b, y), square(b, x));
            let by = b.bin(BinOp::Add, yy, xx);
            let slope = b.bin(BinOp::Div, if k == 0 { x } else { y }, by);
            let product = times(b, v, slope);
            let product = guarded(b, v, product);
            if k == 0 { product } else { b.un(UnOp::Neg, product) }
        }
        MathFn::Hypot => {
            let slope = b.bin(BinOp::Div, args[k], p);
            let product = times(b, v, slope);
            guarded(b, v, product)
        }
        MathFn::Gamma | MathFn::Lgamma => {
            let slope = digamma(b, t, x);
            let slope = if f == MathFn::Gamma { times(b, slope, p) } else { slope };
            let product = times(b, v, slope);
            guarded(b, v, product)
        }
        MathFn::Erf | MathFn::Erfc => {
            let root = square(b, x);
            let exponent = b.un(UnOp::Neg, root);
            let bell = b.math(MathFn::Exp, t, vec![exponent]);
            let scale = std::f64::consts::FRAC_2_SQRT_PI;
            let slope = times(b, float(t, if f == MathFn::Erf { scale } else { -scale }), bell);
            times(b, v, slope)
        }
        MathFn::Fma => match k {
            0 => times(b, v, args[1]),
            1 => times(b, v, args[0]),
            _ => v,
        },
        MathFn::Ldexp => b.math(MathFn::Ldexp, t, vec![v, args[1]]),
        MathFn::Copysign => {
            let signs = [args[0], args[1]].map(|x| b.math(MathFn::Copysign, t, vec![one, x]));
            let sign = times(b, signs[0], signs[1]);
            times(b, v, sign)
        }
        MathFn::Nextafter => v,
        MathFn::Popc | MathFn::Clz | MathFn::Ctz | MathFn::MulHi | MathFn::SizeMul => number(t, 0),
        MathFn::Ceil | MathFn::Floor | MathFn::Trunc | MathFn::Round => number(t, 0),
        MathFn::ToBits | MathFn::FromBits => v,
    }
}

/// The derivative of the logarithm of the gamma function: by reflection above 1/2, by its recurrence above 6.5, and
/// there by its asymptotic series.
fn digamma(b: &mut Builder, t: Prim, x: Operand) -> Operand {
    let (one, half) = (float(t, 1.0), float(t, 0.5));
    let is_low = b.cmp(CmpOp::Lt, x, half);
    let mirrored = b.bin(BinOp::Sub, one, x);
    let mut z = select(b, is_low, mirrored, x);
    let mut shifts = float(t, 0.0);
    for _ in 0..6 {
        let inverse = b.bin(BinOp::Div, one, z);
        shifts = b.bin(BinOp::Add, shifts, inverse);
        z = b.bin(BinOp::Add, z, one);
    }
    let inverse = b.bin(BinOp::Div, one, z);
    let square = b.bin(BinOp::Mul, inverse, inverse);
    let mut series = float(t, 0.0);
    for c in
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0].iter().rev()
    {
        let inner = b.bin(BinOp::Add, float(t, *c), series);
        series = b.bin(BinOp::Mul, square, inner);
    }
    let log = b.math(MathFn::Log, t, vec![z]);
    let halved = b.bin(BinOp::Mul, half, inverse);
    let mut psi = b.bin(BinOp::Sub, log, halved);
    psi = b.bin(BinOp::Sub, psi, series);
    psi = b.bin(BinOp::Sub, psi, shifts);
    let pi = float(t, std::f64::consts::PI);
    let angle = b.bin(BinOp::Mul, pi, x);
    let tan = b.math(MathFn::Tan, t, vec![angle]);
    let reflection = b.bin(BinOp::Div, pi, tan);
    let low = b.bin(BinOp::Sub, psi, reflection);
    select(b, is_low, low, psi)
}
