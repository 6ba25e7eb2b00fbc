//! Reductions inside a `par`, when another index than that of the reduction goes along neighbours: the iterations go hand
//! in hand, a strip of them at a time.
//!
//! ```text
//! for j < m {                            for h < (m + 1023) / 1024 {
//!   let x = b[j]                           let w = min(1024, m - h*1024)
//!   s = 0                                  local s'[1024]
//!   for k < n { s = s + a[k*m + j] }       for g < w { s'[g] = 0 }
//!   c[j] = s * x                           for k < n { for g < w { s'[g] = s'[g] + a[k*m + h*1024 + g] } }
//! }                                        for g < w { let x = b[h*1024 + g]; c[h*1024 + g] = s'[g] * x }
//!                                        }
//! ```
//!
//! What comes before a reduction, between two of them and after the last is done in loops of its own. Scalars that go from
//! one such loop to another are kept in the strip, those that are cheap are computed again, and what a reduction does not
//! need waits until it is needed. Several operands of a reduction (`k`, `k + 1`, …) are combined in one go. The operands of each reduction come in the same order as before, and so do the results
//! of the iterations, so that no operator need commute. The body may end in anything; what is exchanged is a part of it
//! that only reads. Matrix products, sums of columns and products with a transposed matrix are like this.

use super::Lower;
use super::array::bytes_of;
use super::order::{any_order, far, linear};
use super::par::Acc;
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::visit::{copy_body, copy_lambda, free_in_lambda, free_in_stm};
use kenaz_ir::{BinOp, Body, Name, OpKind, Operand, Par, Poly, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How many bytes a strip should have at most, so that it stays near with what the reductions read, and how many elements
/// at least, so that it is worth it.
const STRIP_BYTES: u64 = 8192;
const SHORTEST: u64 = 64;
/// Fewer iterations than this, if that is known, are not worth a strip.
const FEWEST: i64 = 8;

/// How many operands of a reduction are combined at once with what is in the strip, so that it is loaded and stored less
/// often, and the longest body that is written so often.
const AT_ONCE: i64 = 4;
const MOST_JAMMED: usize = 16;

/// A `par` whose body begins with reductions and what they need.
struct Nest<'p> {
    /// The dimensions of the `par`, that of the strip last.
    order: Vec<usize>,
    /// All scalars and views before the last reduction, and which of them are computed again where they are needed.
    simple: Vec<(&'p ir::Stm, bool)>,
    reductions: Vec<Reduction<'p>>,
    rest: &'p [ir::Stm],
}

struct Reduction<'p> {
    par: &'p Par,
    sums: &'p [ir::Param],
    /// Scalars that are kept from here on.
    first_here: Vec<(Name, Prim)>,
}

/// Where a strip is.
struct Strip {
    width: Exp,
    len: u64,
    /// The index of its first iteration.
    start: Poly,
    /// Scalars of the iterations, by name.
    kept: FxHashMap<Name, (Name, Prim)>,
}

