//! Operations on scalars: an instruction of its own for the common ones, a function for the others.

use super::{Code, Compiler};
use crate::code::{Inst, Reg, ThreeCode};
use crate::math::{self, Function};
use crate::scalar::{self, Fn1, Fn2};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, CmpOp, LocId, MathFn, Operand, UnOp};

impl Compiler {
    pub(super) fn unary(&mut self, op: UnOp, d: Reg, x: Operand) -> Inst {
        let (prim, a) = (self.prim(x), self.scalar(x));
        if op == UnOp::Not && prim == Prim::Bool {
            return Inst::Not { d, a };
        }
        self.one(scalar::unary(op, prim), d, a)
    }

    pub(super) fn binary(&mut self, op: BinOp, d: Reg, x: Operand, y: Operand) -> Inst {
        let (prim, a, b) = (self.prim(x), self.scalar(x), self.scalar(y));
        match (op, prim) {
            (BinOp::Add, Prim::I64 | Prim::U64) => Inst::AddI64 { d, a, b },
            (BinOp::Sub, Prim::I64 | Prim::U64) => Inst::SubI64 { d, a, b },
            (BinOp::Mul, Prim::I64 | Prim::U64) => Inst::MulI64 { d, a, b },
            (BinOp::Add, Prim::I32) => Inst::AddI32 { d, a, b },
            (BinOp::Sub, Prim::I32) => Inst::SubI32 { d, a, b },
            (BinOp::Mul, Prim::I32) => Inst::MulI32 { d, a, b },
            (BinOp::Add, Prim::F32) => Inst::AddF32 { d, a, b },
            (BinOp::Sub, Prim::F32) => Inst::SubF32 { d, a, b },
            (BinOp::Mul, Prim::F32) => Inst::MulF32 { d, a, b },
            (BinOp::Div, Prim::F32) => Inst::DivF32 { d, a, b },
            (BinOp::Add, Prim::F64) => Inst::AddF64 { d, a, b },
            (BinOp::Sub, Prim::F64) => Inst::SubF64 { d, a, b },
            (BinOp::Mul, Prim::F64) => Inst::MulF64 { d, a, b },
            (BinOp::Div, Prim::F64) => Inst::DivF64 { d, a, b },
            (BinOp::And, _) => Inst::And { d, a, b },
            (BinOp::Or, _) => Inst::Or { d, a, b },
            (BinOp::Xor, _) => Inst::Xor { d, a, b },
            _ => self.two(scalar::binary(op, prim), d, a, b),
        }
    }

    pub(super) fn comparison(&mut self, op: CmpOp, d: Reg, x: Operand, y: Operand) -> Inst {
        let (prim, a, b) = (self.prim(x), self.scalar(x), self.scalar(y));
        // `x > y` is `y < x`, also if one of them is not a number.
        let (op, a, b) = match op {
            CmpOp::Gt => (CmpOp::Lt, b, a),
            CmpOp::Ge => (CmpOp::Le, b, a),
            CmpOp::Eq | CmpOp::Ne | CmpOp::Lt | CmpOp::Le => (op, a, b),
        };
        match (op, prim) {
            (CmpOp::Lt, Prim::F32) => Inst::LtF32 { d, a, b },
            (CmpOp::Le, Prim::F32) => Inst::LeF32 { d, a, b },
            (CmpOp::Lt, Prim::F64) => Inst::LtF64 { d, a, b },
            (CmpOp::Le, Prim::F64) => Inst::LeF64 { d, a, b },
            _ if prim.is_float() => self.two(scalar::compare(op, prim), d, a, b),
            (CmpOp::Eq, _) => Inst::EqInt { d, a, b },
            (CmpOp::Ne, _) => Inst::NeInt { d, a, b },
            (CmpOp::Lt, _) if prim.is_signed() => Inst::LtSigned { d, a, b },
            (CmpOp::Le, _) if prim.is_signed() => Inst::LeSigned { d, a, b },
            (CmpOp::Lt, _) => Inst::LtUnsigned { d, a, b },
            (_, _) => Inst::LeUnsigned { d, a, b },
        }
    }

    pub(super) fn conversion(&mut self, to: Prim, d: Reg, x: Operand) -> Inst {
        let (from, a) = (self.prim(x), self.scalar(x));
        let widens = match (from.is_signed(), to.is_signed()) {
            (true, true) => width(to) >= width(from),
            (false, true) => width(to) > width(from),
            (false, false) => width(to) >= width(from),
            // Narrower ones are extended with zeros.
            (true, false) => width(from) == 64 && width(to) == 64,
        };
        if from == to || (from.is_integer() || from == Prim::Bool) && to.is_integer() && widens {
            return Inst::Move { d, a };
        }
        self.one(scalar::convert(from, to), d, a)
    }

    pub(super) fn mathematical(&mut self, f: MathFn, prim: Prim, d: Reg, xs: &[Operand], code: &mut Code, loc: LocId) {
        let second = xs.get(1).map(|x| self.prim(*x));
        let args = self.scalars(xs);
        let inst = match (math::function(f, prim, second), &args[..]) {
            (Function::One(_), [a]) if matches!(f, MathFn::ToBits | MathFn::FromBits) => Inst::Move { d, a: *a },
            (Function::One(f), [a]) => self.one(f, d, *a),
            (Function::Two(f), [a, b]) => self.two(f, d, *a, *b),
            (Function::Three(f), [a, b, c]) => {
                self.out.threes.push(ThreeCode { f, d, args: [*a, *b, *c] });
                Inst::Three { id: u32::try_from(self.out.threes.len() - 1).expect("more than 2^32 instructions") }
            }
            (Function::One(_) | Function::Two(_) | Function::Three(_), _) => {
                panic!("`{}` with {} operands", f.text(), args.len())
            }
        };
        code.push(inst, loc);
    }

    fn one(&mut self, f: Fn1, d: Reg, a: Reg) -> Inst {
        let table = &mut self.out.ones;
        let f = *self.functions.entry(f as usize).or_insert_with(|| {
            table.push(f);
            u16::try_from(table.len() - 1).expect("fewer functions than 2^16")
        });
        Inst::One { f, d, a }
    }

    fn two(&mut self, f: Fn2, d: Reg, a: Reg, b: Reg) -> Inst {
        let table = &mut self.out.twos;
        let f = *self.binary_functions.entry(f as usize).or_insert_with(|| {
            table.push(f);
            u16::try_from(table.len() - 1).expect("fewer functions than 2^16")
        });
        Inst::Two { f, d, a, b }
    }
}

fn width(prim: Prim) -> u32 {
    match prim {
        Prim::Bool => 1,
        Prim::I8 | Prim::U8 => 8,
        Prim::I16 | Prim::U16 | Prim::F16 => 16,
        Prim::I32 | Prim::U32 | Prim::F32 => 32,
        Prim::I64 | Prim::U64 | Prim::F64 => 64,
    }
}
