//! The operations of scalars on constants: what the optimiser computes at compile time is what would be computed at
//! run time.

use crate::math::{Function, function};
use crate::{binary, compare, convert, unary};
use kenaz_ir::{BinOp, Exp, Operand, Scalar};

/// The value of an expression over constants, if it is an operation on scalars and defined: a division by zero or a
/// negative exponent of an integer is not.
pub fn constant(exp: &Exp) -> Option<Scalar> {
    match exp {
        Exp::Operand(x) => scalar(x),
        Exp::Un(op, x) => {
            let x = scalar(x)?;
            Some(Scalar::from_bits(x.prim(), unary(*op, x.prim())(x.bits())))
        }
        Exp::Bin(op, x, y) => {
            let (x, y) = (scalar(x)?, scalar(y)?);
            let is_integer = x.prim().is_integer();
            let divides = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem) && is_integer;
            let raises = *op == BinOp::Pow && is_integer && x.prim().is_signed();
            if divides && y.bits() == 0 || raises && (y.bits() as i64) < 0 {
                return None;
            }
            Some(Scalar::from_bits(x.prim(), binary(*op, x.prim())(x.bits(), y.bits())))
        }
        Exp::Cmp(op, x, y) => {
            let (x, y) = (scalar(x)?, scalar(y)?);
            Some(Scalar::Bool(compare(*op, x.prim())(x.bits(), y.bits()) != 0))
        }
        Exp::Conv(to, x) => {
            let x = scalar(x)?;
            Some(Scalar::from_bits(*to, convert(x.prim(), *to)(x.bits())))
        }
        Exp::Math(f, prim, args) => {
            let args = args.iter().map(scalar).collect::<Option<Vec<Scalar>>>()?;
            let (_, result) = f.signature(*prim)?;
            let bits = match (function(*f, *prim, args.get(1).map(|x| x.prim())), &args[..]) {
                (Function::One(f), [x]) => f(x.bits()),
                (Function::Two(f), [x, y]) => f(x.bits(), y.bits()),
                (Function::Three(f), [x, y, z]) => f(x.bits(), y.bits(), z.bits()),
                _ => return None,
            };
            Some(Scalar::from_bits(result, bits))
        }
        _ => None,
    }
}

fn scalar(x: &Operand) -> Option<Scalar> {
    match x {
        Operand::Const(c) => Some(*c),
        Operand::Var(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Prim;
    use kenaz_ir::{CmpOp, MathFn, UnOp};

    fn c(x: Scalar) -> Operand {
        Operand::Const(x)
    }

    #[test]
    fn operations_are_exact() {
        let i32s = |op, x, y| constant(&Exp::Bin(op, c(Scalar::I32(x)), c(Scalar::I32(y))));
        assert_eq!(i32s(BinOp::Add, i32::MAX, 1), Some(Scalar::I32(i32::MIN)));
        assert_eq!(i32s(BinOp::Div, -7, 2), Some(Scalar::I32(-4)));
        assert_eq!(i32s(BinOp::Quot, -7, 2), Some(Scalar::I32(-3)));
        assert_eq!(i32s(BinOp::Div, 1, 0), None);
        assert_eq!(i32s(BinOp::Pow, 2, -1), None);
        let lt = |x, y| constant(&Exp::Cmp(CmpOp::Lt, c(x), c(y)));
        assert_eq!(lt(Scalar::U8(200), Scalar::U8(100)), Some(Scalar::Bool(false)));
        assert_eq!(lt(Scalar::F64(f64::NAN), Scalar::F64(1.0)), Some(Scalar::Bool(false)));
        assert_eq!(constant(&Exp::Un(UnOp::Not, c(Scalar::Bool(true)))), Some(Scalar::Bool(false)));
        assert_eq!(constant(&Exp::Conv(Prim::U8, c(Scalar::I64(-1)))), Some(Scalar::U8(255)));
        let sqrt = Exp::Math(MathFn::Sqrt, Prim::F32, vec![c(Scalar::F32(2.25))]);
        assert_eq!(constant(&sqrt), Some(Scalar::F32(1.5)));
        assert_eq!(constant(&Exp::Copy(kenaz_ir::Fresh::default().named("a"))), None);
    }
}
