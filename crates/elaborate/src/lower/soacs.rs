//! Polymorphic intrinsics: second-order operators, views, accumulators.

use super::flat::{self, Val};
use super::{Lower, Result, shape_parts, text};
use crate::core::{Dim, Exp, Kind, Lam, Ty};
use kenaz_base::Prim;
use kenaz_ir::{
    AccInput, BinOp, Body, CmpOp, Exp as IrExp, HistOp, Lambda, LoopForm, MathFn, MessagePart, Name, Operand, Param,
    Reduce, Scan, ScatterDest, Soac, Type,
};
use kenaz_sema::intrinsics::PolyOp;
use std::sync::Arc;

/// What a reduction or scan works on.
struct Operands {
    xs: Val,
    arrays: Vec<Name>,
    width: Operand,
    /// The types of the rows.
    rows: Vec<Type>,
    /// The neutral element, with the shape of a row.
    neutral: Vec<Operand>,
}

impl Lower<'_> {
    pub fn poly(&mut self, op: PolyOp, args: &[Exp], ty: &Ty) -> Result<Val> {
        match (op, args) {
            (PolyOp::Map, [f, xs]) => self.map(f, xs, ty),
            (PolyOp::Zip, [xs, ys]) => {
                let (xs, ys) = (self.exp(xs)?, self.exp(ys)?);
                self.zip(&xs, &ys)
            }
            (PolyOp::Reduce | PolyOp::ReduceComm, [f, ne, xs]) => self.reduce(f, ne, xs, op == PolyOp::ReduceComm, ty),
            (PolyOp::Scan, [f, ne, xs]) => self.scan(f, ne, xs, ty),
            (PolyOp::Filter, [f, xs]) => self.filter(f, xs),
            (PolyOp::Scatter, [dest, is, vs]) => self.scatter(dest, is, vs),
            (PolyOp::ReduceByIndex, [dest, f, ne, is, vs]) => self.hist(dest, f, ne, is, vs),
            (PolyOp::Replicate, [n, x]) => {
                let n = self.operand(n)?;
                let x = self.exp(x)?;
                self.replicate(n, &x)
            }
            (PolyOp::Concat, [xs, ys]) => {
                let (xs, ys) = (self.exp(xs)?, self.exp(ys)?);
                Ok(self.concat(&xs, &ys))
            }
            (PolyOp::Flatten, [xs]) => {
                let xs = self.exp(xs)?;
                Ok(self.flatten(&xs))
            }
            (PolyOp::Unflatten, [n, m, xs]) => {
                let (n, m) = (self.operand(n)?, self.operand(m)?);
                let xs = self.exp(xs)?;
                Ok(self.unflatten(n, m, &xs))
            }
            (PolyOp::Transpose, [xs]) => {
                let xs = self.exp(xs)?;
                Ok(self.transpose(&xs))
            }
            (PolyOp::Copy | PolyOp::Manifest, [x]) => {
                let x = self.exp(x)?;
                let leaves = x
                    .leaves
                    .iter()
                    .map(|leaf| match (leaf, self.b.type_of(*leaf)) {
                        (Operand::Var(name), Type::Array(..)) => Operand::Var(self.b.copy(*name)),
                        _ => *leaf,
                    })
                    .collect();
                Ok(Val { ty: x.ty, leaves })
            }
            (PolyOp::Jvp2 | PolyOp::Vjp2, [f, at, direction]) => {
                self.derivative(op == PolyOp::Vjp2, f, at, direction, ty)
            }
            (PolyOp::ScatterStream, [dest, f, xs]) => self.stream(dest, None, f, xs),
            (PolyOp::HistStream, [dest, op, ne, f, xs]) => self.stream(dest, Some((op, ne)), f, xs),
            (PolyOp::AccWrite, [acc, i, v]) => self.acc_write(acc, i, v),
            (PolyOp::FlatIndex2d | PolyOp::FlatIndex3d | PolyOp::FlatIndex4d, [xs, rest @ ..]) => {
                self.flat_index(xs, rest)
            }
            (PolyOp::FlatUpdate2d | PolyOp::FlatUpdate3d | PolyOp::FlatUpdate4d, [xs, rest @ ..]) => {
                self.flat_update(xs, rest)
            }
            _ => Err(self.bug("an intrinsic with the wrong number of arguments")),
        }
    }

    fn function<'e>(&self, f: &'e Exp) -> Result<&'e Arc<Lam>> {
        match &f.kind {
            Kind::Lam(lam) => Ok(lam),
            _ => Err(self.bug("an operator without its function")),
        }
    }

    /// The arrays of a value, and their outer size.
    fn arrays(&self, val: &Val) -> Result<(Vec<Name>, Operand)> {
        let names: Vec<Name> = val.leaves.iter().filter_map(|l| l.name()).collect();
        match names.first() {
            Some(first) if names.len() == val.leaves.len() => Ok((names.clone(), self.b.type_of(*first).dims()[0])),
            _ => Err(self.bug("an array that is not one")),
        }
    }

    fn elem(ty: &Ty) -> Ty {
        ty.elem().cloned().unwrap_or_else(Ty::unit)
    }

    /// Parameters for the rows of arrays, and their value.
    fn row_params(&mut self, arrays: &[Name], ty: &Ty) -> (Vec<Param>, Val) {
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of(*a).row(1)).collect();
        let params: Vec<Param> = rows.into_iter().map(|t| self.b.param("x", t)).collect();
        let leaves =
            if flat::count(ty) == 0 { Vec::new() } else { params.iter().map(|p| Operand::Var(p.name)).collect() };
        (params, Val { ty: ty.clone(), leaves })
    }

    /// A function of these parameters whose results have the shapes given by the types and hints.
    fn lambda(
        &mut self,
        lam: &Lam,
        params: Vec<Param>,
        args: Vec<Val>,
        shapes: &[Option<Vec<Operand>>],
    ) -> Result<(Lambda, Ty)> {
        for ((name, _), val) in lam.params.iter().zip(args) {
            self.env.insert(*name, val);
        }
        let outside = self.b.fresh.next_id();
        self.b.begin();
        let attrs = std::mem::take(&mut self.b.attrs);
        let result = self.exp(&lam.body);
        let result = result.and_then(|val| {
            let mut leaves = Vec::new();
            for (i, leaf) in val.leaves.iter().enumerate() {
                leaves.push(match shapes.get(i) {
                    Some(Some(dims)) => self.fit(*leaf, dims, "result"),
                    _ => {
                        let local = |d: &Operand| matches!(d, Operand::Var(n) if n.id >= outside);
                        if self.b.type_of(*leaf).dims().iter().any(local) {
                            return Err(self.bug("a function whose result has a size that is not known outside"));
                        }
                        *leaf
                    }
                });
            }
            Ok(Val { ty: val.ty, leaves })
        });
        self.b.attrs = attrs;
        let operands = result.as_ref().map(|v| v.leaves.clone()).unwrap_or_default();
        let body = self.b.end(operands);
        let val = result?;
        let ret = val.leaves.iter().map(|l| self.b.type_of(*l)).collect();
        Ok((Lambda { params, body, ret }, val.ty))
    }

    /// What is known about the shapes of the elements of an array of this type.
    fn elem_shapes(&self, ty: &Ty) -> Vec<Option<Vec<Operand>>> {
        flat::leaves(&Self::elem(ty))
            .iter()
            .map(|leaf| leaf.dims.iter().map(|d| self.dim(*d)).collect::<Option<Vec<_>>>())
            .collect()
    }

    fn map(&mut self, f: &Exp, xs: &Exp, ty: &Ty) -> Result<Val> {
        let lam = self.function(f)?.clone();
        let xs = self.exp(xs)?;
        let (arrays, width) = self.arrays(&xs)?;
        let (params, arg) = self.row_params(&arrays, &Self::elem(&xs.ty));
        let shapes = self.elem_shapes(ty);
        let (map, ret) = self.lambda(&lam, params, vec![arg], &shapes)?;
        let ty = Ty::array(Dim::Any, ret);
        if map.ret.is_empty() {
            // Nothing is computed; only the size stays.
            let unit = self.b.replicate(vec![width], Operand::bool(false));
            return Ok(Val { ty, leaves: vec![Operand::Var(unit)] });
        }
        let names = self.b.map(width, arrays, map);
        Ok(Val { ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn zip(&mut self, xs: &Val, ys: &Val) -> Result<Val> {
        let (x, y) = (Self::elem(&xs.ty), Self::elem(&ys.ty));
        let (_, width) = self.arrays(xs)?;
        let mut leaves = Vec::new();
        if flat::count(&x) > 0 {
            leaves.extend(&xs.leaves);
        }
        if flat::count(&y) > 0 {
            for leaf in &ys.leaves {
                let mut dims = self.b.type_of(*leaf).dims().to_vec();
                dims[0] = width;
                leaves.push(self.fit(*leaf, &dims, "array"));
            }
        }
        if leaves.is_empty() {
            leaves.extend(xs.leaves.first());
        }
        let pair = Ty::Record(vec![(kenaz_base::Symbol::field(0), x), (kenaz_base::Symbol::field(1), y)]);
        Ok(Val { ty: Ty::array(Dim::Any, pair), leaves })
    }

    /// The operator of a reduction or scan over rows of these types.
    fn combine(&mut self, f: &Exp, rows: &[Type], elem: &Ty) -> Result<Lambda> {
        let lam = self.function(f)?.clone();
        let params: Vec<Param> = rows.iter().chain(rows).map(|t| self.b.param("x", t.clone())).collect();
        let operands: Vec<Operand> = params.iter().map(|p| Operand::Var(p.name)).collect();
        let (a, b) = operands.split_at(rows.len());
        let side = |leaves: &[Operand]| Val { ty: elem.clone(), leaves: leaves.to_vec() };
        let shapes: Vec<Option<Vec<Operand>>> = rows.iter().map(|t| Some(t.dims().to_vec())).collect();
        Ok(self.lambda(&lam, params, vec![side(a), side(b)], &shapes)?.0)
    }

    /// The arrays, their rows, and the neutral element with the shape of a row.
    fn operands(&mut self, ne: &Exp, xs: &Exp) -> Result<Operands> {
        let ne = self.exp(ne)?;
        let xs = self.exp(xs)?;
        let (arrays, width) = self.arrays(&xs)?;
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of(*a).row(1)).collect();
        let neutral =
            ne.leaves.iter().zip(&rows).map(|(leaf, row)| self.fit(*leaf, row.dims(), "neutral element")).collect();
        Ok(Operands { xs, arrays, width, rows, neutral })
    }

    fn reduce(&mut self, f: &Exp, ne: &Exp, xs: &Exp, commutative: bool, ty: &Ty) -> Result<Val> {
        let Operands { xs, arrays, width, rows, neutral } = self.operands(ne, xs)?;
        let elem = Self::elem(&xs.ty);
        if flat::count(&elem) == 0 {
            return Ok(Val { ty: ty.erased(), leaves: Vec::new() });
        }
        let op = self.combine(f, &rows, &elem)?;
        let map = self.b.identity(&rows);
        let reduces = vec![Reduce { op, neutral, commutative }];
        let soac = Soac::Screma { width, arrays, map, scans: Vec::new(), reduces, post: None };
        let names = self.b.let_types("r", IrExp::Soac(soac), rows);
        Ok(Val { ty: elem, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn scan(&mut self, f: &Exp, ne: &Exp, xs: &Exp, ty: &Ty) -> Result<Val> {
        let Operands { xs, arrays, width, rows, neutral } = self.operands(ne, xs)?;
        let elem = Self::elem(&xs.ty);
        if flat::count(&elem) == 0 {
            return Ok(Val { ty: ty.erased(), leaves: xs.leaves });
        }
        let op = self.combine(f, &rows, &elem)?;
        let map = self.b.identity(&rows);
        let scans = vec![Scan { op, neutral }];
        let types = rows.iter().map(|t| t.array_of(width)).collect();
        let soac = Soac::Screma { width, arrays, map, scans, reduces: Vec::new(), post: None };
        let names = self.b.let_types("s", IrExp::Soac(soac), types);
        Ok(Val { ty: xs.ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn filter(&mut self, f: &Exp, xs: &Exp) -> Result<Val> {
        let lam = self.function(f)?.clone();
        let xs = self.exp(xs)?;
        let (arrays, width) = self.arrays(&xs)?;
        let (params, arg) = self.row_params(&arrays, &Self::elem(&xs.ty));
        let (pred, _) = self.lambda(&lam, params, vec![arg], &[])?;
        let (_, names) = self.b.filter(width, arrays, pred);
        Ok(Val { ty: xs.ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    /// Indices, values with as many rows, and a function that yields both for each of `n` destinations.
    fn writes(&mut self, is: &Exp, vs: &Exp, dests: &[Name]) -> Result<(Operand, Vec<Name>, Lambda)> {
        let is = self.exp(is)?;
        let vs = self.exp(vs)?;
        let (mut arrays, width) = self.arrays(&is)?;
        for (leaf, dest) in vs.leaves.iter().zip(dests) {
            let row = self.b.type_of(*dest).row(1);
            let dims: Vec<Operand> = std::iter::once(width).chain(row.dims().iter().copied()).collect();
            let fitted = self.fit(*leaf, &dims, "array");
            arrays.extend(fitted.name());
        }
        let rows: Vec<Type> = arrays.iter().map(|a| self.b.type_of(*a).row(1)).collect();
        let map = self.b.lambda_over(&rows, |_, args| {
            let index = args[0];
            std::iter::repeat_n(index, dests.len()).chain(args[1..].iter().copied()).collect()
        });
        Ok((width, arrays, map))
    }

    fn scatter(&mut self, dest: &Exp, is: &Exp, vs: &Exp) -> Result<Val> {
        let dest = self.exp(dest)?;
        let (dests, _) = self.arrays(&dest)?;
        let (width, arrays, map) = self.writes(is, vs, &dests)?;
        let types: Vec<Type> = dests.iter().map(|d| self.b.type_of(*d)).collect();
        let dests = dests.into_iter().map(|array| ScatterDest { array, rank: 1 }).collect();
        let soac = Soac::Scatter { width, arrays, map, dests };
        let names = self.b.let_types("s", IrExp::Soac(soac), types);
        Ok(Val { ty: dest.ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn hist(&mut self, dest: &Exp, f: &Exp, ne: &Exp, is: &Exp, vs: &Exp) -> Result<Val> {
        let dest = self.exp(dest)?;
        let (dests, _) = self.arrays(&dest)?;
        let ne = self.exp(ne)?;
        let is = self.exp(is)?;
        let vs = self.exp(vs)?;
        let (mut arrays, width) = self.arrays(&is)?;
        let rows: Vec<Type> = dests.iter().map(|d| self.b.type_of(*d).row(1)).collect();
        let neutral: Vec<Operand> =
            ne.leaves.iter().zip(&rows).map(|(l, row)| self.fit(*l, row.dims(), "neutral element")).collect();
        for (leaf, row) in vs.leaves.iter().zip(&rows) {
            let dims: Vec<Operand> = std::iter::once(width).chain(row.dims().iter().copied()).collect();
            arrays.extend(self.fit(*leaf, &dims, "array").name());
        }
        if neutral.is_empty() {
            return Ok(dest);
        }
        let op = self.combine(f, &rows, &Self::elem(&dest.ty))?;
        let types: Vec<Type> = arrays.iter().map(|a| self.b.type_of(*a).row(1)).collect();
        let map = self.b.identity(&types);
        let out: Vec<Type> = dests.iter().map(|d| self.b.type_of(*d)).collect();
        let soac = Soac::Hist { width, arrays, map, ops: vec![HistOp { dests, rank: 1, op, neutral }] };
        let names = self.b.let_types("h", IrExp::Soac(soac), out);
        Ok(Val { ty: dest.ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn replicate(&mut self, n: Operand, x: &Val) -> Result<Val> {
        let certs = match n {
            Operand::Const(kenaz_ir::Scalar::I64(n)) if n >= 0 => Vec::new(),
            _ => {
                let ok = self.b.cmp(CmpOp::Le, Operand::i64(0), n);
                self.check(ok, vec![text("A value cannot be replicated "), MessagePart::Value(n), text(" times.")])
            }
        };
        let leaves = if x.leaves.is_empty() { vec![Operand::bool(false)] } else { x.leaves.clone() };
        let leaves =
            leaves.iter().map(|l| Operand::Var(self.b.with_certs(&certs, |b| b.replicate(vec![n], *l)))).collect();
        Ok(Val { ty: Ty::array(Dim::Any, x.ty.clone()), leaves })
    }

    fn concat(&mut self, xs: &Val, ys: &Val) -> Val {
        let (Some(first), Some(second)) = (xs.leaves.first(), ys.leaves.first()) else { return xs.clone() };
        let (n, m) = (self.b.type_of(*first).dims()[0], self.b.type_of(*second).dims()[0]);
        let total = self.b.bin(BinOp::Add, n, m);
        let certs = if known(n).zip(known(m)).is_some_and(|(n, m)| n.checked_add(m).is_some()) {
            Vec::new()
        } else {
            // Sizes are not negative, so that a sum is too large just where it is less than one of them.
            let ok = self.b.cmp(CmpOp::Le, n, total);
            let parts = vec![text("Cannot concatenate arrays of sizes "), MessagePart::Value(n), text(" and ")];
            self.check(ok, parts.into_iter().chain([MessagePart::Value(m), text(": too many elements.")]).collect())
        };
        let mut leaves = Vec::new();
        for (x, y) in xs.leaves.iter().zip(&ys.leaves) {
            let ty = self.b.type_of(*x);
            let mut dims = ty.dims().to_vec();
            dims[0] = m;
            let y = self.fit(*y, &dims, "array");
            dims[0] = total;
            let names = [*x, y].iter().filter_map(|l| l.name()).collect();
            let ty = Type::Array(dims, ty.prim().unwrap_or(Prim::Bool));
            let name = self.b.with_certs(&certs, |b| b.let_exp("c", IrExp::Concat(total, names), ty));
            leaves.push(Operand::Var(name));
        }
        Val { ty: xs.ty.erased(), leaves }
    }

    fn reshape(&mut self, leaf: Operand, dims: Vec<Operand>) -> Operand {
        let (Operand::Var(name), Type::Array(_, prim)) = (leaf, self.b.type_of(leaf)) else { return leaf };
        let ty = Type::Array(dims.clone(), prim);
        Operand::Var(self.b.let_exp("v", IrExp::Reshape(dims, name), ty))
    }

    fn flatten(&mut self, xs: &Val) -> Val {
        let Some(first) = xs.leaves.first() else { return xs.clone() };
        let dims = self.b.type_of(*first).dims().to_vec();
        let (n, m) = (dims[0], dims[1]);
        let total = self.b.bin(BinOp::Mul, n, m);
        let fits = self.product_fits(n, m, total);
        let mut parts = vec![text("Cannot flatten array of shape ")];
        parts.extend(shape_parts(&[n, m]));
        parts.push(text(": too many elements."));
        let certs = self.check(fits, parts);
        let before = self.b.certs.len();
        self.b.certs.extend(&certs);
        let mut leaves = Vec::new();
        for leaf in &xs.leaves {
            let dims = self.b.type_of(*leaf).dims().to_vec();
            let shape = std::iter::once(total).chain(dims[2..].iter().copied()).collect();
            leaves.push(self.reshape(*leaf, shape));
        }
        self.b.certs.truncate(before);
        Val { ty: Self::elem(&xs.ty), leaves }
    }

    /// Whether the product of two sizes is a number at all: one too large may wrap around to any other.
    fn product_fits(&mut self, n: Operand, m: Operand, product: Operand) -> Operand {
        if known(n).zip(known(m)).is_some_and(|(n, m)| n.checked_mul(m).is_some()) {
            return Operand::bool(true);
        }
        let exact = self.b.math(MathFn::SizeMul, Prim::I64, vec![n, m]);
        self.b.cmp(CmpOp::Eq, exact, product)
    }

    fn unflatten(&mut self, n: Operand, m: Operand, xs: &Val) -> Val {
        let Some(first) = xs.leaves.first() else { return xs.clone() };
        let len = self.b.type_of(*first).dims()[0];
        let zero = Operand::i64(0);
        let product = self.b.bin(BinOp::Mul, n, m);
        let same = self.b.cmp(CmpOp::Eq, product, len);
        let n_ok = self.b.cmp(CmpOp::Le, zero, n);
        let m_ok = self.b.cmp(CmpOp::Le, zero, m);
        let ok = self.and(n_ok, m_ok);
        let ok = self.and(ok, same);
        let fits = self.product_fits(n, m, product);
        let ok = self.and(ok, fits);
        let mut parts = vec![text("Cannot unflatten array of shape [")];
        parts.extend([MessagePart::Value(len), text("] to array of shape ")]);
        parts.extend(shape_parts(&[n, m]));
        parts.push(text("."));
        let certs = self.check(ok, parts);
        let before = self.b.certs.len();
        self.b.certs.extend(&certs);
        let mut leaves = Vec::new();
        for leaf in &xs.leaves {
            let dims = self.b.type_of(*leaf).dims().to_vec();
            let shape = [n, m].into_iter().chain(dims[1..].iter().copied()).collect();
            leaves.push(self.reshape(*leaf, shape));
        }
        self.b.certs.truncate(before);
        Val { ty: Ty::array(Dim::Any, xs.ty.erased()), leaves }
    }

    fn transpose(&mut self, xs: &Val) -> Val {
        let mut leaves = Vec::new();
        for leaf in &xs.leaves {
            let (Operand::Var(name), Type::Array(mut dims, prim)) = (*leaf, self.b.type_of(*leaf)) else { continue };
            let mut perm: Vec<usize> = (0..dims.len()).collect();
            perm.swap(0, 1);
            dims.swap(0, 1);
            let ty = Type::Array(dims, prim);
            leaves.push(Operand::Var(self.b.let_exp("t", IrExp::Rearrange(perm, name), ty)));
        }
        Val { ty: xs.ty.erased(), leaves }
    }

    /// The value of a function at a point, and its derivative there in a direction: to the results, or back to the
    /// argument.
    fn derivative(&mut self, reverse: bool, f: &Exp, at: &Exp, direction: &Exp, ty: &Ty) -> Result<Val> {
        let lam = self.function(f)?.clone();
        let (at, direction) = (self.exp(at)?, self.exp(direction)?);
        let types: Vec<Type> = at.leaves.iter().map(|x| self.b.type_of(*x)).collect();
        let params: Vec<Param> = types.iter().map(|t| self.b.param("x", t.clone())).collect();
        let leaves = params.iter().map(|p| Operand::Var(p.name)).collect();
        let arg = Val { ty: at.ty.clone(), leaves };
        // The sizes of results are those of the direction, or else those that the type states.
        let dims_of = |x: &Operand| Some(self.b.type_of(*x).dims().to_vec());
        let shapes: Vec<Option<Vec<Operand>>> = if reverse {
            direction.leaves.iter().map(dims_of).collect()
        } else {
            let result = match ty {
                Ty::Record(fields) if fields.len() == 2 => &fields[0].1,
                other => other,
            };
            let known = |leaf: &flat::Leaf| leaf.dims.iter().map(|d| self.dim(*d)).collect::<Option<Vec<_>>>();
            flat::leaves(result).iter().map(known).collect()
        };
        let (lambda, ret) = self.lambda(&lam, params, vec![arg], &shapes)?;
        let point = at.leaves.clone();
        let towards = if reverse {
            direction.leaves
        } else {
            direction.leaves.iter().zip(&types).map(|(x, t)| self.fit(*x, t.dims(), "direction")).collect()
        };
        let second = if reverse { at.ty.erased() } else { ret.clone() };
        let exp = if reverse { IrExp::Vjp(lambda, point, towards) } else { IrExp::Jvp(lambda, point, towards) };
        let names = self.b.let_infer_all("d", exp);
        let pair = Ty::Record(vec![(kenaz_base::Symbol::field(0), ret), (kenaz_base::Symbol::field(1), second)]);
        Ok(Val { ty: pair, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    /// A loop over elements that writes to arrays in any order.
    fn stream(&mut self, dest: &Exp, combine: Option<(&Exp, &Exp)>, f: &Exp, xs: &Exp) -> Result<Val> {
        let dest = self.exp(dest)?;
        let (dests, k) = self.arrays(&dest)?;
        let rows: Vec<Type> = dests.iter().map(|d| self.b.type_of(*d).row(1)).collect();
        let elem = Self::elem(&dest.ty);
        let op = match combine {
            None => None,
            Some((op, ne)) => {
                let ne = self.exp(ne)?;
                let neutral: Vec<Operand> =
                    ne.leaves.iter().zip(&rows).map(|(l, r)| self.fit(*l, r.dims(), "neutral element")).collect();
                Some((self.combine(op, &rows, &elem)?, neutral))
            }
        };
        let xs = self.exp(xs)?;
        let (arrays, width) = self.arrays(&xs)?;
        let lam = self.function(f)?.clone();
        let token = self.b.param("token", Type::Cert);
        let acc_ty = Type::Acc { token: token.name, shape: vec![k], elems: rows.clone() };
        let acc = self.b.param("acc", acc_ty.clone());
        // The function's body: a loop that threads the accumulator.
        self.b.begin();
        let inner = self.b.param("acc", acc_ty.clone());
        let i = self.b.name("i", Type::I64);
        self.b.begin();
        let row_ty = Self::elem(&xs.ty);
        let mut leaves = Vec::new();
        if flat::count(&row_ty) > 0 {
            for a in &arrays {
                leaves.push(self.b.index(*a, vec![Operand::Var(i)]));
            }
        }
        let core_acc = Ty::Acc(Arc::new(dest.ty.erased()));
        let args = [Val { ty: core_acc, leaves: vec![Operand::Var(inner.name)] }, Val { ty: row_ty, leaves }];
        for ((name, _), val) in lam.params.iter().zip(args) {
            self.env.insert(*name, val);
        }
        let result = self.exp(&lam.body);
        let operands = result.as_ref().map(|v| v.leaves.clone()).unwrap_or_default();
        let loop_body = self.b.end(operands);
        let exp = IrExp::Loop {
            params: vec![(Param { unique: true, ..inner }, Operand::Var(acc.name))],
            form: LoopForm::For(i, Prim::I64, width),
            body: loop_body,
        };
        let after = self.b.let_exp("acc", exp, acc_ty.clone());
        let body: Body = self.b.end(vec![Operand::Var(after)]);
        result?;
        let types: Vec<Type> = dests.iter().map(|d| self.b.type_of(*d)).collect();
        let body = Lambda { params: vec![token, acc], body, ret: vec![acc_ty] };
        let inputs = vec![AccInput { shape: vec![k], dests, op }];
        let names = self.b.let_types("a", IrExp::Soac(Soac::WithAcc { inputs, body }), types);
        Ok(Val { ty: dest.ty, leaves: names.into_iter().map(Operand::Var).collect() })
    }

    fn acc_write(&mut self, acc: &Exp, i: &Exp, v: &Exp) -> Result<Val> {
        let acc = self.exp(acc)?;
        let i = self.operand(i)?;
        let v = self.exp(v)?;
        let Some(Operand::Var(name)) = acc.leaves.first().copied() else { return Err(self.bug("no accumulator")) };
        let ty = self.b.type_of(name);
        let rows = match &ty {
            Type::Acc { elems, .. } => elems.clone(),
            _ => Vec::new(),
        };
        let values = v.leaves.iter().zip(&rows).map(|(l, r)| self.fit(*l, r.dims(), "value")).collect();
        let soac = Soac::UpdateAcc { acc: name, index: vec![i], values };
        let name = self.b.let_exp("acc", IrExp::Soac(soac), ty);
        Ok(Val { ty: acc.ty, leaves: vec![Operand::Var(name)] })
    }

    /// Whether the places `offset + i*stride + …` are inside an array of `n` elements.
    fn flat_bounds(&mut self, n: Operand, offset: Operand, dims: &[(Operand, Operand)]) -> Vec<Name> {
        let zero = Operand::i64(0);
        let (mut low, mut high) = (offset, offset);
        let mut empty = Operand::bool(false);
        let mut ok = Operand::bool(true);
        for (len, stride) in dims {
            let none = self.b.cmp(CmpOp::Eq, *len, zero);
            empty = if empty == Operand::bool(false) { none } else { self.b.bin(BinOp::Or, empty, none) };
            let not_negative = self.b.cmp(CmpOp::Le, zero, *len);
            ok = self.and(ok, not_negative);
            let steps = self.b.bin(BinOp::Sub, *len, Operand::i64(1));
            let span = self.b.bin(BinOp::Mul, steps, *stride);
            let up = self.b.bin(BinOp::Max, span, zero);
            let down = self.b.bin(BinOp::Min, span, zero);
            high = self.b.bin(BinOp::Add, high, up);
            low = self.b.bin(BinOp::Add, low, down);
        }
        let low_ok = self.b.cmp(CmpOp::Le, zero, low);
        let high_ok = self.b.cmp(CmpOp::Lt, high, n);
        let inside = self.and(low_ok, high_ok);
        let inside = if empty == Operand::bool(false) { inside } else { self.b.bin(BinOp::Or, empty, inside) };
        let ok = self.and(ok, inside);
        let mut parts = vec![text("Flat slice from "), MessagePart::Value(low), text(" to "), MessagePart::Value(high)];
        parts.extend([text(" out of bounds for array of shape ["), MessagePart::Value(n), text("].")]);
        self.check(ok, parts)
    }

    fn flat_index(&mut self, xs: &Exp, rest: &[Exp]) -> Result<Val> {
        let xs = self.exp(xs)?;
        let rest = rest.iter().map(|e| self.operand(e)).collect::<Result<Vec<_>>>()?;
        let (offset, pairs) = (rest[0], &rest[1..]);
        let dims: Vec<(Operand, Operand)> = pairs.chunks(2).map(|p| (p[0], p[1])).collect();
        let (arrays, n) = self.arrays(&xs)?;
        let certs = self.flat_bounds(n, offset, &dims);
        let mut leaves = Vec::new();
        for array in arrays {
            let Type::Array(old, prim) = self.b.type_of(array) else { continue };
            if old.len() != 1 {
                return Err(self.limitation("a flat slice of an array of arrays"));
            }
            let ty = Type::Array(dims.iter().map(|d| d.0).collect(), prim);
            let exp = IrExp::FlatIndex(array, offset, dims.clone());
            leaves.push(Operand::Var(self.b.with_certs(&certs, |b| b.let_exp("v", exp, ty))));
        }
        let ty = (1..dims.len()).fold(xs.ty.erased(), |ty, _| Ty::array(Dim::Any, ty));
        Ok(Val { ty, leaves })
    }

    fn flat_update(&mut self, xs: &Exp, rest: &[Exp]) -> Result<Val> {
        let xs = self.exp(xs)?;
        let Some((value, rest)) = rest.split_last() else { return Err(self.bug("a flat update of nothing")) };
        let rest = rest.iter().map(|e| self.operand(e)).collect::<Result<Vec<_>>>()?;
        let value = self.exp(value)?;
        let (offset, strides) = (rest[0], rest[1..].to_vec());
        let (arrays, n) = self.arrays(&xs)?;
        let mut leaves = Vec::new();
        for (array, leaf) in arrays.into_iter().zip(&value.leaves) {
            let Operand::Var(new) = *leaf else { continue };
            let shape = self.b.type_of(new).dims().to_vec();
            let dims: Vec<(Operand, Operand)> = shape.into_iter().zip(strides.iter().copied()).collect();
            let certs = self.flat_bounds(n, offset, &dims);
            let ty = self.b.type_of(array);
            let exp = IrExp::FlatUpdate(array, offset, strides.clone(), new);
            leaves.push(Operand::Var(self.b.with_certs(&certs, |b| b.let_exp("v", exp, ty))));
        }
        Ok(Val { ty: xs.ty, leaves })
    }
}

/// The number that an operand is, if it is a constant.
fn known(x: Operand) -> Option<i64> {
    if let Operand::Const(c) = x { c.as_i64() } else { None }
}
