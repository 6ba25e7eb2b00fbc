//! `par`: a nest of loops. Accumulators are variables, or for a reduction with a vector shape its result; what the
//! iterations yield goes to its place.

use super::array::Part;
use super::{Array, Lower};
use crate::{Exp, Hint, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::{BinOp, CmpOp, Form, Lambda, Name, OpKind, Operand, Par, ParOp, Poly, Scalar, Type};

/// Where an operator keeps what it has so far.
pub(super) enum Acc {
    Var(Name, Prim),
    /// An element of a block on the stack.
    At {
        block: Name,
        prim: Prim,
        index: Exp,
    },
    Array(Array),
}

impl Lower<'_> {
    pub(super) fn par(&mut self, pat: &[ir::Param], par: &Par) {
        self.bind_arrays(pat);
        let in_chunks = par.level.is_some_and(|level| self.levels.contains(&level)) && self.in_chunks(pat, par);
        if !in_chunks {
            self.par_here(pat, par);
        }
    }

    /// In sequence. The arrays of the pattern are known.
    pub(super) fn par_here(&mut self, pat: &[ir::Param], par: &Par) {
        let is_tiled = self.tile(pat, par, |cx| {
            let (copy_pat, copy) = cx.copy_par(pat, par);
            cx.same_results(pat, &copy_pat);
            cx.untiled(&copy_pat, &copy);
        });
        if !is_tiled {
            self.untiled(pat, par);
        }
    }

    fn untiled(&mut self, pat: &[ir::Param], par: &Par) {
        if self.exchange(pat, par) {
            return;
        }
        match self.row_test(pat, par) {
            Some(cond) => {
                let yes = self.scoped(false, |cx| cx.nest_of_loops(pat, par, true));
                self.push(Stm::If { cond, yes, no: Vec::new() });
            }
            None => self.nest_of_loops(pat, par, false),
        }
    }

    /// For a `par` that combines values with all of one row, one element in each iteration: whether that row is there.
    /// The test is the same in every iteration.
    fn row_test(&mut self, pat: &[ir::Param], par: &Par) -> Option<Exp> {
        let (Some(result), [Form::Acc { rank, .. }], true) = (pat.first(), &par.forms[..], par.ops.is_empty()) else {
            return None;
        };
        let sizes = self.array(result.name).sizes;
        let row = rank.checked_sub(par.space.len()).filter(|row| *row > 0)?;
        let (at, inner) = par.body.results[..*rank].split_at(row);
        let goes_along = |(i, ((var, n), size)): (&Operand, (&(Name, Operand), &Poly))| {
            *i == Operand::Var(*var) && self.scope.equal(&self.size(*n), size)
        };
        let is_inside = |x: &Operand| {
            x.name().is_some_and(|name| {
                par.space.iter().any(|(var, _)| *var == name)
                    || par.body.stms.iter().flat_map(|stm| &stm.pat).any(|p| p.name == name)
            })
        };
        if at.iter().any(is_inside) || !inner.iter().zip(par.space.iter().zip(&sizes[row..])).all(goes_along) {
            return None;
        }
        self.bounds_test(&sizes, at)
    }

    /// The loops of a `par`. In each iteration, what is combined is known to be inside its array, or not.
    fn nest_of_loops(&mut self, pat: &[ir::Param], par: &Par, is_inside: bool) {
        let ops: Vec<&ParOp> = par.ops.iter().collect();
        let accs = self.accumulators(pat, &ops);
        let own = |form: &Form| matches!(form, Form::Own | Form::Tile(_));
        let independent = is_inside || par.ops.is_empty() && par.forms.iter().all(own);
        let blocks: Vec<Name> = pat.iter().filter_map(|p| Some(self.scope.array(p.name)?.place.block)).collect();
        let results = independent.then_some(&blocks[..]);
        let mut loops: Vec<(Name, Exp)> = Vec::with_capacity(par.space.len());
        let mut split = Vec::new();
        for dim in par.plan.order(par.space.len()) {
            let (var, n) = par.space[dim];
            match par.plan.split(dim) {
                Some(sizes) => {
                    loops.extend(self.split_index(var, sizes));
                    split.push(var);
                }
                None => loops.push((var, self.operand(n))),
            }
        }
        if let ([(var, bound)], []) = (&loops[..], &split[..]) {
            let (var, bound) = (*var, bound.clone());
            self.streamed(pat, par, &bound.clone(), |cx| {
                let mut hint = Hint::default();
                let body = cx.scoped(true, |cx| {
                    cx.variable(var, Prim::I64);
                    cx.iteration(pat, par, &accs, is_inside);
                    hint.independent = results.is_some_and(|results| cx.writes_only(results));
                });
                if !cx.in_lanes(pat, par, &accs, &bound, &body) && !body.is_empty() {
                    cx.push(Stm::For { var, prim: Prim::I64, bound, hint, body });
                }
            });
        } else if let (Some(squares), []) = (par.plan.squares(), &split[..]) {
            let vars = [squares.across, squares.along].map(|dim| par.space[dim].0);
            let (others, sides): (Vec<_>, Vec<_>) = loops.into_iter().partition(|(var, _)| !vars.contains(var));
            let [across, along] = &sides[..] else { panic!("the sides of a square are two dimensions") };
            let sides = [across.clone(), along.clone()];
            self.squares(others, sides, squares.side, results, |cx| cx.iteration(pat, par, &accs, is_inside));
        } else {
            self.loops(loops, results, |cx| {
                split.into_iter().for_each(|var| cx.join_index(var));
                cx.iteration(pat, par, &accs, is_inside);
            });
        }
        self.vary(&accs);
    }

    /// Makes known that accumulators keep their values no longer than the block of statements in the making.
    pub(super) fn vary(&mut self, accs: &[Vec<Acc>]) {
        let here = self.here();
        for acc in accs.iter().flatten() {
            if let Acc::Var(name, _) = acc {
                self.depths.insert(*name, here);
            }
        }
    }

    /// The loops that together do what a loop over the product of the sizes would do.
    fn split_index(&mut self, var: Name, sizes: &[Poly]) -> Vec<(Name, Exp)> {
        let mut loops = Vec::with_capacity(sizes.len());
        let mut whole = var;
        for (at, size) in sizes.iter().enumerate().rev() {
            let size = self.scope.resolved(size);
            let bound = self.index(&size);
            if at == 0 {
                loops.push((whole, bound));
                break;
            }
            let (low, high) = (self.fresh.like(var), self.fresh.like(var));
            loops.push((low, bound));
            self.digits.insert(whole, (Poly::name(low), Poly::name(high), size));
            whole = high;
        }
        loops.reverse();
        loops
    }

    /// Gives an index that was split its value.
    fn join_index(&mut self, var: Name) {
        let Some((low, high, size)) = self.digits.get(&var).cloned() else { return };
        if let Some(Operand::Var(high)) = high.as_operand() {
            self.join_index(high);
        }
        let high_part = self.times(&high, &size);
        let value = self.plus(&high_part, &low);
        self.define_index(var, &value);
    }

    /// An index, here, with what it is: accesses are in terms of that.
    pub(super) fn define_index(&mut self, var: Name, value: &Poly) {
        self.scope.define(var, value);
        self.definitions.insert(var, value.clone());
        let value = self.index(value);
        self.bind(var, value);
    }

    /// Declares and initialises the accumulators of all operators. Those of reductions are the results.
    pub(super) fn accumulators(&mut self, pat: &[ir::Param], ops: &[&ParOp]) -> Vec<Vec<Acc>> {
        let mut results = pat.iter();
        let mut accs = Vec::with_capacity(ops.len());
        for op in ops {
            let mut of_op = Vec::with_capacity(op.neutral.len());
            for (neutral, param) in op.neutral.iter().zip(&op.lambda.params) {
                let result = if op.kind == OpKind::Scan { None } else { results.next() };
                of_op.push(match result {
                    Some(result) if !op.shape.is_empty() => {
                        let array = self.array(result.name);
                        let is_array = self.array_operand(*neutral);
                        match is_array {
                            Some(neutral) => self.copy(&array, &neutral),
                            None => self.fill(&array, &array.sizes.clone(), *neutral),
                        }
                        Acc::Array(array)
                    }
                    _ => {
                        let prim = param.ty.prim().unwrap_or(Prim::I64);
                        let name = result.map_or_else(|| self.fresh("acc"), |result| result.name);
                        let value = self.operand(*neutral);
                        self.variable(name, prim);
                        self.push(Stm::Declare { name, ty: Ty::Scalar(prim) });
                        self.push(Stm::Set { name, value });
                        Acc::Var(name, prim)
                    }
                });
            }
            accs.push(of_op);
        }
        accs
    }

    /// The body, the operators, what comes after the scans, and the results of one iteration.
    pub(super) fn iteration(&mut self, pat: &[ir::Param], par: &Par, accs: &[Vec<Acc>], is_inside: bool) {
        self.vary(accs);
        self.body(&par.body);
        let index: Vec<Poly> = par.space.iter().map(|(var, _)| Poly::name(*var)).collect();
        self.finish(pat, par, accs, &index, is_inside);
    }

    /// What an iteration at an index does after its body.
    pub(super) fn finish(&mut self, pat: &[ir::Param], par: &Par, accs: &[Vec<Acc>], index: &[Poly], is_inside: bool) {
        let mut operands = &par.body.results[..];
        for (op, accs) in par.ops.iter().zip(accs) {
            let (values, rest) = operands.split_at(op.neutral.len());
            operands = rest;
            self.accumulate(op, accs, values);
        }
        if let Some(post) = &par.post {
            let scanned = accs.iter().zip(&par.ops).filter(|(_, op)| op.kind == OpKind::Scan);
            for (param, acc) in post.params.iter().zip(scanned.flat_map(|(accs, _)| accs)) {
                if let Acc::Var(name, prim) = acc {
                    self.stands_for(param.name, &Exp::Var(*name, *prim));
                }
            }
            self.body(&post.body);
            operands = &post.body.results;
        }
        let mut results = &pat[par.reduced()..];
        for form in &par.forms {
            let (values, rest) = operands.split_at(form.operands());
            let (these, others) = results.split_at(form.results());
            self.form(form, these, index, values, is_inside);
            (operands, results) = (rest, others);
        }
    }

    /// Combines what the accumulators of an operator have with these values.
    pub(super) fn accumulate(&mut self, op: &ParOp, accs: &[Acc], values: &[Operand]) {
        if let Some(Acc::Array(first)) = accs.first() {
            let dests: Vec<Array> = accs.iter().filter_map(as_array).collect();
            return self.combine(&op.lambda, &dests, &first.sizes.clone(), &[], values);
        }
        let old = accs.iter().filter_map(Acc::load);
        let new = values.iter().map(|value| self.operand(*value));
        let args = old.chain(new).collect();
        let results = self.accumulated(&op.lambda, &op.neutral, args);
        self.put(accs, results);
    }

    /// Assigns scalars of accumulators at the same time.
    pub(super) fn put(&mut self, accs: &[Acc], values: Vec<Exp>) {
        let mut scalars = Vec::new();
        for (acc, value) in accs.iter().zip(values) {
            match acc {
                Acc::Var(name, _) => scalars.push((*name, value)),
                Acc::At { block, prim, index } => {
                    self.push(Stm::Store { block: *block, prim: *prim, index: index.clone(), value });
                }
                Acc::Array(_) => {}
            }
        }
        self.assign_scalars(scalars);
    }

    /// Combines values, element by element, with what is at an index of arrays whose rows have these sizes.
    pub(super) fn combine(&mut self, op: &Lambda, dests: &[Array], sizes: &[Poly], at: &[Poly], values: &[Operand]) {
        let blocks: Vec<Name> = dests.iter().map(|dest| dest.place.block).collect();
        self.nest(sizes, &blocks, None, |cx, inner| {
            let index = [at, inner].concat();
            let mut args = Vec::with_capacity(2 * dests.len());
            for dest in dests {
                args.push(cx.load(dest, &index));
            }
            for value in values {
                let array = cx.array_operand(*value);
                args.push(match array {
                    Some(array) => cx.load(&array, inner),
                    None => cx.operand(*value),
                });
            }
            let results = cx.apply(op, args);
            for (dest, result) in dests.iter().zip(results) {
                cx.store(dest, &index, result);
            }
        });
    }

    /// What an operator gives for what it has so far, and for more. The least number so far is never NaN if it began as a
    /// number, so that it takes one instruction instead of three.
    pub(super) fn accumulated(&mut self, op: &Lambda, neutral: &[Operand], args: Vec<Exp>) -> Vec<Exp> {
        let Some((cmp, prim)) = least_or_greatest(op, neutral) else { return self.apply(op, args) };
        for (param, arg) in op.params.iter().zip(args) {
            self.bind(param.name, arg);
        }
        let [old, new] = [0, 1].map(|k| self.operand(Operand::Var(op.params[k].name)));
        let is_new = Exp::Cmp(cmp, prim, Box::new(new.clone()), Box::new(old.clone()));
        vec![Exp::Select(prim, Box::new(is_new), Box::new(new), Box::new(old))]
    }

    /// A function over scalars, here.
    pub(super) fn apply(&mut self, lambda: &Lambda, args: Vec<Exp>) -> Vec<Exp> {
        for (param, arg) in lambda.params.iter().zip(args) {
            self.bind(param.name, arg);
        }
        self.body(&lambda.body);
        lambda.body.results.iter().map(|x| self.operand(*x)).collect()
    }

    fn form(&mut self, form: &Form, results: &[ir::Param], index: &[Poly], values: &[Operand], is_inside: bool) {
        match form {
            Form::Own => {
                if let ([result], [value]) = (results, values) {
                    let region = self.row_of(&self.array(result.name), index.to_vec());
                    self.write(&region, *value);
                }
            }
            Form::Tile(sizes) => {
                let ([result], [Operand::Var(value)]) = (results, values) else { return };
                let mut region = self.row_of(&self.array(result.name), Vec::new());
                for (dim, (i, n)) in index.iter().zip(sizes).enumerate() {
                    let len = self.size(*n);
                    let start = self.times(i, &len);
                    region.dims[dim] = Part::Range { start, len, stride: Poly::constant(1) };
                }
                let value = self.array(*value);
                self.write_array(&region, &value);
            }
            Form::Write { rank, .. } => {
                let Some(result) = results.first() else { return };
                let array = self.array(result.name);
                let (at, value) = values.split_at(*rank);
                self.in_bounds(&array, at, |cx, at| {
                    let region = cx.row_of(&array, at);
                    if cx.racing { cx.race(&region, value[0]) } else { cx.write(&region, value[0]) }
                });
            }
            Form::Acc { rank, op, .. } => {
                let dests: Vec<Array> = results.iter().map(|result| self.array(result.name)).collect();
                let Some(first) = dests.first() else { return };
                let (at, values) = values.split_at(*rank);
                let sizes = first.sizes[*rank..].to_vec();
                let combine = |cx: &mut Self, at: Vec<Poly>| cx.combine(op, &dests, &sizes, &at, values);
                if is_inside {
                    let at = at.iter().map(|i| self.size(*i)).collect();
                    return combine(self, at);
                }
                self.in_bounds(&first.clone(), at, combine);
            }
        }
    }

    /// What is done at an index unless it is out of range.
    fn in_bounds(&mut self, array: &Array, at: &[Operand], f: impl FnOnce(&mut Self, Vec<Poly>)) {
        let cond = self.bounds_test(&array.sizes, at);
        let at: Vec<Poly> = at.iter().map(|i| self.size(*i)).collect();
        match cond {
            None => f(self, at),
            Some(cond) => {
                let yes = self.scoped(false, |cx| f(cx, at));
                self.push(Stm::If { cond, yes, no: Vec::new() });
            }
        }
    }

    /// Whether an index is in the range of these sizes; none if there is nothing to test.
    fn bounds_test(&mut self, sizes: &[Poly], at: &[Operand]) -> Option<Exp> {
        let mut cond: Option<Exp> = None;
        for (i, n) in at.iter().zip(sizes) {
            let (i, n) = (self.operand(*i), self.index(n));
            // No size is negative, so that one comparison does for both ends.
            let [i, n] = [i, n].map(|x| Box::new(Exp::Conv(Prim::I64, Prim::U64, Box::new(x))));
            let test = Exp::Cmp(CmpOp::Lt, Prim::U64, i, n);
            cond = Some(match cond {
                None => test,
                Some(cond) => Exp::Bin(BinOp::And, Prim::Bool, Box::new(cond), Box::new(test)),
            });
        }
        cond
    }
}

