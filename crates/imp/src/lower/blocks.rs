//! Loops on a device that combine values, in blocks of lanes.
//!
//! ```text
//! let s_1: f32 = par grid (i_2 < n_3) reduce (0.0f32) \… { … a_4[i_2] … }
//! ```
//! becomes
//! ```text
//! width w
//! chunks block k of (n_3 + w - 1)/w
//! alloc results: device 64*k
//! parallel block k by w with b, … {
//!   alloc sums: shared 4*w
//!   lanes l < w { the same without a level, over the iterations of thread b*w + l; sums[l] = its result }
//!   sums[0] = all sums, by a tree
//!   results[16*b] = sums[0]
//! }
//! parallel block 1 by w { the same, over the results }
//! ```
//!
//! | | what a block does | and then |
//! |---|---|---|
//! | reductions | keeps one result | one block combines those of all blocks |
//! | scans | if [`one_pass`](super::one_pass) will not do: first only reductions, and what comes before each of its lanes; then everything, from where what is before it ends | one block finds out what comes before each block |
//!
//! In both, threads that have no iterations do not count: the neutral element of a reduction is what comes out of no
//! iterations, and need not be one that changes nothing. The order of operands is that of the iterations, unless they
//! may be in any.

use super::Lower;
use super::chunks::{Chunks, Inside, Own, PerChunk, is_unordered, non_negative, product_of};
use super::par::{Op, Run};
use crate::{Exp, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::effects;
use kenaz_ir::visit::{bound_in_body, copy_lambda};
use kenaz_ir::{CmpOp, Level, Name, OpKind, Operand, Par, ParOp, Space, Type};
use rustc_hash::FxHashSet;

/// Blocks of lanes in the making.
pub(super) struct Blocks {
    /// How many blocks, and lanes of each.
    pub count: Exp,
    pub width: Name,
    pub lanes: Exp,
    /// The threads that have iterations, which are the first ones.
    pub busy: Exp,
    pub iterations: Exp,
}

/// What each lane of a block keeps for the others: one element of shared memory for each value.
#[derive(Clone)]
struct Kept {
    block: Name,
    prim: Prim,
}

impl Kept {
    fn at(&self, index: Exp) -> Exp {
        Exp::load(self.block, self.prim, index)
    }
}

impl Lower<'_> {
    /// Whether the values that a loop combines are combined by the lanes of blocks.
    pub(super) fn is_in_blocks(&self, par: &Par, level: Level) -> bool {
        let is_scalar = |op: &ParOp| op.shape.is_empty();
        let has_acc = par.forms.iter().any(|form| matches!(form, ir::Form::Acc { .. }));
        level == Level::Grid && !par.ops.is_empty() && par.ops.iter().all(is_scalar) && !has_acc
    }

    pub(super) fn in_blocks(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks, work: Exp) {
        if let Some(needed) = self.one_pass(par) {
            return self.in_one_pass(pat, par, &needed);
        }
        if self.one_launch(par) {
            return self.in_one_launch(pat, par, chunks, work);
        }
        let iterations = self.let_i64("iterations", non_negative(chunks.iterations.clone()));
        let width = self.width_for(Exp::i64(i64::MAX));
        let lanes = Exp::var(width);
        let name = self.fresh("blocks");
        let wanted = rounded_up(iterations.clone(), lanes.clone());
        let (level, combined) = (Level::Block, true);
        self.push(Stm::Chunks { name, level, iterations: wanted, work, uneven: false, combined });
        self.variable(name, Prim::I64);
        let count = Exp::var(name);
        let busy = self.let_i64("busy", Exp::min(iterations.clone(), Exp::mul(count.clone(), lanes.clone())));
        let blocks = Blocks { count, width, lanes, busy, iterations };
        let before = self.sums_before_threads(par, chunks, &blocks);
        let run = Run::whole(pat, par);
        let reduces: Vec<&Op> = run.ops.iter().filter(|op| op.op.kind != OpKind::Scan).collect();
        let results = self.results_of_chunks(&reduces, &blocks.count);
        let reduces: Vec<&ParOp> = reduces.iter().map(|op| op.op).collect();
        self.each_block(&blocks, |cx, block| {
            let kept = cx.kept(&reduces, &blocks.lanes, 1);
            cx.each_lane(&blocks, block, chunks, |cx, lane, own| {
                let starts = cx.starts(par, &before, block, own);
                let values = cx.one_chunk(pat, par, chunks, own, &Inside { starts: &starts, ..Inside::default() });
                cx.keep_all(&kept, &Exp::var(lane), values);
            });
            if !reduces.is_empty() {
                let busy = cx.busy_lanes(&blocks, block);
                cx.tree(&reduces, &kept, &blocks.lanes, &busy);
                for (result, kept) in results.iter().zip(&kept) {
                    cx.keep(result, block, kept.at(Exp::i64(0)));
                }
            }
        });
        if !reduces.is_empty() {
            self.combine_blocks(&reduces, &results, &pat[..par.reduced()], &blocks);
        }
        for block in before.iter().flat_map(|(of_blocks, of_threads)| [of_blocks, of_threads]).chain(&results) {
            self.push(Stm::Free { name: block.block });
        }
    }

    /// A `par block`: the blocks share its points, and each does with its lanes what one iteration does.
    pub(super) fn on_blocks(&mut self, pat: &[ir::Param], par: &Par) {
        let sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
        let iterations = self.let_i64("iterations", product_of(sizes));
        let shares = self.iterations_of_lanes(par);
        let width = self.width_for(shares);
        let name = self.fresh("blocks");
        let (level, wanted, work) = (Level::Block, iterations.clone(), Exp::i64(1));
        self.push(Stm::Chunks { name, level, iterations: wanted, work, uneven: false, combined: false });
        self.variable(name, Prim::I64);
        let (count, lanes) = (Exp::var(name), Exp::var(width));
        let blocks = Blocks { count, width, lanes, busy: iterations.clone(), iterations };
        let chunks = Chunks {
            level,
            iterations: blocks.iterations.clone(),
            count: blocks.count.clone(),
            strided: true,
            flat: true,
        };
        let shares = self.shares(&blocks.iterations, &blocks.count);
        self.each_block(&blocks, |cx, block| {
            let own = cx.own_iterations(&chunks, &shares, block, name);
            let (own_pat, copy) = cx.copy_par(pat, par);
            let mut run = Run::whole(&own_pat, &copy);
            cx.flatten(&mut run, own, pat);
            let around = cx.width.replace(width);
            cx.run(&run);
            cx.width = around;
        });
    }

    /// How many lanes blocks have that share so many iterations.
    pub(super) fn width_for(&mut self, shares: Exp) -> Name {
        let width = self.fresh("lanes");
        self.push(Stm::Width { name: width, shares });
        self.variable(width, Prim::I64);
        width
    }

    /// The most iterations that lanes share in a block, as far as the host knows.
    fn iterations_of_lanes(&mut self, par: &Par) -> Exp {
        let bound: FxHashSet<Name> =
            bound_in_body(&par.body).into_iter().chain(par.space.iter().map(|(var, _)| *var)).collect();
        let mut all: Vec<Vec<Operand>> = Vec::new();
        let mut is_known = true;
        effects::any(&par.body, |stm| {
            if let ir::Exp::Par(par) = &stm.exp
                && par.level == Some(Level::Lane)
            {
                let sizes: Vec<Operand> = par.space.iter().map(|(_, n)| *n).collect();
                is_known &= !sizes.iter().any(|n| n.name().is_some_and(|n| bound.contains(&n)));
                all.push(sizes);
            }
            false
        });
        if !is_known {
            return Exp::i64(i64::MAX);
        }
        all.dedup();
        let product = |cx: &Self, sizes: Vec<Operand>| {
            product_of(sizes.into_iter().map(|n| non_negative(cx.operand(n))).collect())
        };
        let sizes: Vec<Exp> = all.into_iter().map(|sizes| product(self, sizes)).collect();
        sizes.into_iter().reduce(Exp::max).unwrap_or(Exp::i64(1))
    }

    /// A `par lane` in a block: the lanes share its iterations.
    pub(super) fn on_lanes(&mut self, pat: &[ir::Param], par: &Par, width: Name) {
        let has_acc = par.forms.iter().any(|form| matches!(form, ir::Form::Acc { .. }));
        if has_acc && self.histogram_of_lanes(pat, par, width) {
            return;
        }
        if has_acc || !par.ops.iter().all(|op| op.shape.is_empty()) {
            return self.run(&Run::whole(pat, par));
        }
        let flat = par.space.len() > 1 && par.any_order();
        let mut sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
        sizes.truncate(if flat { sizes.len() } else { 1 });
        let iterations = self.let_i64("iterations", product_of(sizes));
        let lanes = Exp::var(width);
        let busy = self.let_i64("busy", Exp::min(iterations.clone(), lanes.clone()));
        let (level, count) = (Level::Lane, lanes.clone());
        let chunks = Chunks { level, iterations: iterations.clone(), count, strided: is_unordered(par), flat };
        // Lanes run what is inside in sequence.
        let inside = self.width.take();
        let shares = self.shares(&iterations, &lanes);
        let scans: Vec<&ParOp> = par.scans().collect();
        let mut before: Option<Vec<Kept>> = None;
        if !scans.is_empty() {
            let kept = self.of_lanes(&scans, &lanes);
            let sums: Vec<Kept> = kept.iter().map(|(block, _, prim)| Kept { block: *block, prim: *prim }).collect();
            self.lanes(&lanes, |cx, lane| {
                let own = cx.own_iterations(&chunks, &shares, lane, width);
                cx.keep_sums(par, own, &sums, &Exp::i64(0));
            });
            self.combine_lanes(&scans, kept, busy.clone(), true);
            before = Some(sums);
        }
        let reduces: Vec<&ParOp> = par.reduces().collect();
        let kept = self.of_lanes(&reduces, &lanes);
        self.lanes(&lanes, |cx, lane| {
            let own = cx.own_iterations(&chunks, &shares, lane, width);
            let mut starts = Vec::new();
            if let Some(sums) = &before {
                cx.before_lane(&scans, sums, &Exp::i64(0), lane, |_, values| starts = values);
            }
            let starts: Vec<Operand> = starts.iter().filter_map(as_operand).collect();
            let values = cx.one_chunk(pat, par, &chunks, own, &Inside { starts: &starts, ..Inside::default() });
            for ((block, _, prim), value) in kept.iter().zip(values) {
                cx.push(Stm::Store { block: *block, prim: *prim, index: Exp::i64(0), value });
            }
        });
        self.width = inside;
        if reduces.is_empty() {
            return;
        }
        // What comes out of no iterations is the neutral element.
        let neutral = self.neutral(&reduces);
        let all = self.combine_lanes(&reduces, kept, busy.clone(), false);
        for ((param, all), neutral) in pat.iter().zip(all).zip(neutral) {
            let is_any = Exp::cmp(CmpOp::Lt, Exp::i64(0), busy.clone());
            self.bind(param.name, Exp::select(is_any, all, neutral));
        }
    }

    /// Loops in the code of a block that do something with each element: the lanes share the outermost one.
    pub(super) fn nest_by_lanes(
        &mut self,
        width: Name,
        mut loops: Vec<(Name, Exp)>,
        results: &[Name],
        f: impl FnOnce(&mut Self),
    ) {
        let (first, bound) = loops.remove(0);
        let iterations = self.let_i64("iterations", non_negative(bound));
        let chunks = Chunks { strided: true, ..Chunks::of(Level::Lane, iterations.clone(), Exp::var(width)) };
        let inside = self.width.take();
        let shares = self.shares(&iterations, &Exp::var(width));
        self.lanes(&Exp::var(width), |cx, lane| {
            let own = cx.own_iterations(&chunks, &shares, lane, width);
            let at = cx.fresh("i");
            let len = cx.operand(Operand::Var(own.len));
            cx.for_loop(at, Prim::I64, len, None, |cx| {
                let index = Exp::add(Exp::mul(Exp::var(at), Exp::var(width)), Exp::var(lane));
                cx.variable(first, Prim::I64);
                cx.push(Stm::Let { name: first, prim: Prim::I64, value: index });
                cx.loops(loops, Some(results), f);
            });
        });
        self.width = inside;
    }

    /// What each lane has for operators, in registers and for the others.
    fn of_lanes(&mut self, ops: &[&ParOp], lanes: &Exp) -> Vec<(Name, Name, Prim)> {
        let params = ops.iter().flat_map(|op| op.lambda.params[..op.neutral.len()].iter());
        let prims: Vec<Prim> = params.map(|param| param.ty.prim().unwrap_or(Prim::I64)).collect();
        let each = |prim| (self.per_lane("own", prim, 1), self.shared_by_lanes("room", prim, lanes), prim);
        prims.into_iter().map(each).collect()
    }

    /// What a lane adds up of what is scanned, at an index.
    fn keep_sums(&mut self, par: &Par, own: Own, kept: &[Kept], at: &Exp) {
        let (_, copy) = self.copy_par(&[], par);
        let pat: Vec<ir::Param> =
            kept.iter().map(|kept| ir::Param::new(self.fresh("sum"), Type::Prim(kept.prim))).collect();
        let mut run = Run::sums(&pat, &copy);
        self.shift(&mut run, own);
        self.run(&run);
        let values = pat.iter().map(|param| self.operand(Operand::Var(param.name))).collect();
        self.keep_all(kept, at, values);
    }

    // Blocks and lanes

    pub(super) fn each_block(&mut self, blocks: &Blocks, f: impl FnOnce(&mut Self, Name)) {
        let ids = ["block", "blocks"].map(|base| self.fresh(base));
        let body = self.scoped(true, |cx| {
            ids.iter().for_each(|name| cx.variable(*name, Prim::I64));
            cx.in_sequence(|cx| f(cx, ids[0]));
        });
        let (chunks, lanes, loc) = (blocks.count.clone(), Some(blocks.lanes.clone()), self.loc);
        let (level, ids, iterations) = (Level::Block, ids.to_vec(), blocks.count.clone());
        self.push(Stm::Parallel { level, ids, iterations, chunks, lanes, body, loc });
    }

    pub(super) fn lanes(&mut self, count: &Exp, f: impl FnOnce(&mut Self, Name)) {
        let lane = self.fresh("lane");
        let body = self.scoped(true, |cx| {
            cx.variable(lane, Prim::I64);
            f(cx, lane);
        });
        self.push(Stm::Lanes { lane, count: count.clone(), body });
    }

    /// What the lanes of a block do with the iterations of their threads.
    pub(super) fn each_lane(
        &mut self,
        blocks: &Blocks,
        block: Name,
        chunks: &Chunks,
        f: impl FnOnce(&mut Self, Name, Own),
    ) {
        let threads = self.fresh("threads");
        self.bind(threads, Exp::mul(blocks.count.clone(), blocks.lanes.clone()));
        let shares = self.shares(&blocks.iterations, &Exp::var(threads));
        self.lanes(&blocks.lanes, |cx, lane| {
            let thread = cx.fresh("thread");
            cx.bind(thread, Exp::add(Exp::mul(Exp::var(block), blocks.lanes.clone()), Exp::var(lane)));
            let own = cx.own_iterations(chunks, &shares, thread, threads);
            let around = cx.worker.replace(thread);
            f(cx, lane, own);
            cx.worker = around;
        });
    }

    /// How many lanes of a block have iterations; they are the first ones.
    pub(super) fn busy_lanes(&mut self, blocks: &Blocks, block: Name) -> Exp {
        let left = Exp::sub(blocks.busy.clone(), Exp::mul(Exp::var(block), blocks.lanes.clone()));
        self.let_i64("busy", Exp::min(non_negative(left), blocks.lanes.clone()))
    }

    fn kept(&mut self, ops: &[&ParOp], lanes: &Exp, times: i64) -> Vec<Kept> {
        let mut all = Vec::new();
        for op in ops {
            for param in &op.lambda.params[..op.neutral.len()] {
                let prim = param.ty.prim().unwrap_or(Prim::I64);
                let block = self.fresh("kept");
                let bytes = product_of(vec![Exp::i64(times), Exp::bytes_of(prim), lanes.clone()]);
                self.push(Stm::Alloc { name: block, space: Space::Shared, bytes });
                all.push(Kept { block, prim });
            }
        }
        all
    }

    fn keep_all(&mut self, kept: &[Kept], at: &Exp, values: Vec<Exp>) {
        for (kept, value) in kept.iter().zip(values) {
            self.push(Stm::Store { block: kept.block, prim: kept.prim, index: at.clone(), value });
        }
    }

    /// What operators give for two lists of values.
    pub(super) fn combined(&mut self, ops: &[&ParOp], left: Vec<Exp>, right: Vec<Exp>) -> Vec<Exp> {
        let (mut left, mut right) = (left.into_iter(), right.into_iter());
        let mut results = Vec::new();
        for op in ops {
            let count = op.neutral.len();
            let args = left.by_ref().take(count).chain(right.by_ref().take(count)).collect();
            let lambda = copy_lambda(&op.lambda, self.fresh);
            results.extend(self.apply(&lambda, args));
        }
        results
    }

    /// Loads that are done here and now, before anything is stored.
    fn loaded(&mut self, kept: &[Kept], at: &Exp) -> Vec<Exp> {
        kept.iter()
            .map(|kept| {
                let name = self.fresh("x");
                self.bind(name, kept.at(at.clone()));
                self.operand(Operand::Var(name))
            })
            .collect()
    }

    pub(super) fn neutral(&self, ops: &[&ParOp]) -> Vec<Exp> {
        ops.iter().flat_map(|op| &op.neutral).map(|x| self.operand(*x)).collect()
    }

    /// A variable that is doubled as long as it is less than the number of lanes.
    fn doubling(&mut self, lanes: &Exp, f: impl FnOnce(&mut Self, &Exp)) {
        let step = self.fresh("step");
        self.variable(step, Prim::I64);
        self.push(Stm::Declare { name: step, ty: Ty::Scalar(Prim::I64) });
        self.push(Stm::Set { name: step, value: Exp::i64(1) });
        let cond = Exp::cmp(CmpOp::Lt, Exp::var(step), lanes.clone());
        let body = self.scoped(true, |cx| {
            f(cx, &Exp::var(step));
            cx.push(Stm::Set { name: step, value: Exp::mul(Exp::var(step), Exp::i64(2)) });
        });
        self.push(Stm::While { cond, body });
    }

    /// Combines what the busy lanes have kept, in their order, into what the first one has.
    fn tree(&mut self, ops: &[&ParOp], kept: &[Kept], lanes: &Exp, busy: &Exp) {
        self.doubling(lanes, |cx, step| {
            cx.lanes(lanes, |cx, lane| {
                let at = cx.let_i64("at", Exp::mul(Exp::mul(Exp::i64(2), Exp::var(lane)), step.clone()));
                let other = cx.let_i64("other", Exp::add(at.clone(), step.clone()));
                let cond = Exp::cmp(CmpOp::Lt, other.clone(), busy.clone());
                let yes = cx.scoped(false, |cx| {
                    let (left, right) = (cx.loaded(kept, &at), cx.loaded(kept, &other));
                    let values = cx.combined(ops, left, right);
                    cx.keep_all(kept, &at, values);
                });
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
        });
    }

    /// Replaces what each lane has kept by what it and those before it come to. There is room for two values of each
    /// lane; the results are where the returned index says.
    fn prefix(&mut self, ops: &[&ParOp], kept: &[Kept], lanes: &Exp, busy: &Exp) -> Exp {
        let base = self.fresh("base");
        self.variable(base, Prim::I64);
        self.push(Stm::Declare { name: base, ty: Ty::Scalar(Prim::I64) });
        self.push(Stm::Set { name: base, value: Exp::i64(0) });
        self.doubling(lanes, |cx, step| {
            cx.lanes(lanes, |cx, lane| {
                let cond = Exp::cmp(CmpOp::Lt, Exp::var(lane), busy.clone());
                let yes = cx.scoped(false, |cx| {
                    let here = cx.let_i64("here", Exp::add(Exp::var(base), Exp::var(lane)));
                    let to = Exp::add(Exp::sub(lanes.clone(), Exp::var(base)), Exp::var(lane));
                    let to = cx.let_i64("to", to);
                    let own = cx.loaded(kept, &here);
                    let cond = Exp::cmp(CmpOp::Le, step.clone(), Exp::var(lane));
                    let yes = cx.scoped(false, |cx| {
                        let before = cx.loaded(kept, &Exp::sub(here.clone(), step.clone()));
                        let values = cx.combined(ops, before, own.clone());
                        cx.keep_all(kept, &to, values);
                    });
                    let no = cx.scoped(false, |cx| cx.keep_all(kept, &to, own.clone()));
                    cx.push(Stm::If { cond, yes, no });
                });
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
            cx.push(Stm::Set { name: base, value: Exp::sub(lanes.clone(), Exp::var(base)) });
        });
        Exp::var(base)
    }

    /// What the lanes before a lane come to, which is at an index but for the first.
    fn before_lane(
        &mut self,
        ops: &[&ParOp],
        kept: &[Kept],
        at: &Exp,
        lane: Name,
        f: impl FnOnce(&mut Self, Vec<Exp>),
    ) {
        let names: Vec<(Name, Prim)> = kept.iter().map(|kept| (self.fresh("before"), kept.prim)).collect();
        for ((name, prim), value) in names.iter().zip(self.neutral(ops)) {
            self.variable(*name, *prim);
            self.push(Stm::Declare { name: *name, ty: Ty::Scalar(*prim) });
            self.push(Stm::Set { name: *name, value });
        }
        let cond = Exp::cmp(CmpOp::Lt, Exp::i64(0), Exp::var(lane));
        let yes = self.scoped(false, |cx| {
            for ((name, _), kept) in names.iter().zip(kept) {
                cx.push(Stm::Set { name: *name, value: kept.at(at.clone()) });
            }
        });
        self.push(Stm::If { cond, yes, no: Vec::new() });
        f(self, names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect());
    }

    // Reductions

    /// One block combines the results of all.
    fn combine_blocks(&mut self, ops: &[&ParOp], results: &[PerChunk], pat: &[ir::Param], blocks: &Blocks) {
        let used = self.let_i64("used", rounded_up(blocks.busy.clone(), blocks.lanes.clone()));
        let one = self.of_one_block(blocks, used);
        let last: Vec<PerChunk> = pat
            .iter()
            .map(|param| self.per_chunk("result", param.ty.prim().unwrap_or(Prim::I64), Vec::new(), &Exp::i64(1)))
            .collect();
        self.each_block(&one, |cx, block| {
            let kept = cx.kept(ops, &one.lanes, 1);
            cx.lanes(&one.lanes, |cx, lane| {
                let values = cx.over_blocks(ops, results, &one, lane, |_, _, _| {});
                cx.keep_all(&kept, &Exp::var(lane), values);
            });
            cx.tree(ops, &kept, &one.lanes, &one.busy);
            for (last, kept) in last.iter().zip(&kept) {
                cx.keep(last, block, kept.at(Exp::i64(0)));
            }
        });
        for (param, last) in pat.iter().zip(&last) {
            let Type::Prim(prim) = param.ty else { panic!("{} is no scalar", param.name) };
            self.variable(param.name, prim);
            self.push(Stm::Let { name: param.name, prim, value: Exp::load(last.block, prim, Exp::i64(0)) });
        }
        for last in last {
            self.push(Stm::Free { name: last.block });
        }
    }

    /// One block with an iteration for each of so many blocks.
    fn of_one_block(&mut self, blocks: &Blocks, used: Exp) -> Blocks {
        let busy = self.let_i64("busy", Exp::min(used.clone(), blocks.lanes.clone()));
        Blocks { count: Exp::i64(1), width: blocks.width, lanes: blocks.lanes.clone(), busy, iterations: used }
    }

    /// What the blocks of a lane come to; for each of them, first `f` with what those before it do.
    fn over_blocks(
        &mut self,
        ops: &[&ParOp],
        results: &[PerChunk],
        one: &Blocks,
        lane: Name,
        f: impl FnOnce(&mut Self, Name, &[Exp]),
    ) -> Vec<Exp> {
        let neutral = self.neutral(ops);
        self.over_blocks_from(ops, results, one, lane, neutral, f)
    }

    fn over_blocks_from(
        &mut self,
        ops: &[&ParOp],
        results: &[PerChunk],
        one: &Blocks,
        lane: Name,
        start: Vec<Exp>,
        f: impl FnOnce(&mut Self, Name, &[Exp]),
    ) -> Vec<Exp> {
        let chunks = Chunks::of(Level::Block, one.iterations.clone(), one.count.clone());
        let shares = self.shares(&one.iterations, &Exp::var(one.width));
        let own = self.own_iterations(&chunks, &shares, lane, one.width);
        let names: Vec<(Name, Prim)> = results.iter().map(|result| (self.fresh("acc"), result.prim)).collect();
        for ((name, prim), value) in names.iter().zip(start) {
            self.variable(*name, *prim);
            self.push(Stm::Declare { name: *name, ty: Ty::Scalar(*prim) });
            self.push(Stm::Set { name: *name, value });
        }
        let accs: Vec<Exp> = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
        let at = self.fresh("i");
        let len = self.operand(Operand::Var(own.len));
        self.for_loop(at, Prim::I64, len, None, |cx| {
            let block = cx.fresh("b");
            cx.bind(block, Exp::add(cx.operand(Operand::Var(own.start)), Exp::var(at)));
            cx.vary_here(&names);
            let more: Vec<Operand> = results.iter().map(|result| cx.kept_by(result, block)).collect();
            let more: Vec<Exp> = more.into_iter().map(|x| cx.operand(x)).collect();
            f(cx, block, &accs);
            let values = cx.combined(ops, accs.clone(), more);
            cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(values).collect());
        });
        self.vary_here(&names);
        accs
    }

    /// Variables keep their values no longer than the block of statements in the making.
    pub(super) fn vary_here(&mut self, names: &[(Name, Prim)]) {
        let here = self.here();
        self.depths.extend(names.iter().map(|(name, _)| (*name, here)));
    }

    // Scans

    /// For each value that is scanned: what comes before each block, and inside of its block before each thread.
    fn sums_before_threads(&mut self, par: &Par, chunks: &Chunks, blocks: &Blocks) -> Vec<(PerChunk, PerChunk)> {
        let ops: Vec<&ParOp> = par.scans().collect();
        let mut sums = Vec::new();
        let threads = Exp::mul(blocks.count.clone(), blocks.lanes.clone());
        for param in ops.iter().flat_map(|op| &op.lambda.params[..op.neutral.len()]) {
            let prim = param.ty.prim().unwrap_or(Prim::I64);
            let of_blocks = self.per_chunk("sums", prim, Vec::new(), &blocks.count);
            sums.push((of_blocks, self.per_thread("before", prim, &threads)));
        }
        if sums.is_empty() {
            return sums;
        }
        self.each_block(blocks, |cx, block| {
            let kept = cx.kept(&ops, &blocks.lanes, 2);
            cx.each_lane(blocks, block, chunks, |cx, lane, own| {
                cx.keep_sums(par, own, &kept, &Exp::var(lane));
            });
            let busy = cx.busy_lanes(blocks, block);
            let base = cx.prefix(&ops, &kept, &blocks.lanes, &busy);
            cx.lanes(&blocks.lanes, |cx, lane| {
                let thread = cx.fresh("thread");
                cx.bind(thread, Exp::add(Exp::mul(Exp::var(block), blocks.lanes.clone()), Exp::var(lane)));
                let cond = Exp::cmp(CmpOp::Lt, Exp::var(lane), busy.clone());
                let yes = cx.scoped(false, |cx| {
                    cx.before_lane(&ops, &kept, &last_before(&base, lane), lane, |cx, values| {
                        for ((_, of_threads), value) in sums.iter().zip(values) {
                            cx.keep(of_threads, thread, value);
                        }
                    });
                });
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
            // The last busy lane has all.
            let cond = Exp::cmp(CmpOp::Lt, Exp::i64(0), busy.clone());
            let yes = cx.scoped(false, |cx| {
                let last = Exp::sub(Exp::add(base.clone(), busy.clone()), Exp::i64(1));
                for ((of_blocks, _), kept) in sums.iter().zip(&kept) {
                    cx.keep(of_blocks, block, kept.at(last.clone()));
                }
            });
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
        self.before_blocks(&ops, &sums, blocks);
        sums
    }

    /// Replaces what each block comes to by what those before it come to.
    fn before_blocks(&mut self, ops: &[&ParOp], sums: &[(PerChunk, PerChunk)], blocks: &Blocks) {
        let of_blocks: Vec<PerChunk> = sums.iter().map(|(of_blocks, _)| of_blocks.clone()).collect();
        let used = self.let_i64("used", rounded_up(blocks.busy.clone(), blocks.lanes.clone()));
        let one = self.of_one_block(blocks, used);
        self.each_block(&one, |cx, _| {
            let kept = cx.kept(ops, &one.lanes, 2);
            cx.lanes(&one.lanes, |cx, lane| {
                let values = cx.over_blocks(ops, &of_blocks, &one, lane, |_, _, _| {});
                cx.keep_all(&kept, &Exp::var(lane), values);
            });
            let base = cx.prefix(ops, &kept, &one.lanes, &one.busy);
            cx.lanes(&one.lanes, |cx, lane| {
                let cond = Exp::cmp(CmpOp::Lt, Exp::var(lane), one.busy.clone());
                let yes = cx.scoped(false, |cx| {
                    cx.before_lane(ops, &kept, &last_before(&base, lane), lane, |cx, start| {
                        cx.over_blocks_from(ops, &of_blocks, &one, lane, start, |cx, block, before| {
                            for (sums, value) in of_blocks.iter().zip(before) {
                                cx.keep(sums, block, value.clone());
                            }
                        });
                    });
                });
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
        });
    }

    /// Where the scans of a thread begin.
    fn starts(&mut self, par: &Par, before: &[(PerChunk, PerChunk)], block: Name, own: Own) -> Vec<Operand> {
        if before.is_empty() {
            return Vec::new();
        }
        let ops: Vec<&ParOp> = par.scans().collect();
        // What no thread with iterations has left is nothing to be read.
        let names: Vec<(Name, Prim)> = before.iter().map(|(sums, _)| (self.fresh("start"), sums.prim)).collect();
        for ((name, prim), value) in names.iter().zip(self.neutral(&ops)) {
            self.variable(*name, *prim);
            self.push(Stm::Declare { name: *name, ty: Ty::Scalar(*prim) });
            self.push(Stm::Set { name: *name, value });
        }
        let cond = Exp::cmp(CmpOp::Lt, Exp::i64(0), self.operand(Operand::Var(own.len)));
        let yes = self.scoped(false, |cx| {
            let mut load = |per_chunk: &PerChunk, at: Name| {
                let kept = cx.kept_by(per_chunk, at);
                cx.operand(kept)
            };
            let left: Vec<Exp> = before.iter().map(|(of_blocks, _)| load(of_blocks, block)).collect();
            let right: Vec<Exp> = before.iter().map(|(_, of_threads)| load(of_threads, own.chunk)).collect();
            let values = cx.combined(&ops, left, right);
            cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(values).collect());
        });
        self.push(Stm::If { cond, yes, no: Vec::new() });
        names.iter().map(|(name, _)| Operand::Var(*name)).collect()
    }
}

fn as_operand(x: &Exp) -> Option<Operand> {
    match x {
        Exp::Const(c) => Some(Operand::Const(*c)),
        Exp::Var(name, _) => Some(Operand::Var(*name)),
        _ => None,
    }
}

/// Where [`Lower::prefix`] has left what the lanes before a lane come to.
fn last_before(base: &Exp, lane: Name) -> Exp {
    Exp::sub(Exp::add(base.clone(), Exp::var(lane)), Exp::i64(1))
}

/// How many parts of a size are needed, at least one.
pub(super) fn rounded_up(n: Exp, size: Exp) -> Exp {
    Exp::quot(Exp::sub(Exp::add(n, size.clone()), Exp::i64(1)), size)
}
