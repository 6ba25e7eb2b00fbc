//! Reductions and scans, by their operators.
//!
//! | operator | `reduce` | `scan` |
//! |---|---|---|
//! | `+` | every element gets the adjoint of the sum | the sums of adjoints from the end |
//! | `*` of floats | the product of the others: the quotient, where no other is zero | general |
//! | `min`, `max` | the first element that the result is gets it all | general |
//! | `map2 op` | a map of reductions of columns | a map of scans of columns |
//! | general | what is on the left and on the right of each element, by two scans | a linear recurrence from the end, by a scan of matrices; a loop for more than [`WIDEST`] scalars |
//!
//! An operator that reads something active from outside makes a reduction a loop.

use super::super::arrays::{is_zero, number, reversed, select, sum, zero};
use super::super::{Derived, forward};
use super::Reverse;
use super::adjoint::One;
use kenaz_base::Prim;
use kenaz_ir::visit::{free_in_lambda, instantiate};
use kenaz_ir::{
    BinOp, Body, CmpOp, Exp, Lambda, LoopForm, Name, Operand, Param, Reduce, Scalar, Scan, Soac, Stm, Type,
};

/// The most scalars of a scan whose adjoints are computed by a scan of matrices.
const WIDEST: usize = 3;

/// The function that an operator applies to all elements of two arrays, if it does nothing else.
pub(super) fn vectorised(op: &Lambda) -> Option<&Lambda> {
    let [stm] = &op.body.stms[..] else { return None };
    let Exp::Soac(Soac::Screma { arrays, map, scans, reduces, post: None, .. }) = &stm.exp else { return None };
    let is_map = scans.is_empty() && reduces.is_empty();
    let takes = arrays.iter().copied().eq(op.params.iter().map(|p| p.name));
    let yields = stm.pat.iter().map(|p| Operand::Var(p.name)).eq(op.body.results.iter().copied());
    (is_map && takes && yields).then_some(map)
}

/// The operators of the hardware that an operator applies, perhaps to all elements of arrays.
pub(super) fn deep_built_in(op: &Lambda) -> Option<Vec<BinOp>> {
    match op.built_in() {
        Some(ops) => Some(ops.into_iter().map(|(op, _)| op).collect()),
        None => deep_built_in(vectorised(op)?),
    }
}

/// The operator on one component, which has no other operand.
fn single(b: &mut kenaz_ir::Builder, op: BinOp, prim: Prim) -> Lambda {
    let ty = Type::Prim(prim);
    b.lambda_over(&[ty.clone(), ty], |b, xs| vec![b.bin(op, xs[0], xs[1])])
}

