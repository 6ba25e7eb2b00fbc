//! Expressions without bodies.

use super::{Code, Compiler, Context, Var};
use crate::array::Cell;
use crate::code::{ArrayOp, DimCode, Inst, MessageCode, Place, Reg, Slot, TextPart};
use crate::error::Kind;
use kenaz_ir::{DimSlice, Exp, Message, MessagePart, Name, Operand, Scalar};

impl Compiler {
    pub(super) fn exp(&mut self, exp: &Exp, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let mut code = Code::default();
        match exp {
            Exp::Operand(x) | Exp::Opaque(x) => {
                let d = self.bound(cx, 0);
                code = self.moves(&[(d, *x)], cx.live, &mut cx.taken, loc);
            }
            // It changes nothing but the way.
            Exp::Tunable(tunable) => {
                let d = self.bound(cx, 0);
                let value = Operand::Const(Scalar::I64(tunable.default));
                code = self.moves(&[(d, value)], cx.live, &mut cx.taken, loc);
            }
            Exp::Un(op, x) => {
                let d = self.bound_reg(cx);
                code.push(self.unary(*op, d, *x), loc);
            }
            Exp::Bin(op, x, y) => {
                let d = self.bound_reg(cx);
                code.push(self.binary(*op, d, *x, *y), loc);
            }
            Exp::Cmp(op, x, y) => {
                let d = self.bound_reg(cx);
                code.push(self.comparison(*op, d, *x, *y), loc);
            }
            Exp::Conv(to, x) => {
                let d = self.bound_reg(cx);
                code.push(self.conversion(*to, d, *x), loc);
            }
            Exp::Math(f, prim, xs) => {
                let d = self.bound_reg(cx);
                self.mathematical(*f, *prim, d, xs, &mut code, loc);
            }
            Exp::Assert(condition, message) => {
                let a = self.scalar(*condition);
                let message = self.text(message);
                let message = self.message(message);
                code.push(Inst::Assert { a, message }, loc);
            }
            Exp::Index(name, indices) => {
                let indices = self.scalars(indices);
                let d = self.bound(cx, 0);
                code.push(self.index(d, *name, &indices), loc);
            }
            Exp::Slice(name, dims) => {
                let dims = self.dims(dims);
                let inst = match (self.bound(cx, 0), fixed(&dims)) {
                    (d @ Place::Reg(_), Some(indices)) => self.index(d, *name, &indices),
                    (Place::Slot(d), _) => {
                        let a = self.array(*name).0;
                        self.op(ArrayOp::Slice { d, a, dims })
                    }
                    (Place::Reg(_) | Place::Nowhere, _) => panic!("a slice that is not an array"),
                };
                code.push(inst, loc);
            }
            Exp::Update(name, dims, value) => {
                let dims = self.dims(dims);
                let value = self.operand(*value);
                let (a, cell) = self.updated(*name, value, &mut code, cx);
                let inst = match (value, fixed(&dims)) {
                    (Place::Reg(x), Some(indices)) => self.store(cell, a, &indices, x),
                    (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => {
                        self.op(ArrayOp::Update { a, dims, value, cell })
                    }
                };
                code.push(inst, loc);
            }
            Exp::Array(elements, ty) => {
                let d = self.bound_slot(cx);
                let elements: Vec<Place> = elements.iter().map(|x| self.operand(*x)).collect();
                let row = self.scalars(ty.dims());
                let cell = Cell::of(ty.prim().expect("elements have a primitive type"));
                code.push(self.op(ArrayOp::Literal { d, elements, row, cell }), loc);
            }
            Exp::Iota { len, start, stride, prim } => {
                let d = self.bound_slot(cx);
                let (len, start, stride) = (self.scalar(*len), self.scalar(*start), self.scalar(*stride));
                code.push(self.op(ArrayOp::Iota { d, len, start, stride, prim: *prim }), loc);
            }
            Exp::Replicate(dims, x) => {
                let d = self.bound_slot(cx);
                let (dims, value) = (self.scalars(dims), self.operand(*x));
                let cell = Cell::of(self.prim(*x));
                code.push(self.op(ArrayOp::Replicate { d, dims, value, cell }), loc);
            }
            Exp::Scratch(dims, prim) if dims.is_empty() => {
                let d = self.bound(cx, 0);
                let zero = Operand::Const(Scalar::zero(*prim));
                code = self.moves(&[(d, zero)], cx.live, &mut cx.taken, loc);
            }
            Exp::Scratch(dims, prim) => {
                let d = self.bound_slot(cx);
                let dims = self.scalars(dims);
                code.push(self.op(ArrayOp::Scratch { d, dims, cell: Cell::of(*prim) }), loc);
            }
            Exp::Concat(_, names) => {
                let d = self.bound_slot(cx);
                let arrays: Vec<Slot> = names.iter().map(|name| self.array(*name).0).collect();
                let cell = Cell::of(self.array(names[0]).1);
                code.push(self.op(ArrayOp::Concat { d, arrays, cell }), loc);
            }
            Exp::Rearrange(perm, name) => {
                let (d, a) = (self.bound_slot(cx), self.array(*name).0);
                code.push(self.op(ArrayOp::Rearrange { d, a, perm: perm.clone() }), loc);
            }
            Exp::Reshape(dims, name) => {
                let d = self.bound_slot(cx);
                let ((a, prim), dims) = (self.array(*name), self.scalars(dims));
                code.push(self.op(ArrayOp::Reshape { d, a, dims, cell: Cell::of(prim) }), loc);
            }
            // The dimensions are the old ones, so this is another name for the array.
            Exp::Resize(_, name) => {
                let d = self.bound(cx, 0);
                code = self.moves(&[(d, Operand::Var(*name))], cx.live, &mut cx.taken, loc);
            }
            Exp::Copy(name) => {
                let (d, (a, prim)) = (self.bound_slot(cx), self.array(*name));
                code.push(self.op(ArrayOp::Copy { d, a, cell: Cell::of(prim) }), loc);
            }
            Exp::FlatIndex(name, offset, dims) => {
                let (d, a) = (self.bound_slot(cx), self.array(*name).0);
                let offset = self.scalar(*offset);
                let dims = dims.iter().map(|(n, s)| (self.scalar(*n), self.scalar(*s))).collect();
                code.push(self.op(ArrayOp::Flat { d, a, offset, dims }), loc);
            }
            Exp::FlatUpdate(name, offset, strides, value) => {
                let (offset, strides) = (self.scalar(*offset), self.scalars(strides));
                let value = self.array(*value).0;
                let (a, cell) = self.updated(*name, Place::Slot(value), &mut code, cx);
                code.push(self.op(ArrayOp::FlatUpdate { a, offset, strides, value, cell }), loc);
            }
            Exp::If(condition, yes, no) => code = self.conditional(*condition, yes, no, cx),
            Exp::Match(x, cases, default) => code = self.choice(*x, cases, default, cx),
            Exp::Loop { params, form, body } => code = self.iteration(params, form, body, cx),
            Exp::Call(f, args) => code = self.call(*f, args, cx),
            Exp::Soac(soac) => code = self.soac(soac, cx),
            Exp::Par(par) => code = self.par(par, cx),
            // Memory is run by heap.
            Exp::Mem(_) | Exp::Jvp(..) | Exp::Vjp(..) => code.push(Inst::Limitation, loc),
            Exp::Trace(tag, x) => {
                let (value, prim) = (self.operand(*x), self.prim(*x));
                code.push(self.op(ArrayOp::Trace { tag: tag.to_string(), value, prim }), loc);
                let d = self.bound(cx, 0);
                code.append(self.moves(&[(d, *x)], cx.live, &mut cx.taken, loc));
            }
        }
        code
    }

    /// The place of a name that the statement binds.
    pub(super) fn bound(&self, cx: &Context, i: usize) -> Place {
        self.place(cx.pat[i].name)
    }

    pub(super) fn bound_reg(&self, cx: &Context) -> Reg {
        match self.bound(cx, 0) {
            Place::Reg(reg) => reg,
            Place::Slot(_) | Place::Nowhere => panic!("`{}` is not a scalar", cx.pat[0].name),
        }
    }

    fn bound_slot(&self, cx: &Context) -> Slot {
        match self.bound(cx, 0) {
            Place::Slot(slot) => slot,
            Place::Reg(_) | Place::Nowhere => panic!("`{}` is not an array", cx.pat[0].name),
        }
    }

    /// Moves an array that is consumed to the place of the result, unless it is also the value to write.
    fn updated(&mut self, name: Name, value: Place, code: &mut Code, cx: &mut Context) -> (Slot, Cell) {
        let (a, prim) = self.array(name);
        let d = self.bound_slot(cx);
        code.push(
            if value != Place::Slot(a) && cx.take(a) { Inst::Take { d, a } } else { Inst::Alias { d, a } },
            cx.loc,
        );
        (d, Cell::of(prim))
    }

    /// An element, or a row.
    pub(super) fn index(&mut self, d: Place, name: Name, indices: &[Reg]) -> Inst {
        let (a, prim) = self.array(name);
        match (d, indices) {
            (Place::Reg(d), _) => self.load(Cell::of(prim), d, a, indices),
            (Place::Slot(d), [i]) => Inst::Row { d, a, i: *i },
            (Place::Slot(d), _) => self.op(ArrayOp::Rows { d, a, indices: indices.to_vec() }),
            (Place::Nowhere, _) => panic!("an index into an accumulator"),
        }
    }

    pub(super) fn load(&mut self, cell: Cell, d: Reg, a: Slot, indices: &[Reg]) -> Inst {
        match indices {
            [i] => Inst::Load { cell, d, a, i: *i },
            _ => Inst::LoadMany { cell, n: rank(indices), d, a, at: self.pooled(indices) },
        }
    }

    pub(super) fn store(&mut self, cell: Cell, a: Slot, indices: &[Reg], x: Reg) -> Inst {
        match indices {
            [i] => Inst::Store { cell, a, i: *i, x },
            _ => Inst::StoreMany { cell, n: rank(indices), a, at: self.pooled(indices), x },
        }
    }

    fn dims(&mut self, dims: &[DimSlice]) -> Vec<DimCode> {
        dims.iter()
            .map(|dim| match *dim {
                DimSlice::Fix(i) => DimCode::Fix(self.scalar(i)),
                DimSlice::Range { start, len, stride } => {
                    DimCode::Range { start: self.scalar(start), len: self.scalar(len), stride: self.scalar(stride) }
                }
            })
            .collect()
    }

    fn text(&mut self, message: &Message) -> MessageCode {
        let parts: Vec<TextPart> = message
            .parts
            .iter()
            .map(|part| match part {
                MessagePart::Text(text) => TextPart::Text(text.clone()),
                MessagePart::Value(x) => TextPart::Value(self.scalar(*x), self.prim(*x)),
            })
            .collect();
        MessageCode { parts, kind: Kind::of(message) }
    }

    /// The token of an accumulator.
    pub(super) fn token(&self, name: Name) -> Reg {
        match self.var(name) {
            Var::Acc { token } => match self.place(token) {
                Place::Reg(reg) => reg,
                Place::Slot(_) | Place::Nowhere => panic!("the token `{token}` is not one"),
            },
            Var::Scalar(..) | Var::Array(..) | Var::Cert(_) => panic!("`{name}` is not an accumulator"),
        }
    }
}

fn fixed(dims: &[DimCode]) -> Option<Vec<Reg>> {
    dims.iter()
        .map(|dim| match dim {
            DimCode::Fix(i) => Some(*i),
            DimCode::Range { .. } => None,
        })
        .collect()
}

fn rank(indices: &[Reg]) -> u8 {
    u8::try_from(indices.len()).expect("fewer than 256 dimensions")
}
