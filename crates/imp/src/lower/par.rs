//! `par`: a nest of loops, as its plan says. Accumulators are variables, or for a reduction with a vector shape its
//! result; what the iterations yield goes to its place.

use super::array::Part;
use super::chunks::product_of;
use super::{Array, Lower};
use crate::{Exp, Index, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{BinOp, Body, CmpOp, Form, Lambda, Level, Name, OpKind, Operand, Par, ParOp, Poly, Scalar};
use std::borrow::Cow;

/// Some iterations of a `par` on their way to loops: all of them, or those of a chunk.
pub(super) struct Run<'p> {
    pub pat: &'p [ir::Param],
    pub par: &'p Par,
    /// The indices of the loops, and what they are below. In a chunk the first one counts from its beginning.
    pub space: Vec<(Name, Operand)>,
    /// That of the `par`. In a chunk, statements in front say what its first index is.
    pub body: Cow<'p, Body>,
    pub shift: usize,
    /// Where the one index of the loop stands for those of several dimensions.
    pub flat: Option<Flat>,
    pub ops: Vec<Op<'p>>,
    /// Whether there is anything but operators: not where a scan only wants to know what a chunk comes to.
    pub has_forms: bool,
}

/// An index of the point of a loop over several dimensions whose turn is next.
#[derive(Clone)]
pub(super) struct Digit {
    name: Name,
    /// How much is added for the next point, which may be more by one, and what it stays below. That is no limit for
    /// the first index.
    step: Exp,
    size: Exp,
}

/// Some points of a space, in the order of its last dimension.
pub(super) struct Flat {
    pub space: Vec<(Name, Operand)>,
    /// The number of the first, and how far apart they are if they are no neighbours.
    pub start: Name,
    pub step: Option<Name>,
    /// They are some of those of a launch.
    pub is_of_launch: bool,
}

/// An operator in some iterations.
pub(super) struct Op<'p> {
    pub op: &'p ParOp,
    /// What it begins with: for the scan of a chunk, what those before it come to.
    pub neutral: Vec<Operand>,
    /// The names of its results; a scan has none but the last of its values, where somebody wants to know that.
    pub results: &'p [ir::Param],
}

/// What one iteration does after its body.
struct Once<'o> {
    /// What the body yields.
    results: &'o [Operand],
    lambdas: &'o [Cow<'o, Lambda>],
    index: &'o [Poly],
    /// Whether what is combined is known to be inside its array.
    is_inside: bool,
}

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

impl<'p> Run<'p> {
    /// All iterations.
    pub(super) fn whole(pat: &'p [ir::Param], par: &'p Par) -> Run<'p> {
        let mut results = &pat[..par.reduced()];
        let op = |op: &'p ParOp| {
            let count = if op.kind == OpKind::Scan { 0 } else { op.neutral.len() };
            let (these, rest) = results.split_at(count);
            results = rest;
            Op { op, neutral: op.neutral.clone(), results: these }
        };
        let ops = par.ops.iter().map(op).collect();
        let body = Cow::Borrowed(&par.body);
        Run { pat, par, space: par.space.clone(), body, shift: 0, flat: None, ops, has_forms: true }
    }

    /// The reduction of what the scans scan, into these results.
    pub(super) fn sums(pat: &'p [ir::Param], par: &'p Par) -> Run<'p> {
        let mut results = pat;
        let op = |op: &'p ParOp| {
            let (these, rest) = results.split_at(op.neutral.len());
            results = rest;
            Op { op, neutral: op.neutral.clone(), results: these }
        };
        let ops = par.scans().map(op).collect();
        let body = Cow::Borrowed(&par.body);
        Run { pat, par, space: par.space.clone(), body, shift: 0, flat: None, ops, has_forms: false }
    }

    /// Whether an operator is a scan whose values are wanted, and not only what they come to.
    fn scans(&self, op: &Op) -> bool {
        op.op.kind == OpKind::Scan && self.has_forms
    }

    fn forms(&self) -> &'p [Form] {
        if self.has_forms { &self.par.forms } else { &[] }
    }

    /// Whether no two iterations write to the same elements or combine values.
    pub(super) fn is_independent(&self) -> bool {
        self.ops.is_empty() && self.forms().iter().all(|form| matches!(form, Form::Own | Form::Tile(_)))
    }
}