impl Lower<'_> {
    /// Lowers a `par` this way, if that is better.
    pub(super) fn exchange(&mut self, pat: &[ir::Param], par: &Par) -> bool {
        let Some(nest) = self.nest_of(par) else { return false };
        let Some((inner, outer)) = nest.order.split_last() else { return false };
        let ops: Vec<&ir::ParOp> = par.ops.iter().collect();
        let accs = self.accumulators(pat, &ops);
        let blocks = || pat.iter().filter_map(|p| Some(self.scope.array(p.name)?.place.block)).collect();
        let results: Option<Vec<Name>> = any_order(par).then(blocks);
        let outer = outer.iter().map(|dim| (par.space[*dim].0, self.operand(par.space[*dim].1))).collect();
        let bound = self.operand(par.space[*inner].1);
        let len = nest.strip_len();
        self.loops(outer, results.as_deref(), |cx| {
            let strip = cx.fresh("h");
            let one_more = Exp::Add(Box::new(bound.clone()), Box::new(Exp::i64(len.cast_signed() - 1)));
            let strips = Exp::Quot(Box::new(one_more), Box::new(Exp::i64(len.cast_signed())));
            cx.for_loop(strip, Prim::I64, strips, results.as_deref(), |cx| {
                let start = cx.times(&Poly::name(strip), &Poly::constant(len.into()));
                let left = Exp::Sub(Box::new(bound), Box::new(cx.index(&start)));
                let width = Exp::Bin(BinOp::Min, Prim::I64, Box::new(Exp::i64(len.cast_signed())), Box::new(left));
                let width = cx.let_index("w", width);
                let mut strip = Strip { width, len, start, kept: FxHashMap::default() };
                let inner = par.space[*inner].0;
                for reduction in &nest.reductions {
                    cx.reduce_strip(&nest, reduction, inner, &mut strip);
                }
                cx.finish_strip(&nest, pat, par, &accs, inner, &strip, results.as_deref());
            });
        });
        self.vary(&accs);
        true
    }

    /// One of the reductions, for all iterations of a strip.
    fn reduce_strip(&mut self, nest: &Nest, reduction: &Reduction, inner: Name, strip: &mut Strip) {
        let neutral = reduction.par.ops.iter().flat_map(|op| &op.neutral);
        let neutral: Vec<Exp> = neutral.map(|x| self.operand(*x)).collect();
        let mut new: Vec<(Name, Prim)> = reduction.first_here.clone();
        new.extend(reduction.sums.iter().filter_map(|sum| Some((sum.name, sum.ty.prim()?))));
        let mut blocks = FxHashMap::default();
        for (name, prim) in new {
            let block = self.fresh.like(name);
            self.push(Stm::Local { name: block, prim, len: strip.len });
            blocks.insert(name, (block, prim));
        }
        let own: Vec<Name> = blocks.values().map(|(block, _)| *block).collect();
        let at = |name: Name, g: Name| {
            let (block, prim) = blocks[&name];
            Acc::At { block, prim, index: Exp::Var(g, Prim::I64) }
        };

        // What is before it.
        let names: Vec<Name> = reduction.first_here.iter().map(|(name, _)| *name).collect();
        self.along_strip(strip, inner, &own, |cx, g| {
            let body = cx.simple_body(nest, &strip.kept, names.iter().copied().collect(), g);
            let body = Body { results: names.iter().map(|name| Operand::Var(*name)).collect(), ..body };
            let body = copy_body(&body, cx.fresh);
            cx.body(&body);
            let values = body.results.iter().map(|x| cx.operand(*x)).collect();
            let accs: Vec<Acc> = names.iter().map(|name| at(*name, g)).collect();
            cx.put(&accs, values);
            let accs: Vec<Acc> = reduction.sums.iter().map(|sum| at(sum.name, g)).collect();
            cx.put(&accs, neutral);
        });
        strip.kept.extend(names.iter().map(|name| (*name, blocks[name])));

        let par = reduction.par;
        let Some(((along, n), outer)) = par.space.split_last() else { return };
        let loops = outer.iter().map(|(var, n)| (*var, self.operand(*n))).collect();
        let n = self.operand(*n);
        self.loops(loops, None, |cx| {
            let at_once = if par.body.stms.len() > MOST_JAMMED { 1 } else { AT_ONCE };
            let accs: &dyn Fn(Name) -> Vec<Acc> = &|g| reduction.sums.iter().map(|sum| at(sum.name, g)).collect();
            let rounds = Exp::Quot(Box::new(n.clone()), Box::new(Exp::i64(at_once)));
            let rounds = if at_once == 1 { n.clone() } else { cx.let_index("q", rounds) };
            let round = cx.fresh("k");
            cx.for_loop(round, Prim::I64, rounds.clone(), None, |cx| {
                let first = cx.times(&Poly::name(round), &Poly::constant(at_once.into()));
                let mut indices = Vec::new();
                for more in 0..at_once {
                    let index = cx.fresh.like(*along);
                    let value = cx.plus(&first, &Poly::constant(more.into()));
                    cx.define_index(index, &value);
                    indices.push(cx.operand(Operand::Var(index)));
                }
                cx.along_strip(strip, inner, &own, |cx, g| cx.reduce_at(nest, par, strip, &indices, &accs(g), g));
            });
            if at_once == 1 {
                return;
            }
            let done = cx.let_index("t", Exp::Mul(Box::new(rounds), Box::new(Exp::i64(at_once))));
            let left = cx.let_index("n", Exp::Sub(Box::new(n), Box::new(done.clone())));
            let round = cx.fresh("k");
            cx.for_loop(round, Prim::I64, left, None, |cx| {
                let index = Exp::Add(Box::new(done), Box::new(Exp::Var(round, Prim::I64)));
                let index = cx.let_index("i", index);
                cx.along_strip(strip, inner, &own, |cx, g| cx.reduce_at(nest, par, strip, &[index], &accs(g), g));
            });
        });
        strip.kept.extend(reduction.sums.iter().filter_map(|sum| Some((sum.name, *blocks.get(&sum.name)?))));
    }

    /// The operands of a reduction at some indices, one after the other, for one iteration of a strip.
    fn reduce_at(&mut self, nest: &Nest, par: &Par, strip: &Strip, indices: &[Exp], accs: &[Acc], g: Name) {
        let Some((along, _)) = par.space.last() else { return };
        let mut needed = BTreeSet::new();
        par.body.stms.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
        needed.extend(par.body.results.iter().filter_map(|x| x.name()));
        let before = self.simple_body(nest, &strip.kept, needed, g);
        let mut sums: Vec<Exp> = accs.iter().filter_map(Acc::load).collect();
        for index in indices {
            self.stands_for(*along, index);
            let stms = before.stms.iter().chain(&par.body.stms).cloned().collect();
            let body = copy_body(&Body { stms, results: par.body.results.clone() }, self.fresh);
            self.body(&body);
            let (mut values, mut old, mut new) = (&body.results[..], &sums[..], Vec::new());
            for op in &par.ops {
                let (these, others) = values.split_at(op.neutral.len());
                let (to, later) = old.split_at(op.neutral.len());
                let args = to.iter().cloned().chain(these.iter().map(|x| self.operand(*x))).collect();
                let lambda = copy_lambda(&op.lambda, self.fresh);
                new.extend(self.accumulated(&lambda, &op.neutral, args));
                (values, old) = (others, later);
            }
            sums = new;
        }
        self.put(accs, sums);
    }

    /// What is after the last reduction, for all iterations of a strip.
    #[expect(clippy::too_many_arguments, reason = "an iteration needs what the whole `par` has")]
    fn finish_strip(
        &mut self,
        nest: &Nest,
        pat: &[ir::Param],
        par: &Par,
        accs: &[Vec<Acc>],
        inner: Name,
        strip: &Strip,
        results: Option<&[Name]>,
    ) {
        let mut needed: BTreeSet<Name> = par.body.results.iter().filter_map(|x| x.name()).collect();
        nest.rest.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
        let post = par.post.iter().flat_map(|post| &post.body.stms);
        post.for_each(|stm| needed.extend(free_in_stm(stm)));
        needed.extend(par.post.iter().flat_map(|post| &post.body.results).filter_map(|x| x.name()));
        let g = self.fresh("g");
        let index = self.fresh.like(inner);
        self.for_loop(g, Prim::I64, strip.width.clone(), results, |cx| {
            cx.vary(accs);
            cx.at_index(strip, inner, index, g);
            let before = cx.simple_body(nest, &strip.kept, needed, g);
            cx.body(&before);
            nest.rest.iter().for_each(|stm| cx.stm(stm));
            let name = |(var, _): &(Name, Operand)| Poly::name(if *var == inner { index } else { *var });
            let index: Vec<Poly> = par.space.iter().map(name).collect();
            cx.finish(pat, par, accs, &index, false);
        });
    }

    /// A loop over the iterations of a strip, which writes to what is kept of them.
    fn along_strip(&mut self, strip: &Strip, inner: Name, own: &[Name], f: impl FnOnce(&mut Self, Name)) {
        let g = self.fresh("g");
        let index = self.fresh.like(inner);
        self.for_loop(g, Prim::I64, strip.width.clone(), Some(own), |cx| {
            cx.at_index(strip, inner, index, g);
            f(cx, g);
        });
    }

    /// Gives the index of an iteration its value, under a name for this loop.
    fn at_index(&mut self, strip: &Strip, inner: Name, index: Name, g: Name) {
        let value = self.plus(&strip.start, &Poly::name(g));
        self.define_index(index, &value);
        self.stands_for(inner, &Exp::Var(index, Prim::I64));
    }

    /// The simple statements that names need. What is kept of them is loaded.
    fn simple_body(
        &mut self,
        nest: &Nest,
        kept: &FxHashMap<Name, (Name, Prim)>,
        mut needed: BTreeSet<Name>,
        g: Name,
    ) -> Body {
        let mut stms = Vec::new();
        for (stm, _) in nest.simple.iter().rev() {
            let is_needed = |param: &ir::Param| needed.contains(&param.name) && !kept.contains_key(&param.name);
            if stm.pat.iter().any(is_needed) {
                needed.extend(free_in_stm(stm));
                stms.push((*stm).clone());
            }
        }
        stms.reverse();
        for name in needed {
            let Some((block, prim)) = kept.get(&name).copied() else { continue };
            let copy = self.fresh.like(name);
            self.bind(copy, Exp::Load { block, prim, index: Box::new(Exp::Var(g, Prim::I64)) });
            self.stands_for(name, &Exp::Var(copy, prim));
        }
        Body { stms, results: Vec::new() }
    }

    fn nest_of<'p>(&self, par: &'p Par) -> Option<Nest<'p>> {
        let (mut simple, mut reductions, mut found) = (Vec::new(), Vec::new(), 0);
        for (at, stm) in par.body.stms.iter().enumerate() {
            match &stm.exp {
                ir::Exp::Par(inner) if self.is_reduction(inner) => {
                    reductions.push((inner, &stm.pat[..], simple.len()));
                    found = at + 1;
                }
                exp if is_scalar(exp) || exp.is_view() => simple.push(stm),
                _ => break,
            }
        }
        let (.., before_last) = reductions.last()?;
        // What is after the last one.
        let rest = &par.body.stms[found..];
        simple.truncate(*before_last);
        let order = self.strip_order(par, &simple, &reductions)?;
        let inner = par.space[*order.last()?];
        if matches!(inner.1, Operand::Const(n) if n.as_i64().is_some_and(|n| n < FEWEST)) {
            return None;
        }
        let simple: Vec<_> = simple.into_iter().map(|stm| (stm, self.is_cheap(stm, par, inner.0))).collect();
        let mut nest = Nest { order, simple, reductions: Vec::new(), rest };
        let mut done: BTreeSet<Name> = BTreeSet::new();
        for (reduce, sums, _) in reductions {
            let mut first_here = Vec::new();
            for (name, prim) in nest.kept_for(reduce) {
                if done.insert(name) {
                    first_here.push((name, prim));
                }
            }
            nest.reductions.push(Reduction { par: reduce, sums, first_here });
        }
        Some(nest)
    }

    /// Whether a `par` reduces scalars, and its body does nothing but read.
    fn is_reduction(&self, par: &Par) -> bool {
        let is_outside = |x: Operand| x.name().is_none_or(|name| self.scope.is_bound(Operand::Var(name)));
        let is_scalar = |op: &ir::ParOp| {
            matches!(op.kind, OpKind::Reduce { .. })
                && op.shape.is_empty()
                && op.lambda.params.iter().all(|param| matches!(param.ty, Type::Prim(_)))
                && op.neutral.iter().all(|x| is_outside(*x))
                && free_in_lambda(&op.lambda).into_iter().all(|name| is_outside(Operand::Var(name)))
        };
        !par.ops.is_empty()
            && par.forms.is_empty()
            && par.post.is_none()
            && par.ops.iter().all(is_scalar)
            && par.space.iter().all(|(_, n)| is_outside(*n))
    }

    /// The order of the dimensions in which that of the strip, the last one, is better than the innermost ones of the
    /// reductions.
    fn strip_order(
        &self,
        par: &Par,
        simple: &[&ir::Stm],
        reductions: &[(&Par, &[ir::Param], usize)],
    ) -> Option<Vec<usize>> {
        let mut loads: Vec<(Name, Vec<Poly>)> = Vec::new();
        for (reduce, _, before) in reductions {
            let simple = || simple[..*before].iter().copied();
            let others = self.loads(simple())?.len();
            let all = self.loads(simple().chain(&reduce.body.stms))?;
            loads.push((reduce.space.last()?.0, all[others..].to_vec()));
        }
        let now: usize = loads.iter().map(|(along, loads)| far(loads, *along)).sum();
        let then = |dim: usize| -> usize { loads.iter().map(|(_, loads)| far(loads, par.space[dim].0)).sum() };
        let last = par.space.len().checked_sub(1)?;
        let first = if any_order(par) { 0 } else { last };
        let best = (first..=last).rev().min_by_key(|dim| then(*dim))?;
        if then(best) >= now {
            return None;
        }
        let mut order: Vec<usize> = (0..=last).filter(|dim| *dim != best).collect();
        order.push(best);
        Some(order)
    }

    /// Whether a statement before a reduction may as well be done again: a view, the sum or product of indices, or a load
    /// that is as good as one of what was kept.
    fn is_cheap(&self, stm: &ir::Stm, par: &Par, inner: Name) -> bool {
        let is_index = |x: &Operand| match x {
            Operand::Var(name) => self.scope.is_bound(*x) || par.space.iter().any(|(var, _)| var == name),
            Operand::Const(_) => true,
        };
        match (&stm.exp, &stm.pat[..]) {
            (exp, [param]) if param.place.is_some() && exp.is_view() => true,
            (ir::Exp::Operand(_), _) => true,
            (ir::Exp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..), [param]) => param.ty == Type::Prim(Prim::I64),
            (ir::Exp::Index(array, index), _) if index.iter().all(is_index) => {
                let index: Vec<Poly> = index.iter().filter_map(|x| Poly::operand(*x)).collect();
                let layout = self.scope.array(*array).map(|array| &array.place.layout);
                layout.and_then(|layout| linear(layout, &index)).is_some_and(|access| far(&[access], inner) == 0)
            }
            _ => false,
        }
    }
}

