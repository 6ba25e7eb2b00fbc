//! `par`: a nest of loops. Accumulators are variables, or for a reduction with a vector shape its result; what the
//! iterations yield goes to its place.

use super::array::Part;
use super::{Array, Lower};
use crate::{Exp, Hint, Stm, Ty};
use kenaz_ir as ir;
use kenaz_ir::{BinOp, CmpOp, Form, Lambda, Name, OpKind, Operand, Par, ParOp, Poly, Type};
use kenaz_syntax::ast::Prim;

/// Where an operator keeps what it has so far.
pub(super) enum Acc {
    Var(Name, Prim),
    Array(Array),
}

impl Lower<'_> {
    pub(super) fn par(&mut self, pat: &[ir::Param], par: &Par) {
        self.bind_arrays(pat);
        if self.exchange(pat, par) {
            return;
        }
        let accs = self.accumulators(pat, par);
        let order = self.best_order(pat, par);
        let independent = par.ops.is_empty() && par.forms.iter().all(|f| matches!(f, Form::Own | Form::Tile(_)));
        let blocks: Vec<Name> = pat.iter().filter_map(|p| Some(self.arrays.get(&p.name)?.place.block)).collect();
        let results = independent.then_some(&blocks[..]);
        let mut loops: Vec<(Name, Exp)> = Vec::with_capacity(order.len());
        let mut split = Vec::new();
        for dim in order {
            let (var, n) = par.space[dim];
            match self.nest_along(par, var, n) {
                Some(sizes) => {
                    loops.extend(self.split_index(var, &sizes));
                    split.push(var);
                }
                None => loops.push((var, self.operand(n))),
            }
        }
        if let ([(var, bound)], []) = (&loops[..], &split[..]) {
            let (var, bound) = (*var, bound.clone());
            let mut hint = Hint::default();
            let body = self.scoped(true, |cx| {
                cx.variable(var, Prim::I64);
                cx.iteration(pat, par, &accs);
                hint.independent = results.is_some_and(|results| cx.writes_only(results));
            });
            self.reduce_loop(par, &accs, var, bound, hint, body);
        } else {
            self.loops(loops, results, |cx| {
                split.into_iter().for_each(|var| cx.join_index(var));
                cx.iteration(pat, par, &accs);
            });
        }
        let here = self.here();
        for acc in accs.iter().flatten() {
            if let Acc::Var(name, _) = acc {
                self.depths.insert(*name, here);
            }
        }
    }

    /// The sizes of a nest of dimensions, the innermost last, if the body reads an array all along one with this index.
    /// Two loops are then better than one that divides its index.
    fn nest_along(&self, par: &Par, var: Name, n: Operand) -> Option<Vec<Poly>> {
        let bound = self.size(n);
        let nest_of = |stm: &ir::Stm| {
            let ir::Exp::Index(array, index) = &stm.exp else { return None };
            let at = index.iter().position(|i| *i == Operand::Var(var))?;
            let pairs = &self.arrays.get(array)?.place.layout.dims.get(at)?.0;
            let size = pairs.iter().try_fold(Poly::constant(1), |size, pair| size.times(&pair.size))?;
            let sizes = || pairs.iter().map(|pair| pair.size.clone()).collect();
            (pairs.len() > 1 && self.equal(&size, &bound)).then(sizes)
        };
        par.body.stms.iter().find_map(nest_of)
    }

    /// The loops that together do what a loop over the product of the sizes would do.
    fn split_index(&mut self, var: Name, sizes: &[Poly]) -> Vec<(Name, Exp)> {
        let mut loops = Vec::with_capacity(sizes.len());
        let mut whole = var;
        for (at, size) in sizes.iter().enumerate().rev() {
            let bound = self.index(size);
            if at == 0 {
                loops.push((whole, bound));
                break;
            }
            let (low, high) = (self.fresh.like(var), self.fresh.like(var));
            loops.push((low, bound));
            self.digits.insert(whole, (Poly::name(low), Poly::name(high), size.clone()));
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
        self.meanings.insert(var, self.normal(&value));
        self.definitions.insert(var, value.clone());
        let value = self.index(&value);
        self.bind(var, value);
    }

    /// Declares and initialises the accumulators of all operators. Those of reductions are the results.
    fn accumulators(&mut self, pat: &[ir::Param], par: &Par) -> Vec<Vec<Acc>> {
        let mut results = pat.iter();
        let mut accs = Vec::with_capacity(par.ops.len());
        for op in &par.ops {
            let mut of_op = Vec::with_capacity(op.neutral.len());
            for (neutral, param) in op.neutral.iter().zip(&op.lambda.params) {
                let result = if op.kind == OpKind::Scan { None } else { results.next() };
                of_op.push(match result {
                    Some(result) if !op.shape.is_empty() => {
                        let array = self.array(result.name);
                        let is_array = neutral.name().and_then(|name| self.arrays.get(&name).cloned());
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
    fn iteration(&mut self, pat: &[ir::Param], par: &Par, accs: &[Vec<Acc>]) {
        let here = self.here();
        for acc in accs.iter().flatten() {
            if let Acc::Var(name, _) = acc {
                self.depths.insert(*name, here);
            }
        }
        self.body(&par.body);
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
                    self.scalars.insert(param.name, Exp::Var(*name, *prim));
                }
            }
            self.body(&post.body);
            operands = &post.body.results;
        }
        let index: Vec<Poly> = par.space.iter().map(|(var, _)| Poly::name(*var)).collect();
        let mut results = &pat[par.reduced()..];
        for form in &par.forms {
            let (values, rest) = operands.split_at(form.operands());
            let (these, others) = results.split_at(form.results());
            self.form(form, these, &index, values);
            (operands, results) = (rest, others);
        }
    }

    fn accumulate(&mut self, op: &ParOp, accs: &[Acc], values: &[Operand]) {
        let Some(Acc::Array(first)) = accs.first() else {
            let vars: Vec<(Name, Prim)> = accs.iter().filter_map(as_var).collect();
            let old = vars.iter().map(|(name, prim)| Exp::Var(*name, *prim));
            let new = values.iter().map(|value| self.operand(*value));
            let args = old.chain(new).collect();
            let results = self.apply(&op.lambda, args);
            self.assign_scalars(vars.into_iter().map(|(name, _)| name).zip(results).collect());
            return;
        };
        let dests: Vec<Array> = accs.iter().filter_map(as_array).collect();
        self.combine(&op.lambda, &dests, &first.sizes.clone(), &[], values);
    }

    /// Combines values, element by element, with what is at an index of arrays whose rows have these sizes.
    fn combine(&mut self, op: &Lambda, dests: &[Array], sizes: &[Poly], at: &[Poly], values: &[Operand]) {
        let blocks: Vec<Name> = dests.iter().map(|dest| dest.place.block).collect();
        self.nest(sizes, &blocks, None, |cx, inner| {
            let index = [at, inner].concat();
            let mut args = Vec::with_capacity(2 * dests.len());
            for dest in dests {
                args.push(cx.load(dest, &index));
            }
            for value in values {
                let array = value.name().and_then(|name| cx.arrays.get(&name).cloned());
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

    /// A function over scalars, here.
    pub(super) fn apply(&mut self, lambda: &Lambda, args: Vec<Exp>) -> Vec<Exp> {
        for (param, arg) in lambda.params.iter().zip(args) {
            self.bind(param.name, arg);
        }
        self.body(&lambda.body);
        lambda.body.results.iter().map(|x| self.operand(*x)).collect()
    }

    fn form(&mut self, form: &Form, results: &[ir::Param], index: &[Poly], values: &[Operand]) {
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
                    cx.write(&region, value[0]);
                });
            }
            Form::Acc { rank, op, .. } => {
                let dests: Vec<Array> = results.iter().map(|result| self.array(result.name)).collect();
                let Some(first) = dests.first() else { return };
                let (at, values) = values.split_at(*rank);
                let sizes = first.sizes[*rank..].to_vec();
                self.in_bounds(&first.clone(), at, |cx, at| cx.combine(op, &dests, &sizes, &at, values));
            }
        }
    }

    /// What is done at an index unless it is out of range.
    fn in_bounds(&mut self, array: &Array, at: &[Operand], f: impl FnOnce(&mut Self, Vec<Poly>)) {
        let mut cond: Option<Exp> = None;
        for (i, n) in at.iter().zip(&array.sizes) {
            let (i, n) = (self.operand(*i), self.index(n));
            let low = Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(Exp::i64(0)), Box::new(i.clone()));
            let high = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(i), Box::new(n));
            for test in [low, high] {
                cond = Some(match cond {
                    None => test,
                    Some(cond) => Exp::Bin(BinOp::And, Prim::Bool, Box::new(cond), Box::new(test)),
                });
            }
        }
        let at: Vec<Poly> = at.iter().map(|i| self.size(*i)).collect();
        match cond {
            None => f(self, at),
            Some(cond) => {
                let yes = self.scoped(false, |cx| f(cx, at));
                self.push(Stm::If { cond, yes, no: Vec::new() });
            }
        }
    }
}

fn as_var(acc: &Acc) -> Option<(Name, Prim)> {
    match acc {
        Acc::Var(name, prim) => Some((*name, *prim)),
        Acc::Array(_) => None,
    }
}

fn as_array(acc: &Acc) -> Option<Array> {
    match acc {
        Acc::Var(..) => None,
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