impl Reverse<'_> {
    /// Whether an operator depends on something active besides its operands.
    fn reads_active(&self, op: &Lambda) -> bool {
        !self.active_in(&free_in_lambda(op)).is_empty()
    }

    /// Adds the statements of a function, and gives its results.
    pub(super) fn apply(&mut self, lambda: &Lambda, args: &[Operand]) -> Vec<Operand> {
        let copy = self.copy(lambda);
        let body = instantiate(&copy.params, &copy.body, args, &mut self.cx.b.fresh);
        super::super::Declare(&mut self.cx.b).declare_body(&body);
        self.cx.b.splice(body)
    }

    /// An operator over arrays as they are.
    fn fold(&mut self, width: Operand, arrays: Vec<Name>, scan: Option<Scan>, reduce: Option<Reduce>) -> Vec<Name> {
        let rows: Vec<Type> = arrays.iter().map(|a| self.cx.b.type_of(*a).row(1)).collect();
        let map = self.cx.b.identity(&rows);
        let (scans, reduces) = (scan.into_iter().collect(), reduce.into_iter().collect());
        let soac = Soac::Screma { width, arrays, map, scans, reduces, post: None };
        self.cx.b.let_infer_all("folded", Exp::Soac(soac))
    }

    fn bars(&mut self, stm: &Stm) -> Option<Vec<Option<Operand>>> {
        let bars: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        bars.iter().any(Option::is_some).then_some(bars)
    }

    pub(super) fn reduce_back(&mut self, stm: &Stm, width: Operand, arrays: &[Name], reduce: &Reduce) -> Derived {
        let Some(bars) = self.bars(stm) else { return Ok(()) };
        if let Some(ops) = reduce.op.built_in() {
            for (i, (op, prim)) in ops.into_iter().enumerate() {
                let Some(bar) = bars[i] else { continue };
                if !self.is_active(arrays[i].into()) {
                    continue;
                }
                match op {
                    BinOp::Add => {
                        let part = self.cx.b.replicate(vec![width], bar);
                        self.add(arrays[i].into(), part.into());
                    }
                    BinOp::Mul if prim.is_float() => self.product_back(width, arrays[i], prim, bar),
                    BinOp::Min | BinOp::Max => self.extreme_back(width, arrays[i], op, reduce.neutral[i], bar),
                    _ => {
                        let op = single(&mut self.cx.b, op, prim);
                        self.general_reduce_back(width, &arrays[i..=i], &op, &reduce.neutral[i..=i], &[Some(bar)])?;
                    }
                }
            }
            return Ok(());
        }
        if deep_built_in(&reduce.op).is_some_and(|ops| ops.iter().all(|op| *op == BinOp::Add)) {
            for (array, bar) in arrays.iter().zip(bars) {
                if let Some(bar) = bar {
                    let part = self.cx.b.replicate(vec![width], bar);
                    self.add((*array).into(), part.into());
                }
            }
            return Ok(());
        }
        if let Some(inner) = vectorised(&reduce.op) {
            return self.columns_back(arrays, inner, &reduce.neutral, &bars, |r, width, columns, op, neutral| {
                r.fold(width, columns, None, Some(Reduce { op, neutral, commutative: reduce.commutative }))
            });
        }
        if self.reads_active(&reduce.op) {
            return self.reduce_as_loop(width, arrays, reduce, &bars);
        }
        self.general_reduce_back(width, arrays, &reduce.op, &reduce.neutral, &bars)
    }

    /// A product: each element gets the product of all others.
    fn product_back(&mut self, width: Operand, array: Name, prim: Prim, bar: Operand) {
        let b = &mut self.cx.b;
        let ty = Type::Prim(prim);
        let (nothing, one) = (number(prim, 0), number(prim, 1));
        let map = b.lambda_over(std::slice::from_ref(&ty), |b, xs| {
            let is_zero = b.cmp(CmpOp::Eq, xs[0], nothing);
            let count = select(b, is_zero, Operand::i64(1), Operand::i64(0));
            vec![count, select(b, is_zero, one, xs[0])]
        });
        let product = Reduce { op: single(b, BinOp::Mul, prim), neutral: vec![one], commutative: true };
        let reduces = vec![sum(b, &Type::I64), product];
        let soac = Soac::Screma { width, arrays: vec![array], map, scans: Vec::new(), reduces, post: None };
        let found = b.let_infer_all("product", Exp::Soac(soac));
        let (zeros, product) = (found[0], found[1]);
        let scaled = b.bin(BinOp::Mul, bar, product);
        let none = b.cmp(CmpOp::Eq, zeros, Operand::i64(0));
        let single_zero = b.cmp(CmpOp::Eq, zeros, Operand::i64(1));
        let map = b.lambda_over(std::slice::from_ref(&ty), |b, xs| {
            let is_zero = b.cmp(CmpOp::Eq, xs[0], nothing);
            let other = select(b, is_zero, one, xs[0]);
            let quotient = b.bin(BinOp::Div, scaled, other);
            let without = select(b, none, quotient, nothing);
            let alone = select(b, single_zero, scaled, nothing);
            vec![select(b, is_zero, alone, without)]
        });
        let part = b.map(width, vec![array], map)[0];
        self.add(array.into(), part.into());
    }

    /// The least or greatest element: the first one that it is gets the adjoint.
    fn extreme_back(&mut self, width: Operand, array: Name, op: BinOp, neutral: Operand, bar: Operand) {
        let b = &mut self.cx.b;
        let elem = b.type_of(array).row(1);
        let places = b.iota(width);
        let pair = [elem, Type::I64];
        let best = first_extreme(b, op, &pair);
        let map = b.identity(&pair);
        let reduces = vec![Reduce { op: best, neutral: vec![neutral, Operand::i64(i64::MAX)], commutative: true }];
        let soac = Soac::Screma { width, arrays: vec![array, places], map, scans: Vec::new(), reduces, post: None };
        let found = b.let_infer_all("best", Exp::Soac(soac));
        let place: Operand = found[1].into();
        // Nobody gets it where the neutral element is the result.
        let before = self.adjoints.get(&array).copied();
        let inside = self.cx.b.cmp(CmpOp::Lt, place, width);
        if before.is_none() {
            self.adjoints.insert(array, super::Adj::One(One { place, is_inside: inside, value: bar }));
            return;
        }
        self.cx.b.begin();
        self.add_at(array, &[kenaz_ir::DimSlice::Fix(place)], bar);
        let after = self.adjoint_or_zero(array);
        let yes = self.cx.b.end(vec![after]);
        before.map(|before| self.adjoints.insert(array, before));
        self.cx.b.begin();
        let same = self.adjoint_or_zero(array);
        let no = self.cx.b.end(vec![same]);
        let ty = self.cx.b.type_of(after);
        let chosen = self.cx.b.if_(inside, yes, no, vec![ty])[0];
        let adj = match before {
            Some(super::Adj::Acc(_)) => super::Adj::Acc(chosen),
            _ => super::Adj::Value(chosen.into()),
        };
        self.adjoints.insert(array, adj);
    }

    /// An operator on all elements of rows: the same operator on columns, in a map over these.
    fn columns_back(
        &mut self,
        arrays: &[Name],
        inner: &Lambda,
        neutral: &[Operand],
        bars: &[Option<Operand>],
        fold: impl FnOnce(&mut Self, Operand, Vec<Name>, Lambda, Vec<Operand>) -> Vec<Name>,
    ) -> Derived {
        self.cx.b.begin();
        let mut turned: Vec<Name> = arrays.iter().map(|a| self.turned(*a)).collect();
        turned.extend(neutral.iter().filter_map(|x| x.name()));
        let first = self.cx.b.type_of(turned[0]);
        let (columns, width) = (first.dims()[0], first.dims()[1]);
        let params = self.columns(&turned);
        self.cx.b.begin();
        let k = arrays.len();
        let names = params[..k].iter().map(|p| p.name).collect();
        let own = params[k..].iter().map(|p| p.name.into()).collect();
        let op = self.copy(inner);
        let results = fold(self, width, names, op, own);
        let body = self.cx.b.end(results.into_iter().map(Operand::Var).collect());
        let ret = body.results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let mut names = self.cx.b.map(columns, turned, Lambda { params, body, ret });
        let is_scan = bars.iter().flatten().any(|bar| self.cx.b.type_of(*bar) != self.cx.b.type_of(names[0]));
        let is_scan = is_scan || self.cx.b.type_of(names[0]).rank() == first.rank();
        if is_scan {
            names = names.into_iter().map(|name| self.turned(name)).collect();
        }
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(bars).filter_map(|(name, bar)| Some((name, (*bar)?))).collect();
        self.replay(stms, seeds)
    }

    /// Parameters for the rows of arrays that were turned.
    pub(super) fn columns(&mut self, turned: &[Name]) -> Vec<Param> {
        let row = |cx: &mut Self, a: Name| {
            let ty = cx.cx.b.type_of(a).row(1);
            cx.cx.b.param("column", ty)
        };
        turned.iter().map(|a| row(self, *a)).collect()
    }

    /// An array with its two outermost dimensions exchanged.
    pub(super) fn turned(&mut self, array: Name) -> Name {
        let mut perm: Vec<usize> = (0..self.cx.b.type_of(array).rank()).collect();
        perm.swap(0, 1);
        self.cx.b.let_infer("turned", Exp::Rearrange(perm, array))
    }

    /// For each element the neutral element or what is before it in an array of as many.
    fn shifted(&mut self, width: Operand, arrays: &[Name], neutral: &[Operand]) -> Vec<Name> {
        let places = self.cx.b.iota(width);
        let map = self.cx.b.lambda_over(&[Type::I64], |b, xs| {
            let is_first = b.cmp(CmpOp::Eq, xs[0], Operand::i64(0));
            let types: Vec<Type> = arrays.iter().map(|a| b.type_of(*a).row(1)).collect();
            let yes = Body { stms: Vec::new(), results: neutral.to_vec() };
            let no = b.body(|b| {
                let before = b.bin(BinOp::Sub, xs[0], Operand::i64(1));
                arrays.iter().map(|a| b.index(*a, vec![before])).collect()
            });
            b.if_(is_first, yes, no, types).into_iter().map(Operand::Var).collect()
        });
        self.cx.b.map(width, vec![places], map)
    }

    /// What is on the left of each element, and what is on its right: all that there is to know about the others.
    fn general_reduce_back(
        &mut self,
        width: Operand,
        arrays: &[Name],
        op: &Lambda,
        neutral: &[Operand],
        bars: &[Option<Operand>],
    ) -> Derived {
        let k = arrays.len();
        let forth = self.copy(op);
        let scan = Scan { op: forth, neutral: neutral.to_vec() };
        let sums = self.fold(width, arrays.to_vec(), Some(scan), None);
        let left = self.shifted(width, &sums, neutral);
        let backwards: Vec<Name> = arrays.iter().map(|a| self.reversed(*a)).collect();
        let mut flipped = self.copy(op);
        flipped.params.rotate_left(k);
        let scan = Scan { op: flipped, neutral: neutral.to_vec() };
        let sums = self.fold(width, backwards, Some(scan), None);
        let right = self.shifted(width, &sums, neutral);
        let right: Vec<Name> = right.into_iter().map(|a| reversed(&mut self.cx.b, a)).collect();
        self.cx.b.begin();
        let inputs: Vec<Name> = left.iter().chain(arrays).chain(&right).copied().collect();
        let rows: Vec<Type> = inputs.iter().map(|a| self.cx.b.type_of(*a).row(1)).collect();
        let params: Vec<Param> = rows.into_iter().map(|ty| self.cx.b.param("x", ty)).collect();
        let xs: Vec<Operand> = params.iter().map(|p| p.name.into()).collect();
        self.cx.b.begin();
        let both = self.apply(op, &xs[..2 * k]);
        let args: Vec<Operand> = both.into_iter().chain(xs[2 * k..].iter().copied()).collect();
        let all = self.apply(op, &args);
        let body = self.cx.b.end(all);
        let map = Lambda { params, body, ret: op.ret.clone() };
        let names = self.cx.b.map(width, inputs, map);
        let stms = self.cx.b.end(Vec::new()).stms;
        let mut seeds = Vec::new();
        for (name, bar) in names.into_iter().zip(bars) {
            if let Some(bar) = bar {
                seeds.push((name, self.cx.b.replicate(vec![width], *bar).into()));
            }
        }
        self.replay(stms, seeds)
    }

    /// Parameters of a loop that takes the elements one by one, and its index.
    fn loop_over(&mut self, arrays: &[Name], op: &Lambda, accs: &[Param]) -> (Name, Vec<Operand>) {
        let i = self.cx.b.name("i", Type::I64);
        let mut args: Vec<Operand> = accs.iter().map(|p| p.name.into()).collect();
        for array in arrays {
            args.push(self.cx.b.index(*array, vec![i.into()]));
        }
        let next = self.apply(op, &args);
        (i, next)
    }

    fn reduce_as_loop(
        &mut self,
        width: Operand,
        arrays: &[Name],
        reduce: &Reduce,
        bars: &[Option<Operand>],
    ) -> Derived {
        self.cx.b.begin();
        let accs: Vec<Param> = reduce.op.ret.iter().map(|ty| self.cx.b.param("acc", ty.clone())).collect();
        self.cx.b.begin();
        let (i, next) = self.loop_over(arrays, &reduce.op, &accs);
        let body = self.cx.b.end(next);
        let params = accs.into_iter().zip(reduce.neutral.iter().copied()).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(i, Prim::I64, width), body };
        let names = self.cx.b.let_types("folded", exp, reduce.op.ret.clone());
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(bars).filter_map(|(name, bar)| Some((name, (*bar)?))).collect();
        self.replay(stms, seeds)
    }

    pub(super) fn scan_back(&mut self, stm: &Stm, width: Operand, arrays: &[Name], scan: &Scan) -> Derived {
        let Some(bars) = self.bars(stm) else { return Ok(()) };
        let names: Vec<Name> = stm.pat.iter().map(|p| p.name).collect();
        if let Some(ops) = scan.op.built_in() {
            for (i, (op, prim)) in ops.into_iter().enumerate() {
                let Some(Operand::Var(bar)) = bars[i] else { continue };
                if op == BinOp::Add {
                    let part = self.sums_from_end(width, bar);
                    self.add(arrays[i].into(), part.into());
                } else {
                    let op = single(&mut self.cx.b, op, prim);
                    let bars = [Some(bar.into())];
                    let alone = Scan { op, neutral: vec![scan.neutral[i]] };
                    self.recurrence_back(width, &arrays[i..=i], &names[i..=i], &alone, &bars)?;
                }
            }
            return Ok(());
        }
        if deep_built_in(&scan.op).is_some_and(|ops| ops.iter().all(|op| *op == BinOp::Add)) {
            for (array, bar) in arrays.iter().zip(bars) {
                if let Some(Operand::Var(bar)) = bar {
                    let part = self.sums_from_end(width, bar);
                    self.add((*array).into(), part.into());
                }
            }
            return Ok(());
        }
        if let Some(inner) = vectorised(&scan.op) {
            return self.columns_back(arrays, inner, &scan.neutral, &bars, |r, width, columns, op, neutral| {
                r.fold(width, columns, Some(Scan { op, neutral }), None)
            });
        }
        let is_scalar = scan.op.ret.iter().all(|ty| matches!(ty, Type::Prim(_)));
        if is_scalar && arrays.len() <= WIDEST {
            self.recurrence_back(width, arrays, &names, scan, &bars)
        } else {
            self.scan_as_loop(width, arrays, scan, &bars)
        }
    }

    /// The sums of all that comes after each row, itself included.
    fn sums_from_end(&mut self, width: Operand, bar: Name) -> Name {
        let backwards = self.reversed(bar);
        let row = self.cx.b.type_of(bar).row(1);
        let Reduce { op, neutral, .. } = sum(&mut self.cx.b, &row);
        let sums = self.fold(width, vec![backwards], Some(Scan { op, neutral }), None);
        self.reversed(sums[0])
    }

    /// `r[i] = bar[i] + J[i]ᵀ r[i+1]`, where `J[i]` is the derivative of the next result by this one; then each element
    /// has the adjoint that `r` gives it in one step.
    fn recurrence_back(
        &mut self,
        width: Operand,
        arrays: &[Name],
        results: &[Name],
        scan: &Scan,
        bars: &[Option<Operand>],
    ) -> Derived {
        let k = arrays.len();
        let prims: Vec<Prim> = scan.op.ret.iter().filter_map(Type::prim).collect();
        // For each result the matrix that takes the adjoint of the next one to it, and its own adjoint.
        let mut inputs = vec![self.cx.b.iota(width)];
        let mut types = vec![Type::I64];
        for (bar, prim) in bars.iter().zip(&prims) {
            let ty = Type::Prim(*prim);
            inputs.push(match bar {
                Some(Operand::Var(bar)) => *bar,
                _ => {
                    let nothing = zero(&mut self.cx.b, &ty.array_of(width));
                    super::named(&mut self.cx.b, nothing)
                }
            });
            types.push(ty);
        }
        let params: Vec<Param> = types.iter().map(|ty| self.cx.b.param("x", ty.clone())).collect();
        self.cx.b.begin();
        let i: Operand = params[0].name.into();
        let last = self.cx.b.bin(BinOp::Sub, width, Operand::i64(1));
        let is_last = self.cx.b.cmp(CmpOp::Eq, i, last);
        let next = self.cx.b.bin(BinOp::Add, i, Operand::i64(1));
        let next = self.cx.b.bin(BinOp::Min, next, last);
        let mut point: Vec<Operand> = results.iter().map(|a| self.cx.b.index(*a, vec![i])).collect();
        point.extend(arrays.iter().map(|a| self.cx.b.index(*a, vec![next])));
        let mut matrix = Vec::new();
        for column in 0..k {
            let op = self.copy(&scan.op);
            for (p, x) in op.params.iter().zip(&point) {
                self.cx.b.let_pat(vec![p.clone()], Exp::Operand(*x));
            }
            let moved = op.params[column].name;
            let one = number(prims[column], 1);
            let done = forward::along(self.cx, &op.body, &[Some(moved)], &[one])?;
            // Row `column` of the transposed matrix.
            for (x, prim) in done.into_iter().zip(&prims) {
                matrix.push(select(&mut self.cx.b, is_last, number(*prim, 0), x));
            }
        }
        let mut all = matrix;
        all.extend(params[1..].iter().map(|p| Operand::Var(p.name)));
        let ret: Vec<Type> = all.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let body = self.cx.b.end(all);
        if ret.iter().any(|ty| *ty != ret[0]) {
            // Scalars of several types do not make a matrix.
            return self.scan_as_loop(width, arrays, scan, bars);
        }
        // Results that have nothing to do with each other have scans of their own, if they have an adjoint at all.
        let groups = groups(k, |row, column| !is_zero(body.results[row * k + column]));
        let parts = self.cx.b.map(width, inputs, Lambda { params, body, ret });
        let mut found: Vec<Option<Name>> = vec![None; k];
        for group in groups {
            if group.iter().all(|i| bars[*i].is_none()) {
                continue;
            }
            let pairs = group.iter().flat_map(|row| group.iter().map(move |column| row * k + column));
            let own: Vec<usize> = pairs.chain(group.iter().map(|i| k * k + i)).collect();
            let own: Vec<Name> = own.into_iter().map(|at| self.reversed(parts[at])).collect();
            let size = group.len();
            let op = composition(&mut self.cx.b, size, prims[0]);
            let neutral = (0..size * size)
                .map(|at| number(prims[0], u8::from(at % (size + 1) == 0)))
                .chain(std::iter::repeat_n(number(prims[0], 0), size))
                .collect();
            let sums = self.fold(width, own, Some(Scan { op, neutral }), None);
            for (i, sum) in group.into_iter().zip(&sums[size * size..]) {
                found[i] = Some(reversed(&mut self.cx.b, *sum));
            }
        }
        // One step from the result before to each result.
        let left = self.shifted(width, results, &scan.neutral);
        self.cx.b.begin();
        let inputs: Vec<Name> = left.iter().chain(arrays).copied().collect();
        let map = self.copy(&scan.op);
        let names = self.cx.b.map(width, inputs, map);
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(found).filter_map(|(name, bar)| Some((name, bar?.into()))).collect();
        self.replay(stms, seeds)
    }

    fn scan_as_loop(&mut self, width: Operand, arrays: &[Name], scan: &Scan, bars: &[Option<Operand>]) -> Derived {
        self.cx.b.begin();
        let accs: Vec<Param> = scan.op.ret.iter().map(|ty| self.cx.b.param("acc", ty.clone())).collect();
        let outs: Vec<Param> = scan.op.ret.iter().map(|ty| self.cx.b.param("out", ty.array_of(width))).collect();
        let mut params: Vec<(Param, Operand)> = accs.iter().cloned().zip(scan.neutral.iter().copied()).collect();
        for out in &outs {
            let prim = out.ty.prim().unwrap_or(Prim::Bool);
            let blank = self.cx.b.let_infer("blank", Exp::Scratch(out.ty.dims().to_vec(), prim));
            params.push((out.clone(), blank.into()));
        }
        self.cx.b.begin();
        let (i, next) = self.loop_over(arrays, &scan.op, &accs);
        let mut results = next.clone();
        for (out, x) in outs.iter().zip(next) {
            let dims = super::slice_at(&out.ty, &[i.into()]);
            results.push(self.cx.b.update(out.name, dims, x).into());
        }
        let body = self.cx.b.end(results);
        let types: Vec<Type> = params.iter().map(|(p, _)| p.ty.clone()).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(i, Prim::I64, width), body };
        let names = self.cx.b.let_types("scanned", exp, types);
        let stms = self.cx.b.end(Vec::new()).stms;
        let outs = names[accs.len()..].iter().zip(bars);
        let seeds = outs.filter_map(|(name, bar)| Some((*name, (*bar)?))).collect();
        self.replay(stms, seeds)
    }
}

