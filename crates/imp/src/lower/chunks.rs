//! `par core`: the iterations in chunks, which may run at the same time.
//!
//! ```text
//! let s_1: f32 = par core (i_2 < n_3) reduce (0.0f32) \… { … a_4[i_2] … }
//! ```
//! becomes
//! ```text
//! chunks k of n_3 at 2
//! alloc sums: host 64*k
//! parallel c < k of n_3 as start, len {
//!   the same without a level over i < len, with start + i for i_2
//!   sums[16*c] = its result
//! }
//! s_1 = 0.0f32
//! for c < k { s_1 = s_1 + sums[16*c] }
//! ```
//!
//! A chunk is the same `par` over a part of its space, with the rest of its plan ([`Run`]). What makes an array writes
//! to its part of the result.
//!
//! | | what a chunk does | and then |
//! |---|---|---|
//! | reductions | keeps its result, on cache lines of its own | all results are combined, in the order of the chunks |
//! | scans | first only the reduction; then everything, from where the chunks before it end | |
//! | costly scans | the same, but the first chunk everything at once, and the last no reduction | |
//! | `write` | stores such that another chunk may store to the same element | |
//! | `acc` | has destinations of its own | they are combined with the real ones, in the order of the chunks; on a device see `hist` |
//!
//! So the result depends on the number of chunks but not on who runs them when.
//!
//! A scan in chunks does its work twice. Where the reduction costs as much as the scan, two threads with a chunk each
//! take as long as one. With a chunk more than there are threads, and the first and the last done only once, each
//! thread has a chunk in each of two rounds: two take two thirds of the time.

use super::par::{Acc, Flat, Op, Run};
use super::{Array, Lower};
use crate::{Exp, Index, Region, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::layout::Dim;
use kenaz_ir::visit::{bound_in_body, copy_body, has_bodies};
use kenaz_ir::{
    BinOp, Body, CmpOp, Form, Layout, Level, LoopForm, MathFn, Name, OpKind, Operand, Par, ParOp, Place, Poly, Type,
    plan,
};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// A parallel loop in the making.
#[derive(Clone)]
pub(super) struct Chunks {
    pub level: Level,
    pub iterations: Exp,
    /// How many chunks there are.
    pub count: Exp,
    /// The iterations of a chunk may be any, and neighbours should be in chunks of neighbours.
    pub strided: bool,
    /// The iterations are those of all dimensions, and not only of the first.
    pub flat: bool,
}

impl Chunks {
    /// So many chunks, each of iterations that follow one another.
    pub(super) fn of(level: Level, iterations: Exp, count: Exp) -> Chunks {
        Chunks { level, iterations, count, strided: false, flat: false }
    }
}

/// Whether a body has a loop whose end depends on what it computes.
fn has_loops(body: &Body) -> bool {
    let bound: FxHashSet<Name> = bound_in_body(body).into_iter().collect();
    ir::effects::any(body, |stm| match &stm.exp {
        ir::Exp::Loop { form: LoopForm::While(_), .. } => true,
        ir::Exp::Loop { form: LoopForm::For(_, _, n), .. } => n.name().is_some_and(|n| bound.contains(&n)),
        ir::Exp::Par(par) => par.space.iter().any(|(_, n)| n.name().is_some_and(|n| bound.contains(&n))),
        _ => false,
    })
}

/// Whether a body makes no array, and so needs no memory of its own.
fn makes_nothing(body: &Body) -> bool {
    !ir::effects::any(body, |stm| stm.pat.iter().any(|param| param.ty.is_array()) && !stm.exp.is_view())
}

/// What a chunk knows of itself: its number, its first iteration, how many it has, and how far apart these are if they
/// are no neighbours.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub chunk: Name,
    pub start: Name,
    pub len: Name,
    step: Option<Name>,
    /// Its iterations are some of those of a launch.
    is_of_launch: bool,
}

/// How many iterations each of some threads has, and how many of them, the first ones, have one more.
pub(super) struct Shares {
    each: Exp,
    longer: Exp,
}

/// What a chunk has of its own.
#[derive(Default)]
pub(super) struct Inside<'i> {
    /// What its scans begin with, if not with the neutral element, and the names of what they end with, if anybody
    /// wants to know.
    pub starts: &'i [Operand],
    pub ends: &'i [ir::Param],
    /// Room for the results of reductions over arrays.
    pub kept: &'i [PerChunk],
    /// Destinations of its own, or others that it shares than the real ones.
    pub private: &'i [PerChunk],
    pub dests: &'i [Array],
}

/// A block with room for something of each chunk.
#[derive(Clone)]
pub(super) struct PerChunk {
    pub block: Name,
    pub prim: Prim,
    sizes: Vec<Poly>,
    /// From one chunk to the next, in elements.
    stride: Poly,
}

