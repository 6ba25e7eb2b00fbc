//! `acc` forms of loops on a device: many threads combine values with the same elements, called bins here.
//!
//! ```text
//! let h_1 = par grid (i_2 < n_3) acc (d_4) rank 1 (0i32) + { … in b_5, x_6 }
//! ```
//! becomes
//! ```text
//! if all bins fit on chip, and there are many iterations for each {
//!   parallel block k by w with b, … {
//!     alloc bins: shared 4*copies*m
//!     lanes l < w { bins[…] = 0 }
//!     lanes l < w { the iterations of thread b*w + l: update bins[copies*b_5 + l%copies] by … + x_6 }
//!     lanes l < w { for some of the bins: update d_4[…] by … + all copies of it }
//!   }
//! } else {
//!   parallel grid … { update d_4[b_5] by … + x_6 }
//! }
//! ```
//!
//! Lanes of a warp that update the same bin wait for each other, so that few bins have several copies, which are
//! neighbours: they are in different banks of the memory. Values of several destinations are combined under a lock,
//! which is next to the bins or, in device memory, one of a fixed number that the elements share. Since all blocks
//! would wait for the same locks in the end, each keeps its bins in device memory instead, and another launch combines
//! them with few threads for each bin.
//!
//! The lanes of a block that has a row of its own do the same with the bins of this row (`histogram_of_lanes`).

use super::blocks::{Blocks, rounded_up};
use super::chunks::{Chunks, Inside, non_negative, product_of};
use super::{Array, Lower};
use crate::{Cell, Exp, Lock, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::layout::Dim;
use kenaz_ir::visit::copy_lambda;
use kenaz_ir::{CmpOp, Form, Lambda, Layout, Level, Name, Operand, Par, Place, Poly, Space, Tunable};

/// All copies of bins together have no more bytes than this, so that many blocks run at a time.
const MOST_BYTES: i64 = 16 * 1024;

/// As many as a warp has lanes.
const MOST_COPIES: i64 = 32;

/// On chip, there are so many iterations for each bin. A block has at least as many of them as bins.
const LEAST_FOR_EACH: i64 = 32;

/// The bytes that the blocks on a processor have together, and how many blocks fill one if these are no limit. With
/// more than run at a time, all bins would be combined with the destinations more often than needed.
const OF_PROCESSOR: i64 = 200 * 1024;
const BLOCKS_OF_PROCESSOR: i64 = 8;

/// The copies of bins that several values belong to are combined by so many threads for each bin at most, which have as
/// many copies to combine at least.
const MOST_THREADS_OF_BIN: i64 = 32;
const LEAST_COPIES_OF_THREAD: i64 = 16;

/// How many locks the elements in device memory share: a power of two.
const LOCKS: i64 = 1 << 16;

/// Locks for elements that several threads update.
#[derive(Clone)]
pub(super) struct Locks {
    block: Name,
    /// How many there are, if not one for each element.
    count: Option<i64>,
}

/// The destinations of an `acc` form, which have the same shape.
struct Bins<'p> {
    dests: Vec<Array>,
    op: &'p Lambda,
    neutral: &'p [Operand],
}

/// The same on chip: all copies of an element, and then those of the next one.
struct OnChip {
    blocks: Vec<(Name, Prim)>,
    locks: Option<Name>,
    /// How many elements there are, and copies of each.
    size: Exp,
    copies: Exp,
}

/// The bins of all blocks in device memory, those of one block after those of another.
struct OfBlocks {
    blocks: Vec<(Name, Prim)>,
    size: Exp,
    count: Exp,
}

/// What becomes of a bin in the end.
enum End<'k> {
    /// It is combined with its destination, as others may do at the same time.
    Others,
    /// The same, and nobody else does.
    Alone,
    /// It is kept for another launch, as that of a block.
    Kept(&'k OfBlocks, Name),
}