impl Lower<'_> {
    pub(super) fn par(&mut self, pat: &[ir::Param], par: &Par) {
        self.bind_arrays(pat);
        match (par.level, self.width) {
            (Some(Level::Block), _) if !self.in_chunk => return self.on_blocks(pat, par),
            (Some(Level::Lane), Some(width)) => return self.on_lanes(pat, par, width),
            _ => {}
        }
        match par.plan.chunks() {
            Some(chunks) if !self.in_chunk => self.in_chunks(pat, par, chunks),
            _ => self.run(&Run::whole(pat, par)),
        }
    }

    /// In sequence. The arrays of the pattern are known.
    pub(super) fn run(&mut self, run: &Run) {
        match run.par.plan.tile() {
            // On a device, a tile is that of a block.
            Some(tile) if run.has_forms && !self.target.runs(Level::Grid) => self.tile(run, tile, |cx| cx.untiled(run)),
            _ => self.untiled(run),
        }
    }

    fn untiled(&mut self, run: &Run) {
        let plan = &run.par.plan;
        if let Some(strips) = plan.strips() {
            return self.strips(run, strips);
        }
        if plan.guard()
            && run.shift == 0
            && let Some(cond) = self.row_test(run)
        {
            let yes = self.scoped(false, |cx| cx.nest_of_loops(run, true));
            return self.push(Stm::If { cond, yes, no: Vec::new() });
        }
        self.nest_of_loops(run, false);
    }

    /// For a `par` that combines values with all of one row, one element in each iteration: whether that row is there.
    fn row_test(&mut self, run: &Run) -> Option<Exp> {
        let ([result, ..], [Form::Acc { rank, .. }]) = (run.pat, run.forms()) else { return None };
        let sizes = self.array(result.name).sizes;
        let row = rank.checked_sub(run.space.len())?;
        self.bounds_test(&sizes, &run.body.results[..row])
    }

    /// The loops. In each iteration, what is combined is known to be inside its array, or not.
    fn nest_of_loops(&mut self, run: &Run, is_inside: bool) {
        let (par, plan) = (run.par, &run.par.plan);
        let accs = self.accumulators(&run.ops);
        let blocks: Vec<Name> = run.pat.iter().filter_map(|p| Some(self.scope.array(p.name)?.place.block)).collect();
        // Several dimensions have variables that go from one point to the next.
        let is_apart = (is_inside || run.is_independent()) && run.flat.as_ref().is_none_or(|flat| flat.space.len() < 2);
        let results = is_apart.then_some(&blocks[..]);
        let mut loops: Vec<(Name, Exp)> = Vec::with_capacity(run.space.len());
        let mut split = Vec::new();
        for dim in plan.order(run.space.len()) {
            let (var, n) = run.space[dim];
            // A chunk has only a part of the first dimension.
            match plan.split(dim).filter(|_| dim > 0 || run.shift == 0) {
                Some(sizes) => {
                    loops.extend(self.split_index(var, sizes));
                    split.push(var);
                }
                None => loops.push((var, self.operand(n))),
            }
        }
        if let Some(flat) = &run.flat {
            self.begin_points(flat, run.space[0].0);
        }
        let is_cut = !plan.cuts().is_empty() && run.is_independent() && split.is_empty() && plan.squares().is_none();
        if let (Some((var, bound)), true) = (loops.last().cloned(), is_cut) {
            loops.pop();
            self.loops(loops, results, |cx| {
                if !cx.in_parts(run, var, bound.clone(), results) {
                    cx.for_loop(var, Prim::I64, bound, results, |cx| cx.iteration(run, &accs, is_inside));
                }
            });
        } else if let ([(var, bound)], []) = (&loops[..], &split[..]) {
            let (var, bound) = (*var, bound.clone());
            match (plan.lanes(), plan.stream()) {
                (Some(lanes), _) if run.ops.iter().all(|op| !run.scans(op) && !op.results.is_empty()) => {
                    self.in_lanes(run, lanes, &accs, bound);
                }
                (_, Some(stream)) if self.streams(run) => self.streamed(run, stream, &bound.clone(), |cx| {
                    cx.for_loop(var, Prim::I64, bound, results, |cx| cx.iteration(run, &accs, is_inside));
                }),
                _ => self.for_loop(var, Prim::I64, bound, results, |cx| cx.iteration(run, &accs, is_inside)),
            }
        } else if let (Some(squares), []) = (plan.squares(), &split[..]) {
            let vars = [squares.across, squares.along].map(|dim| run.space[dim].0);
            let (others, sides): (Vec<_>, Vec<_>) = loops.into_iter().partition(|(var, _)| !vars.contains(var));
            let [across, along] = &sides[..] else { panic!("{} has no such squares", par.plan) };
            let sides = [across.clone(), along.clone()];
            self.squares(others, sides, squares.side, results, |cx| cx.iteration(run, &accs, is_inside));
        } else {
            self.loops(loops, results, |cx| {
                split.into_iter().for_each(|var| cx.join_index(var));
                cx.iteration(run, &accs, is_inside);
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
    pub(super) fn accumulators(&mut self, ops: &[Op]) -> Vec<Vec<Acc>> {
        let mut accs = Vec::with_capacity(ops.len());
        for Op { op, neutral, results } in ops {
            let mut of_op = Vec::with_capacity(neutral.len());
            for (at, (neutral, param)) in neutral.iter().zip(&op.lambda.params).enumerate() {
                let result = results.get(at);
                of_op.push(match result {
                    Some(result) if !op.shape.is_empty() => {
                        let array = self.array(result.name);
                        match self.array_operand(*neutral) {
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
    pub(super) fn iteration(&mut self, run: &Run, accs: &[Vec<Acc>], is_inside: bool) {
        self.vary(accs);
        if let Some(flat) = &run.flat {
            self.find_point(flat, run.space[0].0);
        }
        self.body(&run.body);
        let index: Vec<Poly> = match &run.flat {
            None => run.space.iter().map(|(var, _)| Poly::name(*var)).collect(),
            Some(flat) => flat.space.iter().map(|(var, _)| self.size(Operand::Var(*var))).collect(),
        };
        self.finish(run, accs, &index, is_inside);
    }

    /// Declares the indices of the first point of a loop over several dimensions. Those of the next one come from them
    /// by additions, instead of by a division for each dimension. They are known by the index of the loop.
    fn begin_points(&mut self, flat: &Flat, number: Name) {
        if flat.space.len() < 2 {
            return;
        }
        // A size is 0 where there are no points.
        let sizes: Vec<Exp> =
            flat.space.iter().map(|(_, n)| self.let_i64("n", Exp::max(self.operand(*n), Exp::i64(1)))).collect();
        let first = self.digits_of(Exp::var(flat.start), &sizes);
        let steps = self.digits_of(flat.step.map_or(Exp::i64(1), Exp::var), &sizes);
        let mut digits = Vec::with_capacity(sizes.len());
        for (((value, step), size), at) in first.into_iter().zip(steps).zip(sizes).zip(0..) {
            let name = self.fresh("at");
            // The first goes beyond its size after the last point.
            let beyond = if at == 0 { Exp::add(step.clone(), Exp::i64(2)) } else { Exp::i64(0) };
            let is_of_launch = at == 0 && flat.is_of_launch;
            self.indices.insert(name, Index { bound: Exp::add(size.clone(), beyond), is_of_launch });
            self.variable(name, Prim::I64);
            self.push(Stm::Declare { name, ty: Ty::Scalar(Prim::I64) });
            self.push(Stm::Set { name, value });
            digits.push(Digit { name, step, size });
        }
        self.points.insert(number, digits);
    }

    /// A number to the base of sizes, of which the first is no limit.
    fn digits_of(&mut self, number: Exp, sizes: &[Exp]) -> Vec<Exp> {
        let mut rest = number;
        let mut digits = Vec::with_capacity(sizes.len());
        for size in sizes[1..].iter().rev() {
            digits.push(self.let_i64("digit", Exp::rem(rest.clone(), size.clone())));
            rest = self.let_i64("rest", Exp::quot(rest, size.clone()));
        }
        digits.push(rest);
        digits.reverse();
        digits
    }

    /// The indices of the point that it is the turn of, after which the variables are about the next one.
    fn next_point(&mut self, flat: &Flat, digits: &[Digit]) {
        for ((var, _), digit) in flat.space.iter().zip(digits) {
            let here = self.here();
            self.depths.insert(digit.name, here);
            self.variable(*var, Prim::I64);
            self.push(Stm::Let { name: *var, prim: Prim::I64, value: Exp::var(digit.name) });
        }
        let mut carry = None;
        for (at, ((var, _), Digit { name, step, size })) in flat.space.iter().zip(digits).enumerate().rev() {
            let mut sum = Exp::add(Exp::var(*var), step.clone());
            if let Some(carry) = carry.take() {
                sum = Exp::add(sum, carry);
            }
            let sum = self.let_i64("sum", sum);
            let is_over = Exp::cmp(CmpOp::Le, size.clone(), sum.clone());
            let value = match at {
                0 => sum,
                _ => Exp::select(is_over.clone(), Exp::sub(sum.clone(), size.clone()), sum),
            };
            self.push(Stm::Set { name: *name, value });
            carry = Some(Exp::select(is_over, Exp::i64(1), Exp::i64(0)));
        }
    }

    /// The indices of a point, from its number among those of a loop.
    fn find_point(&mut self, flat: &Flat, number: Name) {
        if let Some(digits) = self.points.get(&number).cloned() {
            return self.next_point(flat, &digits);
        }
        let apart = match flat.step {
            Some(step) => Exp::mul(Exp::var(number), Exp::var(step)),
            None => Exp::var(number),
        };
        let mut rest = self.let_i64("point", Exp::add(Exp::var(flat.start), apart));
        if let Exp::Var(point, _) = rest {
            let sizes = flat.space.iter().map(|(_, n)| self.operand(*n)).collect();
            self.indices.insert(point, Index { bound: product_of(sizes), is_of_launch: flat.is_of_launch });
        }
        for (at, (var, n)) in flat.space.iter().enumerate().rev() {
            if at == 0 {
                self.bind(*var, rest);
                break;
            }
            let n = self.operand(*n);
            self.bind(*var, Exp::rem(rest.clone(), n.clone()));
            rest = self.let_i64("rest", Exp::quot(rest, n));
        }
    }

    /// What an iteration at an index does after its body.
    pub(super) fn finish(&mut self, run: &Run, accs: &[Vec<Acc>], index: &[Poly], is_inside: bool) {
        let lambdas: Vec<Cow<Lambda>> = run.ops.iter().map(|op| Cow::Borrowed(&op.op.lambda)).collect();
        self.finish_once(run, accs, &Once { results: &run.body.results, lambdas: &lambdas, index, is_inside });
    }

    /// The iteration of a run over one dimension at an index, under other names, which writes to where `element` says.
    pub(super) fn copied_iteration(&mut self, run: &Run, accs: &[Vec<Acc>], at: &Poly, element: Option<Poly>) {
        let body = copy_body(&run.body, self.fresh);
        let lambdas: Vec<Cow<Lambda>> =
            run.ops.iter().map(|op| Cow::Owned(copy_lambda(&op.op.lambda, self.fresh))).collect();
        let (var, _) = run.space[0];
        let index = match at.as_operand() {
            Some(Operand::Var(name)) => name,
            _ => {
                let index = self.fresh.like(var);
                self.define_index(index, at);
                index
            }
        };
        self.stands_for(var, &Exp::var(index));
        self.vary(accs);
        self.body(&body);
        let index = [element.unwrap_or_else(|| Poly::name(index))];
        self.finish_once(
            run,
            accs,
            &Once { results: &body.results, lambdas: &lambdas, index: &index, is_inside: false },
        );
    }

    fn finish_once(&mut self, run: &Run, accs: &[Vec<Acc>], once: &Once) {
        let mut operands = once.results;
        for ((op, accs), lambda) in run.ops.iter().zip(accs).zip(once.lambdas) {
            let (values, rest) = operands.split_at(op.neutral.len());
            operands = rest;
            self.accumulate(op, lambda, accs, values);
        }
        if !run.has_forms {
            return;
        }
        if let Some(post) = &run.par.post {
            let scanned = accs.iter().zip(&run.ops).filter(|(_, op)| op.op.kind == OpKind::Scan);
            for (param, acc) in post.params.iter().zip(scanned.flat_map(|(accs, _)| accs)) {
                if let Acc::Var(name, prim) = acc {
                    self.stands_for(param.name, &Exp::Var(*name, *prim));
                }
            }
            self.body(&post.body);
            operands = &post.body.results;
        }
        self.forms(run.forms(), &run.pat[run.par.reduced()..], once.index, operands, once.is_inside);
    }

    /// What becomes of values at an index.
    pub(super) fn forms(
        &mut self,
        forms: &[Form],
        mut results: &[ir::Param],
        index: &[Poly],
        mut operands: &[Operand],
        is_inside: bool,
    ) {
        for form in forms {
            let (values, rest) = operands.split_at(form.operands());
            let (these, others) = results.split_at(form.results());
            self.form(form, these, index, values, is_inside);
            (operands, results) = (rest, others);
        }
    }

    /// Combines what the accumulators of an operator have with these values.
    pub(super) fn accumulate(&mut self, op: &Op, lambda: &Lambda, accs: &[Acc], values: &[Operand]) {
        if let Some(Acc::Array(first)) = accs.first() {
            let dests: Vec<Array> = accs.iter().filter_map(as_array).collect();
            return self.combine(lambda, &dests, &first.sizes.clone(), &[], values);
        }
        let old = accs.iter().filter_map(Acc::load);
        let new = values.iter().map(|value| self.operand(*value));
        let args = old.chain(new).collect();
        let results = self.accumulated(lambda, &op.neutral, args);
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
        if dests.first().is_some_and(|dest| self.contended.contains_key(&dest.place.block)) {
            return self.combine_at_once(op, dests, sizes, at, values);
        }
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

    /// The same, where others may do so at the same time.
    fn combine_at_once(&mut self, op: &Lambda, dests: &[Array], sizes: &[Poly], at: &[Poly], values: &[Operand]) {
        let blocks: Vec<Name> = dests.iter().map(|dest| dest.place.block).collect();
        self.nest(sizes, &blocks, None, |cx, inner| {
            let mut new = Vec::with_capacity(values.len());
            for value in values {
                new.push(match cx.array_operand(*value) {
                    Some(array) => {
                        let name = cx.fresh("new");
                        let value = cx.load(&array, inner);
                        cx.bind(name, value);
                        cx.operand(Operand::Var(name))
                    }
                    None => cx.operand(*value),
                });
            }
            cx.update_at(op, dests, &[at, inner].concat(), new);
        });
    }

    /// What an operator gives for what it has so far, and for more. The least number so far is never NaN if it began as
    /// a number, so that it takes one instruction instead of three.
    pub(super) fn accumulated(&mut self, op: &Lambda, neutral: &[Operand], args: Vec<Exp>) -> Vec<Exp> {
        let Some(cmp) = least_or_greatest(op, neutral) else { return self.apply(op, args) };
        for (param, arg) in op.params.iter().zip(args) {
            self.bind(param.name, arg);
        }
        let [old, new] = [0, 1].map(|k| self.operand(Operand::Var(op.params[k].name)));
        let is_new = Exp::cmp(cmp, new.clone(), old.clone());
        vec![Exp::select(is_new, new, old)]
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
            let [i, n] = [i, n].map(|x| Exp::conv(Prim::U64, x));
            let test = Exp::cmp(CmpOp::Lt, i, n);
            cond = Some(match cond {
                None => test,
                Some(cond) => Exp::and(cond, test),
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
            Acc::At { block, prim, index } => Some(Exp::load(*block, *prim, index.clone())),
            Acc::Array(_) => None,
        }
    }
}

/// How what replaces the float so far compares to it, for an operator that is the minimum or maximum and begins with a
/// number.
fn least_or_greatest(op: &Lambda, neutral: &[Operand]) -> Option<CmpOp> {
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
    match bin {
        BinOp::Min => Some(CmpOp::Lt),
        BinOp::Max => Some(CmpOp::Gt),
        _ => None,
    }
}

fn as_array(acc: &Acc) -> Option<Array> {
    match acc {
        Acc::Var(..) | Acc::At { .. } => None,
        Acc::Array(array) => Some(array.clone()),
    }
}