impl Acc {
    /// What a scalar has so far.
    pub(super) fn load(&self) -> Option<Exp> {
        match self {
            Acc::Var(name, prim) => Some(Exp::Var(*name, *prim)),
            Acc::At { block, prim, index } => {
                Some(Exp::Load { block: *block, prim: *prim, index: Box::new(index.clone()) })
            }
            Acc::Array(_) => None,
        }
    }
}

/// How what replaces the float so far compares to it, for an operator that is the minimum or maximum and begins with a
/// number.
fn least_or_greatest(op: &Lambda, neutral: &[Operand]) -> Option<(CmpOp, Prim)> {
    let ([ir::Stm { pat, exp: ir::Exp::Bin(bin, x, y), .. }], [x_param, y_param]) = (&op.body.stms[..], &op.params[..])
    else {
        return None;
    };
    let (names, params) = ([x.name()?, y.name()?], [x_param.name, y_param.name]);
    let is_all = op.body.results[..] == [Operand::Var(pat[0].name)];
    let is_number = match neutral {
        [Operand::Const(Scalar::F32(x))] => !x.is_nan(),
        [Operand::Const(Scalar::F64(x))] => !x.is_nan(),
        _ => false,
    };
    if !is_all || !is_number || names != params && names != [params[1], params[0]] {
        return None;
    }
    let prim = pat[0].ty.prim()?;
    match bin {
        BinOp::Min => Some((CmpOp::Lt, prim)),
        BinOp::Max => Some((CmpOp::Gt, prim)),
        _ => None,
    }
}

fn as_array(acc: &Acc) -> Option<Array> {
    match acc {
        Acc::Var(..) | Acc::At { .. } => None,
        Acc::Array(array) => Some(array.clone()),
    }
}

/// Whether an operator is one of those that the hardware has, for each of its results, so that the order of its
/// operands does not matter.
pub(super) fn is_built_in(op: &Lambda) -> bool {
    let n = op.body.results.len();
    op.params.len() == 2 * n
        && op.body.stms.len() == n
        && op.body.results.iter().zip(op.params.iter().zip(&op.params[n..])).all(|(result, (a, b))| {
            op.body.stms.iter().any(|stm| {
                let [param] = &stm.pat[..] else { return false };
                let ir::Exp::Bin(bin, x, y) = stm.exp else { return false };
                let (a, b) = (Operand::Var(a.name), Operand::Var(b.name));
                *result == Operand::Var(param.name)
                    && commutes(bin)
                    && ((x, y) == (a, b) || (x, y) == (b, a))
                    && matches!(param.ty, Type::Prim(_))
            })
        })
}

fn commutes(op: BinOp) -> bool {
    match op {
        BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor => true,
        BinOp::Sub | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow | BinOp::Shl | BinOp::Shr => false,
    }
}