impl Lower<'_> {
    /// A loop on a device with `acc` forms.
    pub(super) fn histograms(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks, work: Exp) {
        let bins = self.bins(pat, par);
        let locks = bins.iter().any(|bins| bins.dests.len() > 1).then(|| self.locks_in_device_memory());
        for dest in bins.iter().flat_map(|bins| &bins.dests) {
            self.contended.insert(dest.place.block, locks.clone());
        }
        if par.ops.is_empty() && bins.iter().any(|bins| self.can_be_on_chip(bins)) {
            // The others stay in device memory.
            let sizes: Vec<Option<Exp>> =
                bins.iter().map(|bins| self.can_be_on_chip(bins).then(|| self.size_of(bins))).collect();
            let each = bins.iter().zip(&sizes).filter_map(|(bins, size)| Some((bins, size.clone()?)));
            let each = each.map(|(bins, size)| product_of(vec![bytes_of_each(bins), size]));
            let bytes = each.reduce(Exp::add).unwrap_or(Exp::i64(0));
            let bytes = self.let_i64("bytes", bytes);
            let all = sizes.iter().flatten().cloned().reduce(Exp::add).unwrap_or(Exp::i64(0));
            let all = self.let_i64("bins", Exp::max(all, Exp::i64(1)));
            let limit = self.shared_limit();
            let is_small = Exp::cmp(CmpOp::Le, bytes.clone(), limit.clone());
            let needed = product_of(vec![Exp::i64(LEAST_FOR_EACH), all.clone()]);
            let are_many = Exp::cmp(CmpOp::Le, needed, chunks.iterations.clone());
            let yes = self.scoped(false, |cx| {
                let most = Exp::min(limit, Exp::i64(MOST_BYTES));
                let copies = Exp::quot(Exp::max(most, Exp::i64(0)), Exp::max(bytes.clone(), Exp::i64(1)));
                let copies = Exp::min(Exp::max(copies, Exp::i64(1)), Exp::i64(MOST_COPIES));
                let copies = cx.let_i64("copies", copies);
                let on_chip: Vec<(&Bins, Option<Exp>)> = bins.iter().zip(sizes).collect();
                let of_block = Exp::max(Exp::mul(bytes, copies.clone()), Exp::i64(1));
                let at_a_time = Exp::min(Exp::quot(Exp::i64(OF_PROCESSOR), of_block), Exp::i64(BLOCKS_OF_PROCESSOR));
                let at_a_time = cx.let_i64("at_a_time", Exp::max(at_a_time, Exp::i64(1)));
                cx.on_chip(pat, par, chunks, &on_chip, [&all, &copies, &at_a_time]);
            });
            let no = self.scoped(false, |cx| cx.in_device_memory(pat, par, chunks, work));
            self.push(Stm::If { cond: Exp::and(is_small, are_many), yes, no });
        } else {
            self.in_device_memory(pat, par, chunks, work);
        }
        for dest in bins.iter().flat_map(|bins| &bins.dests) {
            self.contended.remove(&dest.place.block);
        }
        if let Some(Locks { block, .. }) = locks {
            self.push(Stm::Free { name: block });
        }
    }

    fn bins<'p>(&self, pat: &[ir::Param], par: &'p Par) -> Vec<Bins<'p>> {
        let mut results = &pat[par.reduced()..];
        let mut all = Vec::new();
        for form in &par.forms {
            let (these, rest) = results.split_at(form.results());
            results = rest;
            if let Form::Acc { op, neutral, .. } = form {
                all.push(Bins { dests: these.iter().map(|dest| self.array(dest.name)).collect(), op, neutral });
            }
        }
        all
    }

    /// Whether bins can be made from their neutral elements alone, and be locked where several belong together: there
    /// are no atomic instructions for less than a word.
    fn can_be_on_chip(&self, bins: &Bins) -> bool {
        let is_word = |dest: &Array| dest.prim.bytes() >= 4;
        bins.neutral.iter().all(|neutral| self.array_operand(*neutral).is_none())
            && (bins.dests.len() == 1 || bins.dests.iter().all(is_word))
    }

    fn size_of(&mut self, bins: &Bins) -> Exp {
        let sizes = bins.dests.first().map(|dest| dest.sizes.clone()).unwrap_or_default();
        let sizes: Vec<Exp> = sizes.iter().map(|n| self.index(n)).collect();
        let size = if sizes.is_empty() { Exp::i64(1) } else { product_of(sizes) };
        self.let_i64("size", size)
    }

    pub(super) fn tunable(&mut self, of: Tunable) -> Exp {
        let name = self.fresh("tunable");
        self.push(Stm::Tunable { name, of });
        self.variable(name, Prim::I64);
        Exp::var(name)
    }

    fn shared_limit(&mut self) -> Exp {
        self.tunable(Tunable::shared_memory())
    }

    fn locks_in_device_memory(&mut self) -> Locks {
        let (block, i) = (self.fresh("locks"), self.fresh("i"));
        let bytes = Exp::i64(4 * LOCKS);
        self.push(Stm::Alloc { name: block, space: self.target.host_space, bytes });
        self.for_loop(i, Prim::I64, Exp::i64(LOCKS), Some(&[block]), |cx| cx.clear_lock(block, Exp::var(i)));
        Locks { block, count: Some(LOCKS) }
    }

    fn clear_lock(&mut self, block: Name, index: Exp) {
        self.push(Stm::Store { block, prim: Prim::I32, index, value: Exp::Const(ir::Scalar::I32(0)) });
    }

    // In device memory

    fn in_device_memory(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks, work: Exp) {
        let name = self.fresh("chunks");
        let (level, iterations, combined) = (chunks.level, chunks.iterations.clone(), !par.ops.is_empty());
        self.push(Stm::Chunks { name, level, iterations, work, uneven: false, combined });
        self.variable(name, Prim::I64);
        self.chunks(pat, par, &Chunks { count: Exp::var(name), ..chunks.clone() });
    }

    // On chip

    fn on_chip(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        chunks: &Chunks,
        bins: &[(&Bins, Option<Exp>)],
        [all, copies, at_a_time]: [&Exp; 3],
    ) {
        let iterations = chunks.iterations.clone();
        let width = self.width_for(Exp::i64(i64::MAX));
        let (name, lanes) = (self.fresh("blocks"), Exp::var(width));
        let wanted = rounded_up(iterations.clone(), lanes.clone());
        let (level, work) = (Level::Block, Exp::i64(1));
        self.push(Stm::Chunks { name, level, iterations: wanted, work, uneven: false, combined: true });
        self.variable(name, Prim::I64);
        let running = Exp::quot(Exp::mul(Exp::var(name), at_a_time.clone()), Exp::i64(BLOCKS_OF_PROCESSOR));
        let most = Exp::min(running, Exp::quot(iterations.clone(), all.clone()));
        let count = self.let_i64("blocks", Exp::max(most, Exp::i64(1)));
        let busy = Exp::mul(count.clone(), lanes.clone());
        let blocks = Blocks { count, width, lanes: lanes.clone(), busy, iterations };
        let of_blocks: Vec<Option<OfBlocks>> = bins
            .iter()
            .map(|(bins, size)| Some((bins, size.as_ref()?)).filter(|(bins, _)| bins.dests.len() > 1))
            .map(|bins| bins.map(|(bins, size)| self.alloc_of_blocks(bins, size, &blocks.count)))
            .collect();
        self.each_block(&blocks, |cx, block| {
            let alloc = |(bins, size): &(&Bins, Option<Exp>)| Some(cx.alloc_on_chip(bins, size.as_ref()?, copies));
            let on_chip: Vec<Option<OnChip>> = bins.iter().map(alloc).collect();
            let both = || bins.iter().zip(&on_chip).filter_map(|((bins, _), on_chip)| Some((bins, on_chip.as_ref()?)));
            cx.lanes(&lanes, |cx, lane| {
                both().for_each(|(bins, on_chip)| cx.begin_bins(bins, on_chip, lane, width));
            });
            cx.each_lane(&blocks, block, chunks, |cx, lane, own| {
                let mut dests = Vec::new();
                for ((bins, _), on_chip) in bins.iter().zip(&on_chip) {
                    match on_chip {
                        Some(on_chip) => cx.own_copies(bins, on_chip, lane, &mut dests),
                        None => dests.extend(bins.dests.iter().cloned()),
                    }
                }
                cx.one_chunk(pat, par, chunks, own, &Inside { dests: &dests, ..Inside::default() });
            });
            cx.lanes(&lanes, |cx, lane| {
                for (((bins, _), on_chip), kept) in bins.iter().zip(&on_chip).zip(&of_blocks) {
                    let Some(on_chip) = on_chip else { continue };
                    let end = kept.as_ref().map_or(End::Others, |kept| End::Kept(kept, block));
                    cx.end_bins(bins, on_chip, lane, width, end);
                }
            });
        });
        for ((bins, _), kept) in bins.iter().zip(&of_blocks) {
            if let Some(kept) = kept {
                self.merge(bins, kept);
                kept.blocks.iter().for_each(|(block, _)| self.push(Stm::Free { name: *block }));
            }
        }
    }

    /// Room for the bins of all blocks.
    fn alloc_of_blocks(&mut self, bins: &Bins, size: &Exp, count: &Exp) -> OfBlocks {
        let mut alloc = |prim: Prim| {
            let name = self.fresh("bins");
            let bytes = product_of(vec![Exp::bytes_of(prim), count.clone(), size.clone()]);
            self.push(Stm::Alloc { name, space: self.target.host_space, bytes });
            name
        };
        let blocks = bins.dests.iter().map(|dest| (alloc(dest.prim), dest.prim)).collect();
        OfBlocks { blocks, size: size.clone(), count: count.clone() }
    }

    /// Combines the bins of all blocks with the destinations. Neighbouring threads have neighbouring bins, of every so
    /// many blocks.
    fn merge(&mut self, bins: &Bins, kept: &OfBlocks) {
        let wanted = Exp::quot(kept.count.clone(), Exp::i64(LEAST_COPIES_OF_THREAD));
        let wanted = Exp::max(Exp::min(wanted, Exp::i64(MOST_THREADS_OF_BIN)), Exp::i64(1));
        let of_bin = self.let_i64("of_bin", wanted);
        let iterations = self.let_i64("threads", Exp::mul(kept.size.clone(), of_bin.clone()));
        let width = self.width_for(iterations.clone());
        let lanes = Exp::var(width);
        let count = self.let_i64("blocks", Exp::max(rounded_up(iterations.clone(), lanes.clone()), Exp::i64(1)));
        let blocks =
            Blocks { count, width, lanes: lanes.clone(), busy: iterations.clone(), iterations: iterations.clone() };
        self.each_block(&blocks, |cx, block| {
            cx.lanes(&lanes, |cx, lane| {
                let thread = Exp::add(Exp::mul(Exp::var(block), lanes.clone()), Exp::var(lane));
                let thread = cx.let_i64("thread", thread);
                let cond = Exp::cmp(CmpOp::Lt, thread.clone(), iterations.clone());
                let yes = cx.scoped(false, |cx| cx.merge_some(bins, kept, thread, of_bin));
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
        });
    }

    fn merge_some(&mut self, bins: &Bins, kept: &OfBlocks, thread: Exp, of_bin: Exp) {
        let element = self.let_i64("bin", Exp::rem(thread.clone(), kept.size.clone()));
        let first = self.let_i64("first", Exp::quot(thread.clone(), kept.size.clone()));
        // Those of the blocks `first`, `first + of_bin`, and so on.
        let last = Exp::sub(Exp::sub(kept.count.clone(), Exp::i64(1)), first);
        let others = self.let_i64("others", Exp::quot(last, of_bin.clone()));
        let apart = self.let_i64("apart", Exp::mul(of_bin, kept.size.clone()));
        let accs = self.all_of(bins, &kept.blocks, [thread, apart, others]);
        self.end_bin(bins, element, accs, &End::Others);
    }

    /// A loop of the lanes of a block with `acc` forms. Only where all bins can be on chip.
    pub(super) fn histogram_of_lanes(&mut self, pat: &[ir::Param], par: &Par, width: Name) -> bool {
        let bins = self.bins(pat, par);
        if !par.ops.is_empty() || par.post.is_some() || !bins.iter().all(|bins| self.can_be_on_chip(bins)) {
            return false;
        }
        let sizes: Vec<Exp> = bins.iter().map(|bins| self.size_of(bins)).collect();
        let each = bins.iter().zip(&sizes).map(|(bins, size)| product_of(vec![bytes_of_each(bins), size.clone()]));
        let bytes = each.reduce(Exp::add).unwrap_or(Exp::i64(1));
        let copies = Exp::quot(Exp::i64(ir::target::BYTES_OF_COPIES), Exp::max(bytes, Exp::i64(1)));
        let copies = Exp::min(Exp::max(copies, Exp::i64(1)), Exp::i64(MOST_COPIES));
        let copies = self.let_i64("copies", copies);
        let on_chip: Vec<OnChip> =
            bins.iter().zip(&sizes).map(|(bins, size)| self.alloc_on_chip(bins, size, &copies)).collect();
        let flat = par.space.len() > 1;
        let sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
        let iterations = self.let_i64("iterations", product_of(sizes));
        let lanes = Exp::var(width);
        let (level, count) = (Level::Lane, lanes.clone());
        let chunks = Chunks { level, iterations: iterations.clone(), count, strided: true, flat };
        // Lanes run what is inside in sequence.
        let inside = self.width.take();
        let shares = self.shares(&iterations, &lanes);
        self.lanes(&lanes, |cx, lane| {
            bins.iter().zip(&on_chip).for_each(|(bins, on_chip)| cx.begin_bins(bins, on_chip, lane, width));
        });
        self.lanes(&lanes, |cx, lane| {
            let own = cx.own_iterations(&chunks, &shares, lane, width);
            let mut dests = Vec::new();
            bins.iter().zip(&on_chip).for_each(|(bins, on_chip)| cx.own_copies(bins, on_chip, lane, &mut dests));
            cx.one_chunk(pat, par, &chunks, own, &Inside { dests: &dests, ..Inside::default() });
        });
        self.lanes(&lanes, |cx, lane| {
            bins.iter().zip(&on_chip).for_each(|(bins, on_chip)| cx.end_bins(bins, on_chip, lane, width, End::Alone));
        });
        self.width = inside;
        true
    }

    fn alloc_on_chip(&mut self, bins: &Bins, size: &Exp, copies: &Exp) -> OnChip {
        let mut alloc = |base: &str, prim: Prim| {
            let name = self.fresh(base);
            let bytes = product_of(vec![Exp::bytes_of(prim), copies.clone(), size.clone()]);
            self.push(Stm::Alloc { name, space: Space::Shared, bytes });
            name
        };
        let blocks = bins.dests.iter().map(|dest| (alloc("bins", dest.prim), dest.prim)).collect();
        let locks = (bins.dests.len() > 1).then(|| alloc("locks", Prim::I32));
        OnChip { blocks, locks, size: size.clone(), copies: copies.clone() }
    }

    /// Every so many numbers below a bound, those of a lane.
    fn each_of_lane(&mut self, bound: Exp, lane: Name, width: Name, f: impl FnOnce(&mut Self, Exp)) {
        let all = self.let_i64("all", bound);
        let chunks = Chunks { strided: true, ..Chunks::of(Level::Lane, all.clone(), Exp::var(width)) };
        let shares = self.shares(&all, &Exp::var(width));
        let own = self.own_iterations(&chunks, &shares, lane, width);
        let (at, len) = (self.fresh("i"), self.operand(Operand::Var(own.len)));
        self.for_loop(at, Prim::I64, len, None, |cx| {
            let number = Exp::add(Exp::mul(Exp::var(at), Exp::var(width)), Exp::var(lane));
            let number = cx.let_i64("at", number);
            f(cx, number);
        });
    }

    fn begin_bins(&mut self, bins: &Bins, on_chip: &OnChip, lane: Name, width: Name) {
        let all = Exp::mul(on_chip.size.clone(), on_chip.copies.clone());
        self.each_of_lane(all, lane, width, |cx, at| {
            for ((block, prim), neutral) in on_chip.blocks.iter().zip(bins.neutral) {
                let value = cx.operand(*neutral);
                cx.push(Stm::Store { block: *block, prim: *prim, index: at.clone(), value });
            }
            if let Some(locks) = on_chip.locks {
                cx.clear_lock(locks, at);
            }
        });
    }

    /// The bins that a lane updates, which others may update as well.
    fn own_copies(&mut self, bins: &Bins, on_chip: &OnChip, lane: Name, all: &mut Vec<Array>) {
        let [copy, apart] = ["copy", "copies"].map(|base| self.fresh(base));
        self.bind(copy, Exp::rem(Exp::var(lane), on_chip.copies.clone()));
        self.bind(apart, on_chip.copies.clone());
        for (dest, (block, prim)) in bins.dests.iter().zip(&on_chip.blocks) {
            let locks = on_chip.locks.map(|block| Locks { block, count: None });
            self.contended.insert(*block, locks);
            let mut stride = self.size(Operand::Var(apart));
            let mut dims = Vec::with_capacity(dest.sizes.len());
            for n in dest.sizes.iter().rev() {
                dims.push(Dim::new(n.clone(), stride.clone()));
                stride = self.times(&stride, n);
            }
            dims.reverse();
            let layout = Layout { offset: self.size(Operand::Var(copy)), dims };
            all.push(Array { prim: *prim, sizes: dest.sizes.clone(), place: Place { block: *block, layout } });
        }
    }

    /// Combines the copies of each bin, which then comes to its end.
    fn end_bins(&mut self, bins: &Bins, on_chip: &OnChip, lane: Name, width: Name, end: End) {
        self.each_of_lane(on_chip.size.clone(), lane, width, |cx, element| {
            let first = cx.let_i64("first", Exp::mul(element.clone(), on_chip.copies.clone()));
            let others = Exp::sub(on_chip.copies.clone(), Exp::i64(1));
            let accs = cx.all_of(bins, &on_chip.blocks, [first, Exp::i64(1), others]);
            cx.end_bin(bins, element, accs, &end);
        });
    }

    /// Some elements of each of these blocks, combined: the first, and how many others there are how far apart.
    fn all_of(&mut self, bins: &Bins, blocks: &[(Name, Prim)], [first, apart, others]: [Exp; 3]) -> Vec<Exp> {
        let vars: Vec<(Name, Prim)> = blocks.iter().map(|(_, prim)| (self.fresh("acc"), *prim)).collect();
        for ((name, prim), (block, _)) in vars.iter().zip(blocks) {
            self.variable(*name, *prim);
            self.push(Stm::Declare { name: *name, ty: Ty::Scalar(*prim) });
            self.push(Stm::Set { name: *name, value: Exp::load(*block, *prim, first.clone()) });
        }
        let accs: Vec<Exp> = vars.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
        let copy = self.fresh("c");
        self.for_loop(copy, Prim::I64, others, None, |cx| {
            cx.vary_here(&vars);
            let number = Exp::mul(Exp::add(Exp::var(copy), Exp::i64(1)), apart);
            let at = cx.let_i64("at", Exp::add(first, number));
            let more = blocks.iter().map(|(block, prim)| Exp::load(*block, *prim, at.clone()));
            let args = accs.iter().cloned().chain(more).collect();
            let op = copy_lambda(bins.op, cx.fresh);
            let values = cx.apply(&op, args);
            cx.assign_scalars(vars.iter().map(|(name, _)| *name).zip(values).collect());
        });
        self.vary_here(&vars);
        accs
    }

    /// Combines what a bin has with its destination, or keeps it.
    fn end_bin(&mut self, bins: &Bins, element: Exp, values: Vec<Exp>, end: &End) {
        if let End::Kept(kept, block) = end {
            let at = Exp::add(Exp::mul(Exp::var(*block), kept.size.clone()), element);
            let at = self.let_i64("at", at);
            for ((block, prim), value) in kept.blocks.iter().zip(values) {
                self.push(Stm::Store { block: *block, prim: *prim, index: at.clone(), value });
            }
            return;
        }
        let sizes = bins.dests.first().map(|dest| dest.sizes.clone()).unwrap_or_default();
        let index = self.digits(element, &sizes);
        let op = copy_lambda(bins.op, self.fresh);
        match end {
            End::Alone => {
                let old: Vec<Exp> = bins.dests.iter().map(|dest| self.load(dest, &index)).collect();
                let values = self.apply(&op, old.into_iter().chain(values).collect());
                for (dest, value) in bins.dests.iter().zip(values) {
                    self.store(dest, &index, value);
                }
            }
            _ => self.update_at(&op, &bins.dests, &index, values),
        }
    }

    /// The indices of an element, from its number among those of an array.
    fn digits(&mut self, number: Exp, sizes: &[Poly]) -> Vec<Poly> {
        let mut rest = number;
        let mut index = Vec::with_capacity(sizes.len());
        for (at, n) in sizes.iter().enumerate().rev() {
            let digit = self.fresh("i");
            if at == 0 {
                self.bind(digit, rest.clone());
            } else {
                let n = self.index(n);
                self.bind(digit, Exp::rem(rest.clone(), n.clone()));
                rest = self.let_i64("rest", Exp::quot(rest, n));
            }
            index.push(self.size(Operand::Var(digit)));
        }
        index.reverse();
        index
    }

    // Updates

    /// Combines values with what is at an index of arrays, where others may do so at the same time.
    pub(super) fn update_at(&mut self, op: &Lambda, dests: &[Array], index: &[Poly], new: Vec<Exp>) {
        let mut cells: Vec<Cell> = Vec::with_capacity(dests.len());
        for (dest, value) in dests.iter().zip(&new) {
            let Exp::Load { block, prim, index } = self.load(dest, index) else { return };
            cells.push(Cell { block, prim, index: *index, old: self.fresh("old"), value: value.clone() });
        }
        let body = self.scoped(false, |cx| {
            cells.iter().for_each(|cell| cx.variable(cell.old, cell.prim));
            let old = cells.iter().map(|cell| Exp::Var(cell.old, cell.prim));
            let values = cx.apply(op, old.chain(new).collect());
            for (cell, value) in cells.iter_mut().zip(values) {
                cell.value = value;
            }
        });
        let lock = (cells.len() > 1).then(|| self.lock_of(&cells[0]));
        self.push(Stm::Update { cells, lock, body });
    }

    /// The lock of elements, by the index of the first.
    fn lock_of(&self, cell: &Cell) -> Lock {
        let Some(Some(locks)) = self.contended.get(&cell.block) else { panic!("{} has no locks", cell.block) };
        let index = match locks.count {
            None => cell.index.clone(),
            Some(count) => Exp::rem(cell.index.clone(), Exp::i64(count)),
        };
        Lock { block: locks.block, index }
    }
}

/// The bytes of one element of each destination, and of their lock.
fn bytes_of_each(bins: &Bins) -> Exp {
    let lock = if bins.dests.len() > 1 { Prim::I32.bytes() } else { 0 };
    let bytes = bins.dests.iter().map(|dest| dest.prim.bytes()).sum::<usize>() + lock;
    Exp::i64(i64::try_from(bytes).unwrap_or(i64::MAX))
}
