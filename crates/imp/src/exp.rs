//! Expressions: pure, without effects but for loads.

use kenaz_base::Prim;
use kenaz_ir::{BinOp, CmpOp, MathFn, Name, Scalar, UnOp};

/// An expression of a primitive type. Evaluating one never traps: operations mean what they mean in the IR.
#[derive(Clone, Debug, PartialEq)]
pub enum Exp {
    Const(Scalar),
    /// A scalar variable.
    Var(Name, Prim),
    /// The operand is of this type.
    Un(UnOp, Prim, Box<Exp>),
    /// The operands are of this type.
    Bin(BinOp, Prim, Box<Exp>, Box<Exp>),
    /// The operands are of this type.
    Cmp(CmpOp, Prim, Box<Exp>, Box<Exp>),
    /// From the first type to the second.
    Conv(Prim, Prim, Box<Exp>),
    /// As [`kenaz_ir::Exp::Math`].
    Math(MathFn, Prim, Vec<Exp>),
    /// The element of a block at an index, in elements of the type.
    Load {
        block: Name,
        prim: Prim,
        index: Box<Exp>,
    },
    /// Both sides may be evaluated. Of the type of the sides.
    Select(Prim, Box<Exp>, Box<Exp>, Box<Exp>),
    /// Sum, difference and product of `i64`s modulo 2^64: indices and strides. Such a sum is right where it is used to
    /// reach an element, but parts of it are computed in advance, where it may not be, so that it may wrap around.
    Add(Box<Exp>, Box<Exp>),
    Sub(Box<Exp>, Box<Exp>),
    Mul(Box<Exp>, Box<Exp>),
    /// Quotient and remainder of an `i64` that is not negative by one that is positive.
    Quot(Box<Exp>, Box<Exp>),
    Rem(Box<Exp>, Box<Exp>),
}

#[expect(clippy::should_implement_trait, reason = "constructors are named after their variants")]
impl Exp {
    pub fn i64(n: i64) -> Exp {
        Exp::Const(Scalar::I64(n))
    }

    /// A variable of type `i64`.
    pub fn var(name: Name) -> Exp {
        Exp::Var(name, Prim::I64)
    }

    /// The size of an element, in bytes.
    pub fn bytes_of(prim: Prim) -> Exp {
        Exp::i64(i64::try_from(prim.bytes()).unwrap_or(8))
    }

    pub fn un(op: UnOp, x: Exp) -> Exp {
        Exp::Un(op, x.prim(), Box::new(x))
    }

    /// Both operands are of one type.
    pub fn bin(op: BinOp, x: Exp, y: Exp) -> Exp {
        Exp::Bin(op, x.prim(), Box::new(x), Box::new(y))
    }

    /// Both operands are of one type.
    pub fn cmp(op: CmpOp, x: Exp, y: Exp) -> Exp {
        Exp::Cmp(op, x.prim(), Box::new(x), Box::new(y))
    }

    pub fn conv(to: Prim, x: Exp) -> Exp {
        Exp::Conv(x.prim(), to, Box::new(x))
    }

    pub fn min(x: Exp, y: Exp) -> Exp {
        Exp::bin(BinOp::Min, x, y)
    }

    pub fn max(x: Exp, y: Exp) -> Exp {
        Exp::bin(BinOp::Max, x, y)
    }

    pub fn and(x: Exp, y: Exp) -> Exp {
        Exp::bin(BinOp::And, x, y)
    }

    pub fn select(cond: Exp, yes: Exp, no: Exp) -> Exp {
        Exp::Select(yes.prim(), Box::new(cond), Box::new(yes), Box::new(no))
    }

    pub fn load(block: Name, prim: Prim, index: Exp) -> Exp {
        Exp::Load { block, prim, index: Box::new(index) }
    }

    // The arithmetic of indices

    pub fn add(x: Exp, y: Exp) -> Exp {
        Exp::Add(Box::new(x), Box::new(y))
    }

    pub fn sub(x: Exp, y: Exp) -> Exp {
        Exp::Sub(Box::new(x), Box::new(y))
    }

    pub fn mul(x: Exp, y: Exp) -> Exp {
        Exp::Mul(Box::new(x), Box::new(y))
    }

    /// Of an index that is not negative by one that is positive.
    pub fn quot(x: Exp, y: Exp) -> Exp {
        Exp::Quot(Box::new(x), Box::new(y))
    }

    /// Of an index that is not negative by one that is positive.
    pub fn rem(x: Exp, y: Exp) -> Exp {
        Exp::Rem(Box::new(x), Box::new(y))
    }

    pub fn prim(&self) -> Prim {
        match self {
            Exp::Const(c) => c.prim(),
            Exp::Var(_, prim)
            | Exp::Un(_, prim, _)
            | Exp::Bin(_, prim, ..)
            | Exp::Conv(_, prim, _)
            | Exp::Load { prim, .. }
            | Exp::Select(prim, ..) => *prim,
            Exp::Cmp(..) => Prim::Bool,
            Exp::Math(f, prim, _) => f.signature(*prim).map_or(*prim, |(_, result)| result),
            Exp::Add(..) | Exp::Sub(..) | Exp::Mul(..) | Exp::Quot(..) | Exp::Rem(..) => Prim::I64,
        }
    }
}
