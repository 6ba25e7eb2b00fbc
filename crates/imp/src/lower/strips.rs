//! `strips`: reductions at the beginning of a body, for a strip of iterations at a time.
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
//! What comes before a reduction, between two of them and after the last is done in loops of its own. Scalars that go
//! from one such loop to another are kept in the strip, those that are cheap are computed again, and what a reduction
//! does not need waits until it is needed. Several operands of a reduction (`k`, `k + 1`, …) are combined in one go.
//! The operands of each reduction come in the same order as before, and so do the results of the iterations. The body
//! may end in anything; what is exchanged is a part of it that only reads.

use super::Lower;
use super::par::{Acc, Run};
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::plan::{self, StripNest, StripReduction};
use kenaz_ir::visit::{copy_body, copy_lambda, free_in_stm};
use kenaz_ir::{Body, Name, Operand, Par, Poly};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What all strips of a run have in common.
struct Strips<'s> {
    nest: &'s StripNest<'s>,
    plan: &'s plan::Strips,
    /// The index along the strips.
    inner: Name,
}

/// Where a strip is.
struct Strip {
    width: Exp,
    /// The index of its first iteration.
    start: Poly,
    /// Scalars of the iterations, by name.
    kept: FxHashMap<Name, (Name, Prim)>,
}