/// Of two values with their places, the one that is less or greater, or the first of equal ones.
pub(super) fn first_extreme(b: &mut kenaz_ir::Builder, op: BinOp, pair: &[Type; 2]) -> Lambda {
    let types = [pair[0].clone(), pair[1].clone(), pair[0].clone(), pair[1].clone()];
    b.lambda_over(&types, |b, xs| {
        let better = if op == BinOp::Min { CmpOp::Lt } else { CmpOp::Gt };
        let is_better = b.cmp(better, xs[0], xs[2]);
        let is_same = b.cmp(CmpOp::Eq, xs[0], xs[2]);
        let is_before = b.cmp(CmpOp::Lt, xs[1], xs[3]);
        let is_first_same = b.bin(BinOp::And, is_same, is_before);
        let is_first = b.bin(BinOp::Or, is_better, is_first_same);
        let body = |x: Operand, i: Operand| Body { stms: Vec::new(), results: vec![x, i] };
        let (yes, no) = (body(xs[0], xs[1]), body(xs[2], xs[3]));
        b.if_(is_first, yes, no, pair.to_vec()).into_iter().map(Operand::Var).collect()
    })
}

/// The indices below `k` in groups, of which no index of one is linked to one of another.
fn groups(k: usize, is_linked: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for i in 0..k {
        let is_near = |group: &Vec<usize>| group.iter().any(|j| is_linked(i, *j) || is_linked(*j, i));
        let (near, far): (Vec<Vec<usize>>, Vec<Vec<usize>>) = groups.into_iter().partition(is_near);
        groups = far;
        let mut group: Vec<usize> = near.into_iter().flatten().chain([i]).collect();
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

/// Two linear functions of `k` numbers one after the other: `(M₂·M₁, d₂ + M₂·d₁)`.
fn composition(b: &mut kenaz_ir::Builder, k: usize, prim: Prim) -> Lambda {
    let types = vec![Type::Prim(prim); 2 * (k * k + k)];
    b.lambda_over(&types, |b, xs| {
        let (first, second) = xs.split_at(k * k + k);
        let (m1, d1) = first.split_at(k * k);
        let (m2, d2) = second.split_at(k * k);
        let dot = |b: &mut kenaz_ir::Builder, start: Option<Operand>, terms: Vec<(Operand, Operand)>| {
            let mut total = start;
            for (x, y) in terms {
                let product = b.bin(BinOp::Mul, x, y);
                total = Some(total.map_or(product, |total| b.bin(BinOp::Add, total, product)));
            }
            total.unwrap_or(Operand::Const(Scalar::zero(prim)))
        };
        let mut out = Vec::new();
        for row in 0..k {
            for column in 0..k {
                let terms = (0..k).map(|t| (m2[row * k + t], m1[t * k + column])).collect();
                out.push(dot(b, None, terms));
            }
        }
        for row in 0..k {
            let terms = (0..k).map(|t| (m2[row * k + t], d1[t])).collect();
            out.push(dot(b, Some(d2[row]), terms));
        }
        out
    })
}