impl Lower<'_> {
    pub(super) fn in_chunks(&mut self, pat: &[ir::Param], par: &Par, plan: &plan::Chunks) {
        let iterations = self.operand(par.space[0].1);
        if !plan.inside {
            return self.start_chunks(pat, par, plan, iterations);
        }
        // What is inside may run in parallel instead.
        let threads = self.fresh("threads");
        let most = Exp::i64(i64::MAX);
        let (level, work) = (par.level.unwrap_or(Level::Core), Exp::i64(1));
        self.push(Stm::Chunks { name: threads, level, iterations: most, work, uneven: false, combined: false });
        self.variable(threads, Prim::I64);
        let cond = Exp::cmp(CmpOp::Lt, iterations.clone(), Exp::var(threads));
        let yes = self.scoped(false, |cx| cx.same_par(pat, par));
        let no = self.scoped(false, |cx| cx.start_chunks(pat, par, plan, iterations));
        self.push(Stm::If { cond, yes, no });
    }

    /// The same under other names, in sequence, with the same results.
    fn same_par(&mut self, pat: &[ir::Param], par: &Par) {
        let (copy_pat, copy) = self.copy_par(pat, par);
        for (copy, param) in copy_pat.iter().zip(pat) {
            let array = self.array(param.name);
            self.scope.bind_array(copy.name, array);
        }
        self.run(&Run::whole(&copy_pat, &copy));
    }

    fn start_chunks(&mut self, pat: &[ir::Param], par: &Par, plan: &plan::Chunks, iterations: Exp) {
        match par.plan.tile() {
            Some(tile) if par.level == Some(Level::Grid) => {
                self.block_tiles(pat, par, tile, |cx| cx.start_untiled(pat, par, plan, iterations));
            }
            _ => self.start_untiled(pat, par, plan, iterations),
        }
    }

    fn start_untiled(&mut self, pat: &[ir::Param], par: &Par, plan: &plan::Chunks, mut iterations: Exp) {
        // Each thread of a device has few iterations, so that those of all dimensions count.
        let flat = par.space.len() > 1 && par.level.is_some_and(|level| level != Level::Core) && par.any_order();
        if flat {
            let sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
            iterations = self.let_i64("iterations", product_of(sizes));
        }
        let name = self.fresh("chunks");
        let work = self.scope.resolved(&plan.work);
        let work = self.index(&work);
        let level = par.level.unwrap_or(Level::Core);
        let private = self.private_size(pat, par);
        // More threads than a device can run at a time have no room for arrays. Each costs something to begin with, so
        // that branches alone are not worth it.
        let is_worth_it = || makes_nothing(&par.body) && has_loops(&par.body);
        let uneven = plan.uneven && (level == Level::Core || is_worth_it());
        let combined = !par.ops.is_empty() || private.is_some();
        let strided = level != Level::Core && is_unordered(par);
        if self.is_in_blocks(par, level) {
            let chunks = Chunks { level, iterations, count: Exp::i64(1), strided, flat };
            return self.in_blocks(pat, par, &chunks, work);
        }
        if level == Level::Grid && private.is_some() {
            let iterations = self.let_i64("iterations", non_negative(iterations));
            let chunks = Chunks { level, iterations, count: Exp::i64(1), strided, flat };
            return self.histograms(pat, par, &chunks, work);
        }
        self.push(Stm::Chunks { name, level, iterations: iterations.clone(), work, uneven, combined });
        self.variable(name, Prim::I64);
        let count = Exp::var(name);
        if level == Level::Core && is_costly_scan(par) {
            let several = Exp::cmp(CmpOp::Lt, Exp::i64(1), count.clone());
            let count = self.let_i64("chunks", Exp::select(several, Exp::add(count.clone(), Exp::i64(1)), count));
            return self.in_rounds(pat, par, &Chunks { level, iterations, count, strided, flat });
        }
        let Some(size) = private else {
            return self.chunks(pat, par, &Chunks { level, iterations, count, strided, flat });
        };
        // Each chunk fills and combines destinations of its own, which should not be more than what it does with them.
        let size = Exp::max(self.index(&size), Exp::i64(1));
        let most = Exp::quot(non_negative(iterations.clone()), size);
        let count = self.let_i64("chunks", Exp::min(count, most));
        let cond = Exp::cmp(CmpOp::Lt, Exp::i64(1), count.clone());
        let yes = self.scoped(false, |cx| cx.chunks(pat, par, &Chunks { level, iterations, count, strided, flat }));
        // There are enough iterations for all threads, so that loops inside of them are none for threads either.
        let no = self.scoped(false, |cx| cx.in_sequence(|cx| cx.same_par(pat, par)));
        self.push(Stm::If { cond, yes, no });
    }

    /// Without chunks in what is made.
    pub(super) fn in_sequence(&mut self, f: impl FnOnce(&mut Self)) {
        let around = std::mem::replace(&mut self.in_chunk, true);
        f(self);
        self.in_chunk = around;
    }

    /// How many elements the destinations of all `acc` forms have together, if there are any.
    fn private_size(&mut self, pat: &[ir::Param], par: &Par) -> Option<Poly> {
        let mut results = &pat[par.reduced()..];
        let mut sum: Option<Poly> = None;
        for form in &par.forms {
            let (these, rest) = results.split_at(form.results());
            results = rest;
            if let Form::Acc { .. } = form {
                for param in these {
                    let sizes = self.array(param.name).sizes;
                    let size = self.product(&sizes);
                    sum = Some(sum.map_or(size.clone(), |sum| self.plus(&sum, &size)));
                }
            }
        }
        sum
    }

    fn product(&mut self, sizes: &[Poly]) -> Poly {
        sizes.iter().fold(Poly::constant(1), |product, n| self.times(&product, n))
    }

    /// The same `par` with other names for everything bound in it and for its results.
    pub(super) fn copy_par(&mut self, pat: &[ir::Param], par: &Par) -> (Vec<ir::Param>, Par) {
        let stm = ir::Stm {
            pat: pat.to_vec(),
            certs: Vec::new(),
            attrs: ir::Attrs::default(),
            exp: ir::Exp::Par(par.clone()),
            loc: ir::Locs::NOWHERE(),
        };
        let mut copy = copy_body(&Body { stms: vec![stm], results: Vec::new() }, self.fresh);
        match copy.stms.pop() {
            Some(ir::Stm { pat, exp: ir::Exp::Par(par), .. }) => (pat, par),
            _ => (pat.to_vec(), par.clone()),
        }
    }

    /// All chunks, and what comes between and after them.
    pub(super) fn chunks(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks) {
        let before = self.scan_chunks(par, chunks);
        let run = Run::whole(pat, par);
        let reduces: Vec<&Op> = run.ops.iter().filter(|op| op.op.kind != OpKind::Scan).collect();
        let kept = self.results_of_chunks(&reduces, &chunks.count);
        let mut private: Vec<PerChunk> = Vec::new();
        self.each_acc(pat, par, |cx, result, _, _, _| {
            // The threads of a device combine values with the real ones.
            if chunks.level == Level::Grid {
                return;
            }
            let array = cx.array(result.name);
            private.push(cx.per_chunk("own", array.prim, array.sizes, &chunks.count));
        });
        self.with_streams(pat, par, |cx| cx.each_chunk(pat, par, chunks, [&before, &kept, &private]));
        self.combine_chunks(run.ops, &kept, chunks);
        let mut privates = private.iter();
        let mut all: Vec<(Vec<Array>, ir::Lambda, Vec<PerChunk>)> = Vec::new();
        self.each_acc(pat, par, |cx, result, op, _, is_first| {
            let Some(per_chunk) = privates.next() else { return };
            if is_first {
                all.push((Vec::new(), op.clone(), Vec::new()));
            }
            if let Some((dests, _, per_chunks)) = all.last_mut() {
                dests.push(cx.array(result.name));
                per_chunks.push(per_chunk.clone());
            }
        });
        for (dests, op, per_chunks) in all {
            self.combine_private(&dests, &op, &per_chunks, chunks);
        }
        for block in before.iter().chain(&kept).chain(&private) {
            self.push(Stm::Free { name: block.block });
        }
    }

    /// All chunks of a scan, in two rounds; only the first where there is one chunk.
    fn in_rounds(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks) {
        let neutral: Vec<Operand> = par.scans().flat_map(|op| op.neutral.iter().copied()).collect();
        let sums = self.sums_of_chunks(par, chunks);
        let chunk = self.fresh("c");
        self.for_loop(chunk, Prim::I64, chunks.count.clone(), None, |cx| {
            for (sums, neutral) in sums.iter().zip(&neutral) {
                let value = cx.operand(*neutral);
                cx.keep(sums, chunk, value);
            }
        });
        let run = Run::whole(pat, par);
        let reduces: Vec<&Op> = run.ops.iter().filter(|op| op.op.kind != OpKind::Scan).collect();
        let kept = self.results_of_chunks(&reduces, &chunks.count);
        let several = Exp::cmp(CmpOp::Lt, Exp::i64(1), chunks.count.clone());
        let rounds = self.let_i64("rounds", Exp::select(several, Exp::i64(2), Exp::i64(1)));
        let round = self.fresh("round");
        self.for_loop(round, Prim::I64, rounds, None, |cx| {
            let is_zero = |name: Name| Exp::cmp(CmpOp::Eq, Exp::var(name), Exp::i64(0));
            cx.parallel(chunks, |cx, of_chunk| {
                let is_whole = Exp::cmp(CmpOp::Eq, is_zero(round), is_zero(of_chunk.chunk));
                let last = Exp::sub(chunks.count.clone(), Exp::i64(1));
                let is_needed = Exp::cmp(CmpOp::Lt, Exp::var(of_chunk.chunk), last);
                let yes = cx.scoped(false, |cx| cx.whole_chunk(pat, par, chunks, of_chunk, [&sums, &kept, &[]], true));
                let no = cx.scoped(false, |cx| {
                    let cond = Exp::and(is_zero(round), is_needed);
                    let yes = cx.scoped(false, |cx| cx.sum_of_chunk(par, of_chunk, &sums));
                    cx.push(Stm::If { cond, yes, no: Vec::new() });
                });
                cx.push(Stm::If { cond: is_whole, yes, no });
            });
            let yes = cx.scoped(false, |cx| cx.sums_before(par, &sums, chunks));
            cx.push(Stm::If { cond: is_zero(round), yes, no: Vec::new() });
        });
        self.combine_chunks(run.ops, &kept, chunks);
        for block in sums.iter().chain(&kept) {
            self.push(Stm::Free { name: block.block });
        }
    }

    /// What a chunk does: with the blocks where scans of chunks begin, for results of reductions, and for destinations
    /// of its own.
    fn each_chunk(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks, blocks: [&[PerChunk]; 3]) {
        self.parallel(chunks, |cx, of_chunk| cx.whole_chunk(pat, par, chunks, of_chunk, blocks, false));
    }

    /// The same for one chunk, which may keep where its scans end.
    fn whole_chunk(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        chunks: &Chunks,
        of_chunk: Own,
        [before, kept, private]: [&[PerChunk]; 3],
        keeps_ends: bool,
    ) {
        let chunk = of_chunk.chunk;
        let starts: Vec<Operand> = before.iter().map(|sums| self.kept_by(sums, chunk)).collect();
        let mut ends = Vec::new();
        if keeps_ends {
            ends.extend(before.iter().map(|sums| ir::Param::new(self.fresh("end"), Type::Prim(sums.prim))));
        }
        let values = self.one_chunk(
            pat,
            par,
            chunks,
            of_chunk,
            &Inside { starts: &starts, ends: &ends, kept, private, dests: &[] },
        );
        let scalars = pat.iter().zip(kept).filter(|(param, _)| matches!(param.ty, Type::Prim(_)));
        for ((_, per_chunk), value) in scalars.zip(values) {
            self.keep(per_chunk, chunk, value);
        }
        for (param, sums) in ends.iter().zip(before) {
            let value = self.operand(Operand::Var(param.name));
            self.keep(sums, chunk, value);
        }
    }

    /// The iterations of a chunk; gives the scalars that it has reduced.
    pub(super) fn one_chunk(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        chunks: &Chunks,
        of_chunk: Own,
        inside: &Inside,
    ) -> Vec<Exp> {
        let chunk = of_chunk.chunk;
        let (own_pat, own) = self.copy_par(pat, par);
        let mut run = Run::whole(&own_pat, &own);
        if chunks.flat {
            self.flatten(&mut run, of_chunk, pat);
        } else {
            self.shift(&mut run, of_chunk);
        }
        let mut first = 0;
        for op in run.ops.iter_mut().filter(|op| op.op.kind == OpKind::Scan && !inside.starts.is_empty()) {
            let these = first..first + op.neutral.len();
            first = these.end;
            op.neutral = inside.starts[these.clone()].to_vec();
            op.results = inside.ends.get(these).unwrap_or_default();
        }
        for (param, per_chunk) in own_pat.iter().zip(inside.kept) {
            if matches!(param.ty, Type::Array(..)) {
                let array = self.array_of(per_chunk, chunk);
                self.scope.bind_array(param.name, array);
            }
        }
        if !chunks.flat {
            self.own_parts(pat, &own_pat, par, of_chunk);
        }
        let mut results = &pat[par.reduced()..];
        let mut wholes = Vec::new();
        for form in &par.forms {
            let (these, rest) = results.split_at(form.results());
            results = rest;
            if let Form::Acc { .. } = form {
                wholes.extend(these);
            }
        }
        let (mut wholes, mut privates, mut dests) = (wholes.into_iter(), inside.private.iter(), inside.dests.iter());
        self.each_acc(&own_pat, &own, |cx, result, _, neutral, _| {
            let (whole, dest) = (wholes.next(), dests.next());
            let array = match (privates.next(), dest, whole) {
                (Some(per_chunk), ..) => {
                    let array = cx.array_of(per_chunk, chunk);
                    cx.fill(&array, &array.sizes.clone(), neutral);
                    array
                }
                (None, Some(dest), _) => dest.clone(),
                // All combine values with the same elements.
                (None, None, Some(whole)) => cx.array(whole.name),
                (None, None, None) => return,
            };
            cx.scope.bind_array(result.name, array);
        });
        self.racing = true;
        self.run(&run);
        self.racing = false;
        let scalars = own_pat[..par.reduced()].iter().filter(|param| matches!(param.ty, Type::Prim(_)));
        scalars.map(|param| self.operand(Operand::Var(param.name))).collect()
    }

    /// Calls `f` on each result of an `acc` form, with the operator and neutral element, and whether it is the form's
    /// first.
    fn each_acc(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        mut f: impl FnMut(&mut Self, &ir::Param, &ir::Lambda, Operand, bool),
    ) {
        let mut results = &pat[par.reduced()..];
        for form in &par.forms {
            let (these, rest) = results.split_at(form.results());
            results = rest;
            if let Form::Acc { op, neutral, .. } = form {
                for (at, (result, neutral)) in these.iter().zip(neutral).enumerate() {
                    f(self, result, op, *neutral, at == 0);
                }
            }
        }
    }

    pub(super) fn parallel(&mut self, chunks: &Chunks, f: impl FnOnce(&mut Self, Own)) {
        let bases = Region::ids(chunks.level).unwrap_or_default();
        let ids: Vec<Name> = bases.iter().map(|base| self.fresh(base)).collect();
        let mut all = non_negative(chunks.iterations.clone());
        let mut shares = None;
        if ids.len() == 2 {
            all = self.let_i64("iterations", all);
            shares = Some(self.shares(&all, &chunks.count));
        }
        let body = self.scoped(true, |cx| {
            ids.iter().for_each(|name| cx.variable(*name, Prim::I64));
            let (own, worker) = match (&ids[..], &shares) {
                (&[chunk, start, len, worker], _) => {
                    (Own { chunk, start, len, step: None, is_of_launch: true }, worker)
                }
                (&[thread, threads], Some(shares)) => (cx.own_iterations(chunks, shares, thread, threads), thread),
                _ => panic!("a loop with chunks at {}", chunks.level),
            };
            let around = cx.worker.replace(worker);
            cx.in_sequence(|cx| f(cx, own));
            cx.worker = around;
        });
        let (chunks, level, loc) = (chunks.count.clone(), chunks.level, self.loc);
        self.push(Stm::Parallel { level, ids, iterations: all, chunks, lanes: None, body, loc });
    }

    /// How iterations are dealt out to so many threads, at least one. It is best said where it holds for many of them,
    /// since it takes a division.
    pub(super) fn shares(&mut self, all: &Exp, threads: &Exp) -> Shares {
        let each = self.let_i64("each", Exp::quot(all.clone(), threads.clone()));
        let longer = self.let_i64("longer", Exp::sub(all.clone(), Exp::mul(each.clone(), threads.clone())));
        Shares { each, longer }
    }

    /// Which iterations a thread has that knows no more than its number: each so many, or some that follow one another.
    pub(super) fn own_iterations(&mut self, chunks: &Chunks, shares: &Shares, thread: Name, threads: Name) -> Own {
        let (number, each, longer) = (Exp::var(thread), shares.each.clone(), shares.longer.clone());
        let is_of_launch = chunks.level == Level::Grid;
        let len = self.fresh("len");
        let is_longer = Exp::cmp(CmpOp::Lt, number.clone(), longer.clone());
        self.bind(len, Exp::add(each.clone(), Exp::select(is_longer, Exp::i64(1), Exp::i64(0))));
        if chunks.strided {
            return Own { chunk: thread, start: thread, len, step: Some(threads), is_of_launch };
        }
        let start = self.fresh("start");
        self.bind(start, Exp::add(Exp::mul(each, number.clone()), Exp::min(number, longer)));
        let bound = Exp::add(chunks.iterations.clone(), Exp::i64(1));
        self.indices.insert(start, Index { bound, is_of_launch: false });
        Own { chunk: thread, start, len, step: None, is_of_launch }
    }

    /// The number of an iteration among those of all.
    pub(super) fn point_of(&mut self, own: Own, at: Name) -> Exp {
        let apart = own.step.map_or(Exp::var(at), |step| Exp::mul(Exp::var(at), Exp::var(step)));
        self.let_i64("point", Exp::add(Exp::var(own.start), apart))
    }

    /// Makes a run be over some of the points of all dimensions, whose indices each iteration finds out.
    pub(super) fn flatten(&mut self, run: &mut Run, own: Own, pat: &[ir::Param]) {
        for (own, whole) in run.pat.iter().zip(pat) {
            let array = self.array(whole.name);
            self.scope.bind_array(own.name, array);
        }
        let index = self.fresh("i");
        let space = std::mem::replace(&mut run.space, vec![(index, Operand::Var(own.len))]);
        run.flat = Some(Flat { space, start: own.start, step: own.step, is_of_launch: own.is_of_launch });
    }

    /// Makes a run be over a part of the first dimension.
    pub(super) fn shift(&mut self, run: &mut Run, own: Own) {
        let (whole, n) = run.space[0];
        let index = self.fresh.like(whole);
        let of_whole = Index { bound: self.operand(n), is_of_launch: own.is_of_launch };
        run.space[0] = (index, Operand::Var(own.len));
        let stm = |name: Name, op: BinOp, x: Name, y: Name| ir::Stm {
            pat: vec![ir::Param::new(name, Type::I64)],
            certs: Vec::new(),
            attrs: ir::Attrs::default(),
            exp: ir::Exp::Bin(op, Operand::Var(x), Operand::Var(y)),
            loc: ir::Locs::NOWHERE(),
        };
        let mut stms = Vec::with_capacity(run.body.stms.len() + 2);
        let from = match own.step {
            None => index,
            Some(step) => {
                let from = self.fresh.like(whole);
                stms.push(stm(from, BinOp::Mul, index, step));
                self.indices.insert(from, of_whole.clone());
                from
            }
        };
        stms.push(stm(whole, BinOp::Add, own.start, from));
        self.indices.insert(whole, of_whole);
        run.shift = stms.len();
        stms.extend(run.body.stms.iter().cloned());
        run.body = Cow::Owned(Body { stms, results: run.body.results.clone() });
    }

    /// The parts of the results that a chunk makes.
    fn own_parts(&mut self, pat: &[ir::Param], own: &[ir::Param], par: &Par, of_chunk: Own) {
        let Own { start, len, step, .. } = of_chunk;
        let mut at = par.reduced();
        for form in &par.forms {
            let these = at..at + form.results();
            at = these.end;
            let per_iteration = match form {
                Form::Own => Poly::constant(1),
                Form::Tile(sizes) => sizes.first().map_or(Poly::constant(1), |n| self.size(*n)),
                Form::Write { .. } => {
                    for k in these {
                        let array = self.array(pat[k].name);
                        self.scope.bind_array(own[k].name, array);
                    }
                    continue;
                }
                Form::Acc { .. } => continue,
            };
            let (first, size) =
                (self.times(&Poly::name(start), &per_iteration), self.times(&Poly::name(len), &per_iteration));
            for k in these {
                let mut array = self.array(pat[k].name);
                let Some(stride) = array.place.layout.dims.first().and_then(Dim::stride).cloned() else {
                    panic!("{} has no parts along its first dimension", pat[k].name)
                };
                let distance = self.times(&first, &stride);
                let stride = step.map_or(stride.clone(), |step| self.times(&stride, &Poly::name(step)));
                let layout = &mut array.place.layout;
                layout.offset = self.plus(&layout.offset, &distance);
                layout.dims[0] = Dim::new(size.clone(), stride);
                array.sizes[0] = size.clone();
                self.scope.bind_array(own[k].name, array);
            }
        }
    }

    // What chunks keep

    pub(super) fn per_chunk(&mut self, base: &str, prim: Prim, sizes: Vec<Poly>, count: &Exp) -> PerChunk {
        let line = (self.target.line_bytes / prim.bytes() as u64).max(1).cast_signed();
        let size = self.product(&sizes);
        let size = self.index(&size);
        // Whole cache lines; the chunks of an array may share one.
        let stride = match &size {
            Exp::Const(c) => Exp::i64(c.as_i64().unwrap_or(1).max(0).saturating_add(line - 1) / line * line),
            size => Exp::add(size.clone(), Exp::i64(line)),
        };
        let name = self.fresh("stride");
        self.bind(name, stride);
        let stride = self.size(Operand::Var(name));
        let per_chunk = self.index(&stride);
        let bytes = product_of(vec![Exp::bytes_of(prim), per_chunk, count.clone()]);
        let block = self.fresh(base);
        self.push(Stm::Alloc { name: block, space: self.target.host_space, bytes });
        PerChunk { block, prim, sizes, stride }
    }

    /// A block with room for a scalar of each chunk, next to one another.
    pub(super) fn per_thread(&mut self, base: &str, prim: Prim, count: &Exp) -> PerChunk {
        let block = self.fresh(base);
        let bytes = product_of(vec![Exp::bytes_of(prim), count.clone()]);
        self.push(Stm::Alloc { name: block, space: self.target.host_space, bytes });
        PerChunk { block, prim, sizes: Vec::new(), stride: Poly::constant(1) }
    }

    fn array_of(&mut self, per_chunk: &PerChunk, chunk: Name) -> Array {
        let offset = self.times(&Poly::name(chunk), &per_chunk.stride);
        let mut dims = Vec::with_capacity(per_chunk.sizes.len());
        let mut stride = Poly::constant(1);
        for n in per_chunk.sizes.iter().rev() {
            dims.push(Dim::new(n.clone(), stride.clone()));
            stride = self.times(&stride, n);
        }
        dims.reverse();
        let place = Place { block: per_chunk.block, layout: Layout { offset, dims } };
        Array { prim: per_chunk.prim, sizes: per_chunk.sizes.clone(), place }
    }

    /// The scalar that a chunk has kept, under a new name.
    pub(super) fn kept_by(&mut self, per_chunk: &PerChunk, chunk: Name) -> Operand {
        let array = self.array_of(per_chunk, chunk);
        let value = self.load(&array, &[]);
        let name = self.fresh("kept");
        self.bind(name, value);
        Operand::Var(name)
    }

    pub(super) fn keep(&mut self, per_chunk: &PerChunk, chunk: Name, value: Exp) {
        let array = self.array_of(per_chunk, chunk);
        self.store(&array, &[], value);
    }

    pub(super) fn results_of_chunks(&mut self, ops: &[&Op], count: &Exp) -> Vec<PerChunk> {
        let mut kept = Vec::new();
        for param in ops.iter().flat_map(|op| op.results) {
            let (prim, sizes) = match &param.ty {
                Type::Prim(prim) => (*prim, Vec::new()),
                _ => {
                    let array = self.array(param.name);
                    (array.prim, array.sizes)
                }
            };
            kept.push(self.per_chunk("results", prim, sizes, count));
        }
        kept
    }

    /// The results of reductions, from those of all chunks.
    fn combine_chunks(&mut self, mut ops: Vec<Op>, kept: &[PerChunk], chunks: &Chunks) {
        ops.retain(|op| op.op.kind != OpKind::Scan);
        if ops.is_empty() {
            return;
        }
        let accs: Vec<Vec<Acc>> = self.accumulators(&ops);
        let chunk = self.fresh("c");
        // Where nothing was reduced, not even the neutral element of the one chunk is added.
        let count = Exp::min(chunks.count.clone(), non_negative(chunks.iterations.clone()));
        self.for_loop(chunk, Prim::I64, count, None, |cx| {
            cx.vary(&accs);
            let mut kept = kept.iter();
            for (op, accs) in ops.iter().zip(&accs) {
                let mut values = Vec::with_capacity(accs.len());
                for per_chunk in kept.by_ref().take(accs.len()) {
                    values.push(if op.op.shape.is_empty() {
                        cx.kept_by(per_chunk, chunk)
                    } else {
                        let name = cx.fresh("kept");
                        let array = cx.array_of(per_chunk, chunk);
                        cx.scope.bind_array(name, array);
                        Operand::Var(name)
                    });
                }
                cx.accumulate(op, &op.op.lambda, accs, &values);
            }
        });
        self.vary(&accs);
    }

    fn combine_private(&mut self, dests: &[Array], op: &ir::Lambda, private: &[PerChunk], chunks: &Chunks) {
        let Some(sizes) = dests.first().map(|dest| dest.sizes.clone()) else { return };
        let chunk = self.fresh("c");
        self.for_loop(chunk, Prim::I64, chunks.count.clone(), None, |cx| {
            let values: Vec<Operand> = private
                .iter()
                .map(|per_chunk| {
                    let name = cx.fresh("own");
                    let array = cx.array_of(per_chunk, chunk);
                    cx.scope.bind_array(name, array);
                    Operand::Var(name)
                })
                .collect();
            cx.combine(op, dests, &sizes, &[], &values);
        });
    }

    /// A block for each value of the scans.
    fn sums_of_chunks(&mut self, par: &Par, chunks: &Chunks) -> Vec<PerChunk> {
        let mut sums = Vec::new();
        for param in par.scans().flat_map(|op| &op.lambda.params[..op.neutral.len()]) {
            let prim = param.ty.prim().unwrap_or(Prim::I64);
            sums.push(self.per_chunk("sums", prim, Vec::new(), &chunks.count));
        }
        sums
    }

    /// For each scan what the chunks before a chunk come to.
    fn scan_chunks(&mut self, par: &Par, chunks: &Chunks) -> Vec<PerChunk> {
        let sums = self.sums_of_chunks(par, chunks);
        if sums.is_empty() {
            return sums;
        }
        let several = self.scoped(false, |cx| {
            cx.parallel(chunks, |cx, of_chunk| cx.sum_of_chunk(par, of_chunk, &sums));
            cx.sums_before(par, &sums, chunks);
        });
        let single = self.scoped(false, |cx| {
            for (sums, neutral) in sums.iter().zip(par.scans().flat_map(|op| &op.neutral)) {
                let value = cx.operand(*neutral);
                cx.push(Stm::Store { block: sums.block, prim: sums.prim, index: Exp::i64(0), value });
            }
        });
        let cond = Exp::cmp(CmpOp::Lt, Exp::i64(1), chunks.count.clone());
        self.push(Stm::If { cond, yes: several, no: single });
        sums
    }

    /// What a chunk comes to.
    fn sum_of_chunk(&mut self, par: &Par, of_chunk: Own, sums: &[PerChunk]) {
        let pat: Vec<ir::Param> =
            sums.iter().map(|sums| ir::Param::new(self.fresh("sum"), Type::Prim(sums.prim))).collect();
        let (_, own) = self.copy_par(&[], par);
        let mut run = Run::sums(&pat, &own);
        self.shift(&mut run, of_chunk);
        self.run(&run);
        for (param, sums) in pat.iter().zip(sums) {
            let value = self.operand(Operand::Var(param.name));
            self.keep(sums, of_chunk.chunk, value);
        }
    }

    /// Replaces what each chunk comes to by what those before it come to.
    fn sums_before(&mut self, par: &Par, sums: &[PerChunk], chunks: &Chunks) {
        let (_, copy) = self.copy_par(&[], par);
        let pat: Vec<ir::Param> =
            sums.iter().map(|sums| ir::Param::new(self.fresh("sum"), Type::Prim(sums.prim))).collect();
        let Run { ops, .. } = Run::sums(&pat, &copy);
        let accs = self.accumulators(&ops);
        let chunk = self.fresh("c");
        // Where nothing was reduced, not even the neutral element of the one chunk is added.
        let count = Exp::min(chunks.count.clone(), non_negative(chunks.iterations.clone()));
        self.for_loop(chunk, Prim::I64, count, None, |cx| {
            cx.vary(&accs);
            let values: Vec<Operand> = sums.iter().map(|sums| cx.kept_by(sums, chunk)).collect();
            for (acc, sums) in accs.iter().flatten().zip(sums) {
                if let Acc::Var(name, prim) = acc {
                    cx.keep(sums, chunk, Exp::Var(*name, *prim));
                }
            }
            let mut values = &values[..];
            for (op, accs) in ops.iter().zip(&accs) {
                let (these, rest) = values.split_at(accs.len());
                values = rest;
                cx.accumulate(op, &op.op.lambda, accs, these);
            }
        });
        self.vary(&accs);
    }
}