impl Lower<'_> {
    pub(super) fn strips(&mut self, run: &Run, plan: &plan::Strips) {
        let stms = run.body.stms.iter().take(run.shift + plan.stms);
        let Some(nest) = StripNest::of(stms, |_| true) else { panic!("{} has no such strips", run.par.plan) };
        let accs = self.accumulators(&run.ops);
        let blocks = || run.pat.iter().filter_map(|p| Some(self.scope.array(p.name)?.place.block)).collect();
        let results: Option<Vec<Name>> = (run.has_forms && run.par.any_order()).then(blocks);
        let (inner, n) = run.space[plan.dim];
        let outer =
            run.space.iter().filter(|(var, _)| *var != inner).map(|(var, n)| (*var, self.operand(*n))).collect();
        let bound = self.operand(n);
        let len = plan.len.cast_signed();
        let strips = Strips { nest: &nest, plan, inner };
        self.loops(outer, results.as_deref(), |cx| {
            let strip = cx.fresh("h");
            let count = Exp::quot(Exp::add(bound.clone(), Exp::i64(len - 1)), Exp::i64(len));
            cx.for_loop(strip, Prim::I64, count, results.as_deref(), |cx| {
                let start = cx.times(&Poly::name(strip), &Poly::constant(len.into()));
                let left = Exp::sub(bound, cx.index(&start));
                let width = cx.let_i64("w", Exp::min(Exp::i64(len), left));
                let mut strip = Strip { width, start, kept: FxHashMap::default() };
                let mut done: FxHashSet<Name> = FxHashSet::default();
                for (reduction, at_once) in nest.reductions.iter().zip(&plan.at_once) {
                    let mut first_here = nest.kept_for(reduction.par, |name| plan.kept.contains(&name));
                    first_here.retain(|(name, _)| done.insert(*name));
                    cx.reduce_strip(&strips, reduction, &first_here, at_once.cast_signed(), &mut strip);
                }
                cx.finish_strip(run, &strips, &accs, &strip, results.as_deref());
            });
        });
        self.vary(&accs);
    }

    /// One of the reductions, for all iterations of a strip, with the scalars that are kept from here on.
    fn reduce_strip(
        &mut self,
        strips: &Strips,
        reduction: &StripReduction,
        first_here: &[(Name, Prim)],
        at_once: i64,
        strip: &mut Strip,
    ) {
        let neutral = reduction.par.ops.iter().flat_map(|op| &op.neutral);
        let neutral: Vec<Exp> = neutral.map(|x| self.operand(*x)).collect();
        let mut new: Vec<(Name, Prim)> = first_here.to_vec();
        new.extend(reduction.sums.iter().filter_map(|sum| Some((sum.name, sum.ty.prim()?))));
        let mut blocks = FxHashMap::default();
        for (name, prim) in new {
            let block = self.fresh.like(name);
            self.push(Stm::Local { name: block, prim, len: strips.plan.len });
            blocks.insert(name, (block, prim));
        }
        let own: Vec<Name> = blocks.values().map(|(block, _)| *block).collect();
        let at = |name: Name, g: Name| {
            let (block, prim) = blocks[&name];
            Acc::At { block, prim, index: Exp::var(g) }
        };

        // What is before it.
        let names: Vec<Name> = first_here.iter().map(|(name, _)| *name).collect();
        self.along_strip(strip, strips.inner, &own, |cx, g| {
            let body = cx.simple_body(strips.nest, &strip.kept, names.iter().copied().collect(), g);
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
            let accs: &dyn Fn(Name) -> Vec<Acc> = &|g| reduction.sums.iter().map(|sum| at(sum.name, g)).collect();
            let rounds =
                if at_once == 1 { n.clone() } else { cx.let_i64("q", Exp::quot(n.clone(), Exp::i64(at_once))) };
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
                cx.along_strip(strip, strips.inner, &own, |cx, g| {
                    cx.reduce_at(strips.nest, par, strip, &indices, &accs(g), g);
                });
            });
            if at_once == 1 {
                return;
            }
            let done = cx.let_i64("t", Exp::mul(rounds, Exp::i64(at_once)));
            let left = cx.let_i64("n", Exp::sub(n, done.clone()));
            let round = cx.fresh("k");
            cx.for_loop(round, Prim::I64, left, None, |cx| {
                let index = cx.let_i64("i", Exp::add(done, Exp::var(round)));
                cx.along_strip(strip, strips.inner, &own, |cx, g| {
                    cx.reduce_at(strips.nest, par, strip, &[index], &accs(g), g);
                });
            });
        });
        strip.kept.extend(reduction.sums.iter().filter_map(|sum| Some((sum.name, *blocks.get(&sum.name)?))));
    }

    /// The operands of a reduction at some indices, one after the other, for one iteration of a strip.
    fn reduce_at(&mut self, nest: &StripNest, par: &Par, strip: &Strip, indices: &[Exp], accs: &[Acc], g: Name) {
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
    fn finish_strip(&mut self, run: &Run, strips: &Strips, accs: &[Vec<Acc>], strip: &Strip, results: Option<&[Name]>) {
        let rest = &run.body.stms[run.shift + strips.plan.stms..];
        let mut needed: BTreeSet<Name> = run.body.results.iter().filter_map(|x| x.name()).collect();
        rest.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
        if let Some(post) = &run.par.post {
            post.body.stms.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
            needed.extend(post.body.results.iter().filter_map(|x| x.name()));
        }
        let g = self.fresh("g");
        let inner = strips.inner;
        let index = self.fresh.like(inner);
        self.for_loop(g, Prim::I64, strip.width.clone(), results, |cx| {
            cx.vary(accs);
            cx.at_index(strip, inner, index, g);
            let before = cx.simple_body(strips.nest, &strip.kept, needed, g);
            cx.body(&before);
            rest.iter().for_each(|stm| cx.stm(stm));
            let name = |(var, _): &(Name, Operand)| Poly::name(if *var == inner { index } else { *var });
            let index: Vec<Poly> = run.space.iter().map(name).collect();
            cx.finish(run, accs, &index, false);
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
        self.stands_for(inner, &Exp::var(index));
    }

    /// The simple statements that names need. What is kept of them is loaded.
    fn simple_body(
        &mut self,
        nest: &StripNest,
        kept: &FxHashMap<Name, (Name, Prim)>,
        mut needed: BTreeSet<Name>,
        g: Name,
    ) -> Body {
        let mut stms = Vec::new();
        for stm in nest.simple.iter().rev() {
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
            self.bind(copy, Exp::load(block, prim, Exp::var(g)));
            self.stands_for(name, &Exp::Var(copy, prim));
        }
        Body { stms, results: Vec::new() }
    }
}
