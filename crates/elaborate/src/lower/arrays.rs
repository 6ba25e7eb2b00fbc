//! Array literals, indexing, slices, updates and ranges.

use super::flat::{self, Val};
use super::{Lower, Result, shape_parts, text};
use crate::core::{Exp, IndexDim, Ty};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, CmpOp, DimSlice, Exp as IrExp, MessagePart, Name, Operand, Scalar, Type};
use kenaz_syntax::ast::RangeKind;

/// An index or slice whose parts are computed.
enum Part {
    Fix(Operand),
    Slice { start: Option<Operand>, end: Option<Operand>, step: Option<Operand> },
}

/// An index or slice, ready to be applied to arrays.
struct Access {
    dims: Vec<DimSlice>,
    certs: Vec<Name>,
}

impl Lower<'_> {
    pub fn array_literal(&mut self, elems: &[Exp], ty: &Ty) -> Result<Val> {
        let Ty::Array(_, elem_ty) = ty else { return Err(self.bug("an array literal that is no array")) };
        let vals = elems.iter().map(|e| self.exp(e)).collect::<Result<Vec<_>>>()?;
        let shapes = flat::leaves(&Ty::array(crate::core::Dim::Any, (**elem_ty).clone()));
        let mut leaves = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            let n = i64::try_from(vals.len()).unwrap_or(i64::MAX);
            let Some(first) = vals.first() else {
                let dims: Vec<Operand> = std::iter::once(Operand::i64(0))
                    .chain(shape.dims[1..].iter().map(|d| self.dim(*d).unwrap_or(Operand::i64(0))))
                    .collect();
                let zero = Operand::Const(Scalar::zero(shape.prim()));
                leaves.push(Operand::Var(self.b.replicate(dims, zero)));
                continue;
            };
            // An array of nothing has only its size.
            let Some(first) = first.leaves.get(i).copied() else {
                leaves.push(Operand::Var(self.b.replicate(vec![Operand::i64(n)], Operand::bool(false))));
                continue;
            };
            let elem = self.b.type_of(first);
            let mut operands = vec![first];
            for val in &vals[1..] {
                let leaf = val.leaves[i];
                operands.push(self.fit(leaf, elem.dims(), "array element"));
            }
            leaves.push(Operand::Var(self.b.array(operands, elem)));
        }
        Ok(Val { ty: ty.erased(), leaves })
    }

    /// An integer as `i64`.
    pub fn to_i64(&mut self, x: Operand) -> Operand {
        match self.b.type_of(x) {
            Type::Prim(Prim::I64) => x,
            _ => self.b.conv(Prim::I64, x),
        }
    }

    pub fn index(&mut self, array: &Val, dims: &[IndexDim]) -> Result<Val> {
        let parts = self.parts(dims)?;
        let access = self.access(array, &parts)?;
        let mut ty = array.ty.clone();
        let mut kept = 0;
        for dim in dims {
            let Ty::Array(_, elem) = &ty else { break };
            kept += usize::from(matches!(dim, IndexDim::Slice { .. }));
            let next = (**elem).clone();
            ty = next;
        }
        for _ in 0..kept {
            ty = Ty::array(crate::core::Dim::Any, ty);
        }
        if flat::leaves(&ty).is_empty() {
            return Ok(Val { ty, leaves: Vec::new() });
        }
        let leaves = array.leaves.iter().map(|leaf| self.access_leaf(*leaf, &access)).collect();
        Ok(Val { ty, leaves })
    }

    fn access_leaf(&mut self, leaf: Operand, access: &Access) -> Operand {
        let Operand::Var(name) = leaf else { return leaf };
        let fixed: Option<Vec<Operand>> = access
            .dims
            .iter()
            .map(|d| match d {
                DimSlice::Fix(i) => Some(*i),
                DimSlice::Range { .. } => None,
            })
            .collect();
        let certs = access.certs.clone();
        match fixed {
            Some(indices) => self.b.with_certs(&certs, |b| b.index(name, indices)),
            None => {
                let dims = self.full_slice(name, &access.dims);
                Operand::Var(self.b.with_certs(&certs, |b| b.slice(name, dims)))
            }
        }
    }

    /// A slice for every dimension of the array.
    fn full_slice(&self, array: Name, dims: &[DimSlice]) -> Vec<DimSlice> {
        let ty = self.b.type_of(array);
        let rest = ty.dims()[dims.len()..].iter().map(|n| DimSlice::Range {
            start: Operand::i64(0),
            len: *n,
            stride: Operand::i64(1),
        });
        dims.iter().copied().chain(rest).collect()
    }

    /// Computes the parts of an index or slice.
    fn parts(&mut self, dims: &[IndexDim]) -> Result<Vec<Part>> {
        let opt = |this: &mut Self, e: &Option<Exp>| e.as_ref().map(|e| this.operand(e)).transpose();
        dims.iter()
            .map(|dim| {
                Ok(match dim {
                    IndexDim::Fix(e) => {
                        let x = self.operand(e)?;
                        Part::Fix(self.to_i64(x))
                    }
                    IndexDim::Slice { start, end, step } => {
                        Part::Slice { start: opt(self, start)?, end: opt(self, end)?, step: opt(self, step)? }
                    }
                })
            })
            .collect()
    }

    fn access(&mut self, array: &Val, dims: &[Part]) -> Result<Access> {
        let Some(first) = array.leaves.first() else { return Err(self.bug("an array without elements")) };
        let shape = self.b.type_of(*first).dims().to_vec();
        let mut out = Vec::new();
        let mut valid = Operand::bool(true);
        let mut parts = vec![text("Index [")];
        for (i, dim) in dims.iter().enumerate() {
            if i > 0 {
                parts.push(text(", "));
            }
            let n = shape.get(i).copied().unwrap_or(Operand::i64(0));
            let ok = match dim {
                Part::Fix(x) => {
                    let x = *x;
                    parts.push(MessagePart::Value(x));
                    out.push(DimSlice::Fix(x));
                    let low = self.b.cmp(CmpOp::Le, Operand::i64(0), x);
                    let high = self.b.cmp(CmpOp::Lt, x, n);
                    self.and(low, high)
                }
                Part::Slice { start, end, step } => {
                    let (slice, ok) = self.slice(n, *start, *end, *step, &mut parts);
                    out.push(slice);
                    ok
                }
            };
            valid = self.and(valid, ok);
        }
        parts.push(text("] out of bounds for array of shape "));
        parts.extend(shape_parts(&shape[..dims.len().min(shape.len())]));
        parts.push(text("."));
        let certs = self.check(valid, parts);
        Ok(Access { dims: out, certs })
    }

    /// One dimension of a slice, and whether it is in bounds.
    fn slice(
        &mut self,
        n: Operand,
        start: Option<Operand>,
        end: Option<Operand>,
        step: Option<Operand>,
        parts: &mut Vec<MessagePart>,
    ) -> (DimSlice, Operand) {
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let show = |parts: &mut Vec<MessagePart>, x: Option<Operand>| parts.extend(x.map(MessagePart::Value));
        show(parts, start);
        parts.push(text(":"));
        show(parts, end);
        if step.is_some() {
            parts.push(text(":"));
            show(parts, step);
        }
        if step.is_none() || step == Some(one) {
            let (start, end) = (start.unwrap_or(zero), end.unwrap_or(n));
            let len = if start == zero { end } else { self.b.bin(BinOp::Sub, end, start) };
            let mut ok = Operand::bool(true);
            if start != zero {
                let low = self.b.cmp(CmpOp::Le, zero, start);
                ok = self.and(ok, low);
            }
            let order = self.b.cmp(CmpOp::Le, start, end);
            ok = self.and(ok, order);
            if end != n {
                let high = self.b.cmp(CmpOp::Le, end, n);
                ok = self.and(ok, high);
            }
            return (DimSlice::Range { start, len, stride: one }, ok);
        }
        let step = step.unwrap_or(one);
        // What is left out depends on the direction.
        let forward = self.b.cmp(CmpOp::Lt, zero, step);
        let last = self.b.bin(BinOp::Sub, n, one);
        let start = match start {
            Some(start) => start,
            None => self.select(forward, zero, last),
        };
        let end = match end {
            Some(end) => end,
            None => self.select(forward, n, Operand::i64(-1)),
        };
        // The distance, and the number of steps to cover it.
        let up = self.b.bin(BinOp::Sub, end, start);
        let down = self.b.bin(BinOp::Sub, start, end);
        let distance = self.select(forward, up, down);
        let stride = self.b.un(kenaz_ir::UnOp::Abs, step);
        let nonzero = self.b.bin(BinOp::Max, stride, one);
        let rounded = self.b.bin(BinOp::Add, distance, nonzero);
        let rounded = self.b.bin(BinOp::Sub, rounded, one);
        let len = self.b.bin(BinOp::Div, rounded, nonzero);
        let len = self.b.bin(BinOp::Max, len, zero);
        // Valid if the step is not zero, the direction right, and empty or with both ends inside.
        let has_step = self.b.cmp(CmpOp::Ne, step, zero);
        let direction = self.b.cmp(CmpOp::Le, zero, distance);
        let empty = self.b.cmp(CmpOp::Eq, len, zero);
        let steps = self.b.bin(BinOp::Sub, len, one);
        let offset = self.b.bin(BinOp::Mul, steps, step);
        let final_index = self.b.bin(BinOp::Add, start, offset);
        let start_low = self.b.cmp(CmpOp::Le, zero, start);
        let start_high = self.b.cmp(CmpOp::Lt, start, n);
        let end_low = self.b.cmp(CmpOp::Le, zero, final_index);
        let end_high = self.b.cmp(CmpOp::Lt, final_index, n);
        let start_in = self.and(start_low, start_high);
        let end_in = self.and(end_low, end_high);
        let inside = self.and(start_in, end_in);
        // An empty slice may start just behind either end.
        let near_low = self.b.cmp(CmpOp::Le, Operand::i64(-1), start);
        let near_high = self.b.cmp(CmpOp::Le, start, n);
        let near = self.and(near_low, near_high);
        let empty = self.and(empty, near);
        let in_bounds = self.b.bin(BinOp::Or, empty, inside);
        let ok = self.and(has_step, direction);
        let ok = self.and(ok, in_bounds);
        (DimSlice::Range { start, len, stride: step }, ok)
    }

    /// `if c then a else b` for integers.
    pub fn select(&mut self, c: Operand, a: Operand, b: Operand) -> Operand {
        let ty = self.b.type_of(a);
        let yes = kenaz_ir::Body { stms: Vec::new(), results: vec![a] };
        let no = kenaz_ir::Body { stms: Vec::new(), results: vec![b] };
        Operand::Var(self.b.if_(c, yes, no, vec![ty])[0])
    }

    pub fn update(&mut self, array: &Exp, dims: &[IndexDim], value: &Exp) -> Result<Val> {
        // The index and the value may look at the array before it is consumed.
        let parts = self.parts(dims)?;
        let value = self.exp(value)?;
        let array = self.exp(array)?;
        let access = self.access(&array, &parts)?;
        let lens: Vec<Operand> = access
            .dims
            .iter()
            .filter_map(|d| match d {
                DimSlice::Fix(_) => None,
                DimSlice::Range { len, .. } => Some(*len),
            })
            .collect();
        let mut leaves = Vec::new();
        for (leaf, new) in array.leaves.iter().zip(&value.leaves) {
            let Operand::Var(name) = *leaf else { continue };
            let slice = self.full_slice(name, &access.dims);
            let row = self.b.type_of(name).row(access.dims.len());
            let shape: Vec<Operand> = lens.iter().copied().chain(row.dims().iter().copied()).collect();
            let new = self.fit(*new, &shape, "new value");
            let certs = access.certs.clone();
            leaves.push(Operand::Var(self.b.with_certs(&certs, |b| b.update(name, slice, new))));
        }
        if value.leaves.is_empty() {
            return Ok(array);
        }
        Ok(Val { ty: array.ty, leaves })
    }

    pub fn range(&mut self, first: &Exp, second: Option<&Exp>, kind: RangeKind, last: &Exp, ty: &Ty) -> Result<Val> {
        let prim = first.ty.prim().unwrap_or(Prim::I64);
        let start = self.operand(first)?;
        let second = second.map(|e| self.operand(e)).transpose()?;
        let end = self.operand(last)?;
        let mut parts = vec![text("Range "), MessagePart::Value(start)];
        if let Some(second) = second {
            parts.extend([text(".."), MessagePart::Value(second)]);
        }
        parts.push(text(match kind {
            RangeKind::Inclusive => "...",
            RangeKind::UpTo => "..<",
            RangeKind::DownTo => "..>",
        }));
        parts.extend([MessagePart::Value(end), text(" is invalid.")]);
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let (first64, last64) = (self.to_i64(start), self.to_i64(end));
        let step = match second {
            Some(second) => {
                let second = self.to_i64(second);
                self.b.bin(BinOp::Sub, second, first64)
            }
            None if kind == RangeKind::DownTo => Operand::i64(-1),
            None => one,
        };
        let distance = self.b.bin(BinOp::Sub, last64, first64);
        let ok = if kind == RangeKind::Inclusive && step == one {
            // One comparison for both: the ends in order, and no more elements than can be counted.
            let len = self.b.bin(BinOp::Add, distance, one);
            self.b.cmp(CmpOp::Le, one, len)
        } else {
            let upwards = self.b.cmp(CmpOp::Lt, zero, step);
            let downwards = self.b.cmp(CmpOp::Lt, step, zero);
            let not_below = self.b.cmp(CmpOp::Le, zero, distance);
            let not_above = self.b.cmp(CmpOp::Le, distance, zero);
            let up_ok = self.and(upwards, not_below);
            let down_ok = self.and(downwards, not_above);
            match kind {
                RangeKind::Inclusive => self.b.bin(BinOp::Or, up_ok, down_ok),
                RangeKind::UpTo => up_ok,
                RangeKind::DownTo => down_ok,
            }
        };
        let certs = self.check(ok, parts.clone());
        // The number of steps that fit, counting the first.
        let (distance, stride) = if step == one {
            (distance, one)
        } else {
            (self.b.un(kenaz_ir::UnOp::Abs, distance), self.b.un(kenaz_ir::UnOp::Abs, step))
        };
        let before = self.b.certs.len();
        self.b.certs.extend(&certs);
        let len = match (kind, stride == one) {
            (RangeKind::Inclusive, true) => self.b.bin(BinOp::Add, distance, one),
            (RangeKind::Inclusive, false) => {
                let steps = self.b.bin(BinOp::Quot, distance, stride);
                self.b.bin(BinOp::Add, steps, one)
            }
            (_, true) => distance,
            (_, false) => {
                let rounded = self.b.bin(BinOp::Add, distance, stride);
                let rounded = self.b.bin(BinOp::Sub, rounded, one);
                self.b.bin(BinOp::Quot, rounded, stride)
            }
        };
        if prim == Prim::I64 && step != one {
            let countable = self.b.cmp(CmpOp::Le, zero, len);
            let certs = self.check(countable, parts);
            self.b.certs.extend(certs);
        }
        // A range from zero to a size has that size.
        let len = if first64 == zero && step == one && kind == RangeKind::UpTo { last64 } else { len };
        let stride = if prim == Prim::I64 { step } else { self.b.conv(prim, step) };
        let exp = IrExp::Iota { len, start, stride, prim };
        let name = self.b.let_exp("range", exp, Type::Array(vec![len], prim));
        self.b.certs.truncate(before);
        Ok(Val { ty: ty.erased(), leaves: vec![Operand::Var(name)] })
    }
}