impl Nest<'_> {
    /// The scalars that a reduction needs, itself or for others that are computed again, and that are kept.
    fn kept_for(&self, reduce: &Par) -> Vec<(Name, Prim)> {
        let mut needed: BTreeSet<Name> = reduce.body.results.iter().filter_map(|x| x.name()).collect();
        reduce.body.stms.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
        let mut kept = Vec::new();
        for (stm, is_cheap) in self.simple.iter().rev() {
            let Some(param) = stm.pat.iter().find(|param| needed.contains(&param.name)) else { continue };
            match param.ty.prim() {
                Some(prim) if !is_cheap => kept.push((param.name, prim)),
                _ => needed.extend(free_in_stm(stm)),
            }
        }
        kept.reverse();
        kept
    }

    /// How many iterations a strip has.
    fn strip_len(&self) -> u64 {
        let sums = self.reductions.iter().flat_map(|r| r.sums).filter_map(|sum| sum.ty.prim());
        let others = self.reductions.iter().flat_map(|r| &r.first_here).map(|(_, prim)| *prim);
        let bytes: u64 = sums.chain(others).map(bytes_of).sum();
        let most = STRIP_BYTES / bytes.max(1);
        // A power of two.
        (1 << most.max(SHORTEST).ilog2()).max(SHORTEST)
    }
}

fn is_scalar(exp: &ir::Exp) -> bool {
    matches!(exp, ir::Exp::Un(..) | ir::Exp::Bin(..) | ir::Exp::Cmp(..) | ir::Exp::Conv(..) | ir::Exp::Math(..))
}