/// Whether to reduce what a scan scans costs about as much as the scan. Where it adds up or compares integers that are
/// just loaded, it runs in vectors.
fn is_costly_scan(par: &Par) -> bool {
    const CHEAP: usize = 4;
    let is_flat = |op: &ParOp| op.kind != OpKind::Scan || op.shape.is_empty();
    let is_integer = |op: &ParOp| {
        op.lambda.built_in().is_some_and(|all| all.iter().all(|(_, prim)| prim.is_integer() || *prim == Prim::Bool))
    };
    let is_cheap = || par.body.stms.len() <= CHEAP && !par.body.stms.iter().any(|stm| has_bodies(&stm.exp));
    par.scans().next().is_some()
        && par.space.len() == 1
        && par.ops.iter().all(is_flat)
        && par.forms.iter().all(|form| matches!(form, Form::Own | Form::Tile(_)))
        && !(par.scans().all(is_integer) && is_cheap())
}

/// Whether the iterations may be dealt out in any way.
pub(super) fn is_unordered(par: &Par) -> bool {
    let is_free = |op: &ParOp| match op.kind {
        OpKind::Reduce { commutative } => commutative || op.lambda.built_in().is_some(),
        OpKind::Scan => false,
    };
    par.ops.iter().all(is_free) && !par.forms.iter().any(|form| matches!(form, Form::Tile(_)))
}

/// A negative trip count means no iterations.
pub(super) fn non_negative(n: Exp) -> Exp {
    match n {
        Exp::Const(c) if c.as_i64().is_some_and(|n| n >= 0) => Exp::Const(c),
        n => Exp::max(n, Exp::i64(0)),
    }
}

/// A number of bytes, which does not wrap around.
pub(super) fn product_of(factors: Vec<Exp>) -> Exp {
    let by = |x: Exp, y: Exp| Exp::Math(MathFn::SizeMul, Prim::I64, vec![x, y]);
    factors.into_iter().reduce(by).unwrap_or(Exp::i64(0))
}
