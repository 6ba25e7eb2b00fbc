//! Intrinsics of scalars, and equality of everything.

use super::flat::Val;
use super::{Lower, Result, text};
use crate::core::{Exp, Ty};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, CmpOp, Lambda, MathFn, Operand, Scalar, UnOp};
use kenaz_sema::intrinsics::{self, Intrinsic, IntrinsicId, Operator, PrimOp};

impl Lower<'_> {
    pub fn intrinsic(&mut self, id: IntrinsicId, args: &[Exp], ty: &Ty) -> Result<Val> {
        match &intrinsics::def(id).intrinsic {
            Intrinsic::Overloaded(op) => {
                let [a, b] = args else { return Err(self.bug("an operator without two operands")) };
                let (a, b) = (self.exp(a)?, self.exp(b)?);
                self.operator(*op, &a, &b)
            }
            Intrinsic::Prim { op, params, result } => {
                let operands = args.iter().map(|a| self.operand(a)).collect::<Result<Vec<_>>>()?;
                let operand = self.prim_op(*op, params.first().copied().unwrap_or(*result), *result, operands);
                Ok(Val::scalar(*result, operand))
            }
            Intrinsic::Poly { op, .. } => self.poly(*op, args, ty),
            Intrinsic::Type { .. } => Err(self.bug("a type used as a value")),
        }
    }

    fn operator(&mut self, op: Operator, a: &Val, b: &Val) -> Result<Val> {
        let compare = |this: &mut Self, op: CmpOp| {
            let x = this.b.cmp(op, a.leaves[0], b.leaves[0]);
            Ok(Val::scalar(Prim::Bool, x))
        };
        let bin = match op {
            Operator::Eq => return Ok(Val::scalar(Prim::Bool, self.equal(a, b)?)),
            Operator::Neq => {
                let same = self.equal(a, b)?;
                return Ok(Val::scalar(Prim::Bool, self.b.un(UnOp::Not, same)));
            }
            Operator::Lt => return compare(self, CmpOp::Lt),
            Operator::Le => return compare(self, CmpOp::Le),
            Operator::Gt => return compare(self, CmpOp::Gt),
            Operator::Ge => return compare(self, CmpOp::Ge),
            Operator::Add => BinOp::Add,
            Operator::Sub => BinOp::Sub,
            Operator::Mul => BinOp::Mul,
            Operator::Div => BinOp::Div,
            Operator::Mod => BinOp::Mod,
            Operator::Pow => BinOp::Pow,
            Operator::Quot => BinOp::Quot,
            Operator::Rem => BinOp::Rem,
            Operator::And | Operator::LogAnd => BinOp::And,
            Operator::Or | Operator::LogOr => BinOp::Or,
            Operator::Xor => BinOp::Xor,
            Operator::Shl => BinOp::Shl,
            Operator::Shr => BinOp::Shr,
        };
        let prim = a.ty.prim().unwrap_or(Prim::I32);
        let (x, y) = (a.leaves[0], b.leaves[0]);
        let zero = Operand::Const(Scalar::zero(prim));
        let certs = match bin {
            BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if prim.is_integer() => {
                let ok = match y {
                    Operand::Const(s) if s != Scalar::zero(prim) => Operand::bool(true),
                    _ => self.b.cmp(CmpOp::Ne, y, zero),
                };
                self.check(ok, vec![text("division by zero")])
            }
            BinOp::Pow if prim.is_signed() => {
                let ok = match y {
                    Operand::Const(s) if (s.bits() as i64) >= 0 => Operand::bool(true),
                    _ => self.b.cmp(CmpOp::Le, zero, y),
                };
                self.check(ok, vec![text("negative exponent")])
            }
            _ => Vec::new(),
        };
        let result = self.b.with_certs(&certs, |b| b.bin(bin, x, y));
        Ok(Val::scalar(prim, result))
    }

    fn prim_op(&mut self, op: PrimOp, from: Prim, to: Prim, args: Vec<Operand>) -> Operand {
        let math = |this: &mut Self, f: MathFn, prim: Prim, args: Vec<Operand>| this.b.math(f, prim, args);
        let f = match op {
            PrimOp::Convert => return self.b.conv(to, args[0]),
            PrimOp::Max => return self.b.bin(BinOp::Max, args[0], args[1]),
            PrimOp::Min => return self.b.bin(BinOp::Min, args[0], args[1]),
            PrimOp::Abs => return self.b.un(UnOp::Abs, args[0]),
            PrimOp::FromBits => return math(self, MathFn::FromBits, to, args),
            PrimOp::Popc => MathFn::Popc,
            PrimOp::Clz => MathFn::Clz,
            PrimOp::Ctz => MathFn::Ctz,
            PrimOp::MulHi => MathFn::MulHi,
            PrimOp::ToBits => MathFn::ToBits,
            PrimOp::Ceil => MathFn::Ceil,
            PrimOp::Floor => MathFn::Floor,
            PrimOp::Trunc => MathFn::Trunc,
            PrimOp::Round => MathFn::Round,
            PrimOp::Fma => MathFn::Fma,
            PrimOp::Sqrt => MathFn::Sqrt,
            PrimOp::Rsqrt => MathFn::Rsqrt,
            PrimOp::Cbrt => MathFn::Cbrt,
            PrimOp::Hypot => MathFn::Hypot,
            PrimOp::Exp => MathFn::Exp,
            PrimOp::Log => MathFn::Log,
            PrimOp::Log2 => MathFn::Log2,
            PrimOp::Log10 => MathFn::Log10,
            PrimOp::Log1p => MathFn::Log1p,
            PrimOp::Sin => MathFn::Sin,
            PrimOp::Cos => MathFn::Cos,
            PrimOp::Tan => MathFn::Tan,
            PrimOp::Asin => MathFn::Asin,
            PrimOp::Acos => MathFn::Acos,
            PrimOp::Atan => MathFn::Atan,
            PrimOp::Atan2 => MathFn::Atan2,
            PrimOp::Sinh => MathFn::Sinh,
            PrimOp::Cosh => MathFn::Cosh,
            PrimOp::Tanh => MathFn::Tanh,
            PrimOp::Asinh => MathFn::Asinh,
            PrimOp::Acosh => MathFn::Acosh,
            PrimOp::Atanh => MathFn::Atanh,
            PrimOp::Gamma => MathFn::Gamma,
            PrimOp::Lgamma => MathFn::Lgamma,
            PrimOp::Erf => MathFn::Erf,
            PrimOp::Erfc => MathFn::Erfc,
            PrimOp::Copysign => MathFn::Copysign,
            PrimOp::Ldexp => MathFn::Ldexp,
        };
        math(self, f, from, args)
    }

    /// Whether two values are equal in all their parts.
    pub fn equal(&mut self, a: &Val, b: &Val) -> Result<Operand> {
        match &a.ty {
            Ty::Prim(_) => Ok(self.b.cmp(CmpOp::Eq, a.leaves[0], b.leaves[0])),
            Ty::Record(fields) => {
                let mut all = Operand::bool(true);
                for (name, _) in fields {
                    let same = self.equal(&a.field(*name), &b.field(*name))?;
                    all = self.and(all, same);
                }
                Ok(all)
            }
            Ty::Sum(constrs) => {
                // The payload counts only for the constructor that is there.
                let tags = self.b.cmp(CmpOp::Eq, a.leaves[0], b.leaves[0]);
                let mut all = tags;
                for (i, (name, payload)) in constrs.iter().enumerate() {
                    if payload.is_empty() {
                        continue;
                    }
                    let tag = Operand::Const(Scalar::U8(u8::try_from(i).unwrap_or(0)));
                    let other = self.b.cmp(CmpOp::Ne, a.leaves[0], tag);
                    let mut same = Operand::bool(true);
                    for (x, y) in a.payload(*name).iter().zip(&b.payload(*name)) {
                        let part = self.equal(x, y)?;
                        same = self.and(same, part);
                    }
                    let ok = self.b.bin(BinOp::Or, other, same);
                    all = self.and(all, ok);
                }
                Ok(all)
            }
            Ty::Array(_, elem) => self.equal_arrays(a, b, elem),
            Ty::Arrow(..) | Ty::Acc(_) => Err(self.bug("functions are compared")),
        }
    }

    fn equal_arrays(&mut self, a: &Val, b: &Val, elem: &Ty) -> Result<Operand> {
        let Some(first) = a.leaves.first() else { return Ok(Operand::bool(true)) };
        let width = self.b.type_of(*first).dims()[0];
        let mut arrays = Vec::new();
        for (x, y) in a.leaves.iter().zip(&b.leaves) {
            let shape = self.b.type_of(*x).dims().to_vec();
            let y = self.fit(*y, &shape, "operand of `==`");
            arrays.push((*x, y));
        }
        let names: Vec<kenaz_ir::Name> =
            arrays.iter().map(|p| p.0).chain(arrays.iter().map(|p| p.1)).filter_map(Operand::name).collect();
        let rows: Vec<kenaz_ir::Type> = names.iter().map(|n| self.b.type_of(*n).row(1)).collect();
        let params: Vec<kenaz_ir::Param> = rows.iter().map(|t| self.b.param("x", t.clone())).collect();
        let operands: Vec<Operand> = params.iter().map(|p| Operand::Var(p.name)).collect();
        let (xs, ys) = operands.split_at(operands.len() / 2);
        let unit = super::flat::count(elem) == 0;
        let x = Val { ty: elem.clone(), leaves: if unit { Vec::new() } else { xs.to_vec() } };
        let y = Val { ty: elem.clone(), leaves: if unit { Vec::new() } else { ys.to_vec() } };
        self.b.begin();
        let same = self.equal(&x, &y);
        let body = self.b.end(vec![same?]);
        let map = Lambda { params, body, ret: vec![kenaz_ir::Type::BOOL] };
        let and = self.b.lambda_over(&[kenaz_ir::Type::BOOL, kenaz_ir::Type::BOOL], |b, args| {
            vec![b.bin(BinOp::And, args[0], args[1])]
        });
        let reduce = kenaz_ir::Reduce { op: and, neutral: vec![Operand::bool(true)], commutative: true };
        let (scans, reduces) = (Vec::new(), vec![reduce]);
        let soac = kenaz_ir::Soac::Screma { width, arrays: names, map, scans, reduces, post: None };
        let name = self.b.let_exp("same", kenaz_ir::Exp::Soac(soac), kenaz_ir::Type::BOOL);
        Ok(Operand::Var(name))
    }
}
