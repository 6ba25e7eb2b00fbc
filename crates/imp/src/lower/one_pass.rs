//! Scans on a device in one pass over their elements, by blocks that tell each other what comes before them.
//!
//! ```text
//! let a_1: [n_2]i32 = par grid (i_3 < n_2) scan (0i32) + own { … in x_4 } post (s_5: i32) { … in y_6 }
//! ```
//! becomes
//! ```text
//! board told of …
//! parallel block (n_2 + w*items - 1)/(w*items) by w {
//!   take number from told                            the tile of this block: those before it have begun
//!   lanes l { for k < items { elems[k*w + l] = x_4 } }        neighbours compute neighbours
//!   lanes l { mine[…] = scan of elems[l*items …]; total = its last }
//!   prefixes of total, all                           total: what the lanes before come to
//!   publish told[number] = all
//!   before = what the blocks before come to
//!   lanes l { elems[l*items …] = before + total + mine[…] }
//!   lanes l { for k < items { a_1[…] = y_6 of elems[k*w + l] } }
//! }
//! ```
//!
//! What the blocks before one come to is found in groups of as many as there are lanes. Each lane waits for what one of
//! the blocks before it in its group tells, and one for what the last block of the group before tells: what all up to
//! there come to. So every wait is for blocks that have begun, and what is combined with what does not depend on who is
//! how fast: the same bits come out in every run. A lane that waits also sees when a check has failed elsewhere, whose
//! block tells nothing any more.
//!
//! Operands are combined in the order of the iterations. Lanes and blocks without iterations are the last ones, and do
//! not count. A reduction alone is one launch as well:
//!
//! ```text
//! board told of …
//! parallel block k by w {
//!   take number from told
//!   lanes l { own = the iterations of lane l; where their order matters, see `in_order` }
//!   combine own, all
//!   publish told[number] = all
//!   if number + 1 == k { what all blocks have told, combined by the lanes }
//! }
//! ```
//!
//! Values that the body yields and `post` needs stay with their lane. Reductions beside the scans are what
//! the last block comes to; one of what is scanned as well, as in a filter, costs nothing.

use super::Lower;
use super::blocks::{Blocks, rounded_up};
use super::chunks::{Chunks, Inside, non_negative, product_of};
use super::in_order::{Tiles, items_in_order};
use crate::{Board, Combined, Exp, Hint, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::visit::{for_each_body, free_in_body, free_in_stm, has_bodies};
use kenaz_ir::{CmpOp, Level, Name, OpKind, Operand, Par, ParOp, Poly, Space, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Each lane has at most so many elements. An odd number keeps lanes that read their own apart in shared memory.
const MOST_ITEMS: usize = 15;

/// The bytes of shared memory, and of registers, that the elements of a lane take.
const SHARED_BYTES: usize = 64;
const REGISTER_BYTES: usize = 160;

/// Bodies with more statements are not written out for each element.
const MOST_STATEMENTS: usize = 24;

/// What `post` needs of the body, by the numbers of its statements and their results.
#[derive(Default)]
pub(super) struct Needed {
    /// Scalars.
    kept: Vec<(usize, usize, Prim)>,
    /// Statements that only say where something is, which are cheap to repeat.
    views: Vec<usize>,
}

/// Where one of the values is that are combined.
pub(super) struct Value {
    pub prim: Prim,
    /// In shared memory: the elements of the tile, room for one of each lane, and what comes before the group.
    elems: Name,
    room: Name,
    start: Option<Name>,
    /// Of each lane: its elements combined so far, all of them, and what another block has told.
    mine: Option<Name>,
    total: Name,
    theirs: Name,
}

/// The place of the result of a reduction in a block of several.
struct ResultCell {
    block: Name,
    prim: Prim,
    /// How many of them come before it.
    at: i64,
}

impl ResultCell {
    /// Enough for every type of scalar.
    const BYTES: i64 = 8;

    fn index(&self) -> Exp {
        Exp::i64(self.at * Self::BYTES / i64::try_from(self.prim.bytes()).unwrap_or(1))
    }

    fn store(&self, value: Exp) -> Stm {
        Stm::Store { block: self.block, prim: self.prim, index: self.index(), value }
    }
}

/// A tile in the making.
struct Tile<'t> {
    ops: &'t [&'t ParOp],
    values: &'t [Value],
    lanes: Exp,
    items: i64,
    unroll: bool,
    board: Name,
    turn: Exp,
    number: Exp,
    /// How many elements it has.
    count: Exp,
}

impl Lower<'_> {
    /// What is needed for one pass, if that will do: nothing in it needs memory of its own.
    pub(super) fn one_pass(&self, par: &Par) -> Option<Needed> {
        match par.scans().next() {
            Some(_) if needs_nothing(par) => needed(par),
            _ => None,
        }
    }

    /// Whether reductions can be done by one launch.
    pub(super) fn one_launch(&self, par: &Par) -> bool {
        par.scans().next().is_none() && needs_nothing(par)
    }

    /// The number of a block, which it takes from a board, and the turn in which it writes there.
    fn take(&mut self, board: Name) -> [Name; 2] {
        let [number, turn] = ["number", "turn"].map(|base| self.fresh(base));
        self.push(Stm::Take { number, turn, board });
        self.variable(number, Prim::I64);
        self.variable(turn, Prim::U32);
        [number, turn]
    }

    /// A `par` with reductions and without scans, in one launch.
    pub(super) fn in_one_launch(&mut self, pat: &[ir::Param], par: &Par, chunks: &Chunks, work: Exp) {
        let sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
        let all = if chunks.strided { non_negative(chunks.iterations.clone()) } else { product_of(sizes) };
        let iterations = self.let_i64("iterations", all);
        let width = self.width_for(Exp::i64(i64::MAX));
        let lanes = Exp::var(width);
        let ops: Vec<&ParOp> = par.ops.iter().collect();
        let prims: Vec<Prim> = ops.iter().flat_map(|op| prims_of(op)).collect();
        let items = items_in_order(par);
        let tile = self.let_i64("tile", Exp::mul(lanes.clone(), Exp::i64(items)));
        let parts = if chunks.strided { lanes.clone() } else { tile.clone() };
        let wanted = self.let_i64("wanted", rounded_up(iterations.clone(), parts));
        let count = self.fresh("blocks");
        let (level, combined) = (Level::Block, true);
        self.push(Stm::Chunks { name: count, level, iterations: wanted.clone(), work, uneven: false, combined });
        self.variable(count, Prim::I64);
        let words: i64 = prims.iter().map(|prim| Board::words(*prim)).sum();
        let board = self.fresh("told");
        let told = Exp::add(Exp::mul(Exp::var(count), Exp::i64(words)), Exp::i64(Board::HEAD));
        self.push(Stm::Board { name: board, words: told });
        let results = self.results(&prims);
        let busy = Exp::min(iterations.clone(), Exp::mul(Exp::var(count), lanes.clone()));
        let busy = self.let_i64("busy", busy);
        let (width_exp, blocks_count) = (lanes.clone(), Exp::var(count));
        let blocks = Blocks { count: blocks_count, width, lanes: width_exp, busy, iterations: iterations.clone() };
        let unroll = is_short(par);
        self.each_block(&blocks, |cx, _| {
            let [number, turn] = cx.take(board);
            let turn = Exp::Var(turn, Prim::U32);
            let values = cx.values(&prims, &lanes, None);
            let (ops, values) = (&ops[..], &values[..]);
            let all = if chunks.strided {
                cx.each_lane(&blocks, number, chunks, |cx, _, own| {
                    let sums = cx.one_chunk(pat, par, chunks, own, &Inside::default());
                    for (value, sum) in values.iter().zip(sums) {
                        let (block, prim, index) = (value.total, value.prim, Exp::i64(0));
                        cx.push(Stm::Store { block, prim, index, value: sum });
                    }
                });
                let busy = cx.busy_lanes(&blocks, number);
                cx.combine_lanes(ops, totals(values), busy, false)
            } else {
                let in_order = Chunks::of(Level::Block, wanted.clone(), Exp::var(count));
                let shares = cx.shares(&wanted, &Exp::var(count));
                let own = cx.own_iterations(&in_order, &shares, number, count);
                let (start, len) = (cx.operand(Operand::Var(own.start)), cx.operand(Operand::Var(own.len)));
                let (lanes, iterations) = (lanes.clone(), iterations.clone());
                cx.lanes_in_order(pat, par, ops, values, &Tiles { lanes, items, start, len, iterations, unroll })
            };
            let record = |at: Exp| Exp::add(Exp::mul(at, Exp::i64(words)), Exp::i64(Board::HEAD));
            cx.push(Stm::Publish { board, turn: turn.clone(), at: record(Exp::var(number)), values: all });
            let is_last = Exp::cmp(CmpOp::Eq, Exp::add(Exp::var(number), Exp::i64(1)), Exp::var(count));
            let yes = cx.scoped(false, |cx| {
                let told = |cx: &mut Self, at: Exp| cx.told(values, board, &turn, record(at));
                cx.sum_of_blocks(ops, values, &blocks, (width, count), &told, &results);
            });
            cx.push(Stm::If { cond: is_last, yes, no: Vec::new() });
        });
        self.read_results(pat, par, &results, &iterations);
    }

    /// The lanes of one block combine what all blocks have told.
    fn sum_of_blocks(
        &mut self,
        ops: &[&ParOp],
        values: &[Value],
        blocks: &Blocks,
        (width, count): (Name, Name),
        told: &dyn Fn(&mut Self, Exp) -> Vec<Exp>,
        results: &[ResultCell],
    ) {
        let count = Exp::var(count);
        let in_order = Chunks::of(Level::Lane, count.clone(), blocks.lanes.clone());
        let shares = self.shares(&count, &blocks.lanes);
        self.lanes(&blocks.lanes, |cx, lane| {
            let own = cx.own_iterations(&in_order, &shares, lane, width);
            let (start, len) = (cx.operand(Operand::Var(own.start)), cx.operand(Operand::Var(own.len)));
            let cond = Exp::cmp(CmpOp::Lt, Exp::i64(0), len.clone());
            let yes = cx.scoped(false, |cx| {
                let names: Vec<(Name, Prim)> = values.iter().map(|value| (cx.fresh("sum"), value.prim)).collect();
                let first = told(cx, start.clone());
                for ((name, _), first) in names.iter().zip(first) {
                    cx.declare_set(*name, first);
                }
                let sums: Vec<Exp> = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
                let at = cx.fresh("b");
                cx.for_loop(at, Prim::I64, Exp::sub(len, Exp::i64(1)), None, |cx| {
                    cx.vary_here(&names);
                    let more = told(cx, Exp::add(Exp::add(start, Exp::var(at)), Exp::i64(1)));
                    let more = cx.combined(ops, sums.clone(), more);
                    cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(more).collect());
                });
                cx.vary_here(&names);
                for (value, sum) in values.iter().zip(&sums) {
                    let (block, prim, index, value) = (value.theirs, value.prim, Exp::i64(0), sum.clone());
                    cx.push(Stm::Store { block, prim, index, value });
                }
            });
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
        let busy = self.let_i64("busy", Exp::min(count, blocks.lanes.clone()));
        let own = values.iter().map(|value| (value.theirs, value.room, value.prim)).collect();
        let all = self.combine_lanes(ops, own, busy, false);
        for (result, value) in results.iter().zip(all) {
            self.push(result.store(value));
        }
    }

    /// Room for the results of reductions, all in one block, so that whoever reads the first of them can fetch the
    /// others with it.
    fn results(&mut self, prims: &[Prim]) -> Vec<ResultCell> {
        if prims.is_empty() {
            return Vec::new();
        }
        let block = self.fresh("results");
        let bytes = Exp::i64(ResultCell::BYTES * i64::try_from(prims.len()).unwrap_or(i64::MAX));
        self.push(Stm::Alloc { name: block, space: self.target.host_space, bytes });
        (0..).zip(prims).map(|(at, prim)| ResultCell { block, prim: *prim, at }).collect()
    }

    /// What a block tells, for a lane.
    fn told(&mut self, values: &[Value], board: Name, turn: &Exp, at: Exp) -> Vec<Exp> {
        let names: Vec<(Name, Prim)> = values.iter().map(|value| (self.fresh("told"), value.prim)).collect();
        names.iter().for_each(|(name, prim)| self.variable(*name, *prim));
        let told = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
        self.push(Stm::Await { names, board, turn: turn.clone(), at });
        told
    }

    /// A `par` with scans, in one pass.
    pub(super) fn in_one_pass(&mut self, pat: &[ir::Param], par: &Par, needed: &Needed) {
        let sizes: Vec<Exp> = par.space.iter().map(|(_, n)| non_negative(self.operand(*n))).collect();
        let iterations = self.let_i64("iterations", product_of(sizes));
        let width = self.width_for(Exp::i64(i64::MAX));
        let lanes = Exp::var(width);
        // A reduction of what is scanned is what the scan ends with.
        let same: Vec<Option<usize>> = par.ops.iter().map(|op| scanned_as(par, op)).collect();
        let ops: Vec<&ParOp> = par.ops.iter().zip(&same).filter(|(_, same)| same.is_none()).map(|(op, _)| op).collect();
        let prims: Vec<Prim> = ops.iter().flat_map(|op| prims_of(op)).collect();
        let items = items_of(&prims, needed);
        let tile = self.let_i64("tile", Exp::mul(lanes.clone(), Exp::i64(items)));
        let tiles = Exp::max(rounded_up(iterations.clone(), tile.clone()), Exp::i64(1));
        let tiles = self.let_i64("tiles", tiles);
        let words: i64 = prims.iter().map(|prim| Board::words(*prim)).sum();
        // What each block tells, and then what the last of each group does.
        let groups = Exp::add(Exp::quot(tiles.clone(), lanes.clone()), Exp::i64(1));
        let told = Exp::mul(Exp::add(tiles.clone(), groups), Exp::i64(words));
        let board = self.fresh("told");
        self.push(Stm::Board { name: board, words: Exp::add(told, Exp::i64(Board::HEAD)) });
        let results = self.results(&par.reduces().flat_map(prims_of).collect::<Vec<Prim>>());
        let blocks = Blocks {
            count: tiles.clone(),
            width,
            lanes: lanes.clone(),
            busy: iterations.clone(),
            iterations: iterations.clone(),
        };
        let unroll = is_short(par);
        self.each_block(&blocks, |cx, _| {
            let [number, turn] = cx.take(board);
            let values = cx.values(&prims, &lanes, Some((&tile, items)));
            let first = cx.let_i64("first", Exp::mul(Exp::var(number), tile.clone()));
            let left = Exp::sub(iterations.clone(), first.clone());
            let count = cx.let_i64("count", Exp::min(non_negative(left), tile.clone()));
            let (number, turn) = (Exp::var(number), Exp::Var(turn, Prim::U32));
            let (ops, values) = (&ops[..], &values[..]);
            let tile = Tile { ops, values, lanes: lanes.clone(), items, unroll, board, turn, number, count };
            let kept = cx.compute_tile(pat, par, &tile, &first, needed, &same);
            let all = cx.scan_tile(&tile);
            let before = cx.before_tile(&tile, &all, words, &tiles, |cx, after| {
                // What the last block comes to are the results of reductions.
                let mut results = results.iter();
                for (at, op) in par.ops.iter().enumerate().filter(|(_, op)| op.kind != OpKind::Scan) {
                    let of = same[at].unwrap_or(at);
                    let before = par.ops[..of].iter().zip(&same).filter(|(_, same)| same.is_none());
                    let from: usize = before.map(|(op, _)| op.neutral.len()).sum();
                    let values = &after[from..from + op.neutral.len()];
                    for (value, result) in values.iter().zip(results.by_ref()) {
                        cx.push(result.store(value.clone()));
                    }
                }
            });
            cx.finish_scan(par, &tile, &before);
            cx.write_tile(pat, par, &tile, &first, needed, &kept);
        });
        self.read_results(pat, par, &results, &iterations);
    }

    /// The results of reductions, which are neutral elements where there is nothing to reduce.
    fn read_results(&mut self, pat: &[ir::Param], par: &Par, results: &[ResultCell], iterations: &Exp) {
        let neutral: Vec<Exp> = par.reduces().flat_map(|op| &op.neutral).map(|x| self.operand(*x)).collect();
        for ((param, result), neutral) in pat.iter().zip(results).zip(neutral) {
            self.variable(param.name, result.prim);
            self.push(Stm::Declare { name: param.name, ty: Ty::Scalar(result.prim) });
            let cond = Exp::cmp(CmpOp::Lt, Exp::i64(0), iterations.clone());
            let load = Exp::load(result.block, result.prim, result.index());
            let yes = vec![Stm::Set { name: param.name, value: load }];
            let no = vec![Stm::Set { name: param.name, value: neutral }];
            self.push(Stm::If { cond, yes, no });
        }
        if let Some(result) = results.first() {
            self.push(Stm::Free { name: result.block });
        }
    }

    /// Memory for values. Where they are scanned, there are tiles, of which each lane keeps so many elements.
    fn values(&mut self, prims: &[Prim], lanes: &Exp, scanned: Option<(&Exp, i64)>) -> Vec<Value> {
        let mut values = Vec::with_capacity(prims.len());
        for prim in prims.iter().copied() {
            let tile = scanned.map_or(Exp::i64(0), |(tile, _)| tile.clone());
            let elems = self.shared_by_lanes("elems", prim, &tile);
            let room = self.shared_by_lanes("room", prim, lanes);
            let start = scanned.map(|_| self.shared_by_lanes("start", prim, &Exp::i64(1)));
            let mine = scanned.map(|(_, items)| self.per_lane("mine", prim, items));
            let [total, theirs] = ["total", "theirs"].map(|base| self.per_lane(base, prim, 1));
            values.push(Value { prim, elems, room, start, mine, total, theirs });
        }
        values
    }

    pub(super) fn shared_by_lanes(&mut self, base: &str, prim: Prim, count: &Exp) -> Name {
        let name = self.fresh(base);
        let bytes = product_of(vec![Exp::bytes_of(prim), count.clone()]);
        self.push(Stm::Alloc { name, space: Space::Shared, bytes });
        name
    }

    pub(super) fn per_lane(&mut self, base: &str, prim: Prim, len: i64) -> Name {
        let name = self.fresh(base);
        self.push(Stm::PerLane { name, prim, len: len.cast_unsigned() });
        name
    }

    /// A loop over the elements of a lane.
    pub(super) fn items(&mut self, count: i64, unroll: bool, f: impl FnOnce(&mut Self, Exp)) {
        let item = self.fresh("k");
        let body = self.scoped(true, |cx| {
            cx.variable(item, Prim::I64);
            f(cx, Exp::var(item));
        });
        let hint = Hint { unroll, ..Hint::default() };
        self.push(Stm::For { var: item, prim: Prim::I64, bound: Exp::i64(count), hint, body });
    }

    /// For each element of a tile, by the lane that is as far from the others as it is: what `f` does with its place. A
    /// tile that is full needs no test for each element, which costs a fifth of the time on an H200.
    fn strided(&mut self, tile: &Tile, f: impl Fn(&mut Self, Exp, Exp)) {
        let each = |cx: &mut Self, lane: Name, is_full: bool| {
            cx.items(tile.items, tile.unroll, |cx, item| {
                let place = Exp::add(Exp::mul(item.clone(), tile.lanes.clone()), Exp::var(lane));
                let place = cx.let_i64("place", place);
                if is_full {
                    return f(cx, place, item);
                }
                let cond = Exp::cmp(CmpOp::Lt, place.clone(), tile.count.clone());
                let yes = cx.scoped(false, |cx| f(cx, place, item));
                cx.push(Stm::If { cond, yes, no: Vec::new() });
            });
        };
        self.lanes(&tile.lanes, |cx, lane| {
            if !tile.unroll {
                return each(cx, lane, false);
            }
            let whole = Exp::mul(tile.lanes.clone(), Exp::i64(tile.items));
            let yes = cx.scoped(false, |cx| each(cx, lane, true));
            let no = cx.scoped(false, |cx| each(cx, lane, false));
            cx.push(Stm::If { cond: Exp::cmp(CmpOp::Eq, tile.count.clone(), whole), yes, no });
        });
    }

    /// The indices of a point of a space, from its number.
    pub(super) fn point(&mut self, space: &[(Name, Operand)], number: Exp) -> Vec<Poly> {
        let mut rest = self.let_i64("point", number);
        for (at, (var, n)) in space.iter().enumerate().rev() {
            if at == 0 {
                // It is what it is here, and nothing else.
                self.variable(*var, Prim::I64);
                self.push(Stm::Let { name: *var, prim: Prim::I64, value: rest });
                break;
            }
            let n = self.operand(*n);
            self.bind(*var, Exp::rem(rest.clone(), n.clone()));
            rest = self.let_i64("rest", Exp::quot(rest, n));
        }
        space.iter().map(|(var, _)| self.size(Operand::Var(*var))).collect()
    }

    /// What the body yields for each element of a tile, and what of it is kept. Without scans it also goes to where it
    /// belongs.
    fn compute_tile(
        &mut self,
        pat: &[ir::Param],
        par: &Par,
        tile: &Tile,
        first: &Exp,
        needed: &Needed,
        same: &[Option<usize>],
    ) -> Vec<Name> {
        let mut kept = Vec::with_capacity(needed.kept.len());
        for (_, _, prim) in &needed.kept {
            let name = self.fresh("kept");
            self.push(Stm::PerLane { name, prim: *prim, len: tile.items.cast_unsigned() });
            kept.push(name);
        }
        self.strided(tile, |cx, place, item| {
            let (own_pat, copy) = cx.copy_with_results(pat, par);
            let index = cx.point(&copy.space, Exp::add(first.clone(), place.clone()));
            cx.body(&copy.body);
            let mut results = &copy.body.results[..];
            let mut values = tile.values.iter();
            for (op, same) in copy.ops.iter().zip(same) {
                let (these, rest) = results.split_at(op.neutral.len());
                results = rest;
                if same.is_some() {
                    continue;
                }
                for (result, value) in these.iter().zip(values.by_ref()) {
                    let (block, prim, index) = (value.elems, value.prim, place.clone());
                    let value = cx.operand(*result);
                    cx.push(Stm::Store { block, prim, index, value });
                }
            }
            for ((stm, result, prim), block) in needed.kept.iter().zip(&kept) {
                let value = cx.operand(Operand::Var(copy.body.stms[*stm].pat[*result].name));
                cx.push(Stm::Store { block: *block, prim: *prim, index: item.clone(), value });
            }
            if par.scans().next().is_none() {
                cx.racing_forms(&copy.forms, &own_pat[par.reduced()..], &index, results);
            }
        });
        kept
    }

    /// The same `par` under other names, with the same arrays as results.
    pub(super) fn copy_with_results(&mut self, pat: &[ir::Param], par: &Par) -> (Vec<ir::Param>, Par) {
        let (own_pat, copy) = self.copy_par(pat, par);
        for (own, whole) in own_pat.iter().zip(pat).skip(par.reduced()) {
            let array = self.array(whole.name);
            self.scope.bind_array(own.name, array);
        }
        (own_pat, copy)
    }

    pub(super) fn racing_forms(
        &mut self,
        forms: &[ir::Form],
        results: &[ir::Param],
        index: &[Poly],
        operands: &[Operand],
    ) {
        let around = std::mem::replace(&mut self.racing, true);
        self.forms(forms, results, index, operands, false);
        self.racing = around;
    }

    /// Combines what each lane has, and gives what all of them come to. For scans each lane then has what those before
    /// it come to.
    fn scan_tile(&mut self, tile: &Tile) -> Vec<Exp> {
        let Tile { ops, values, lanes, items, unroll, count, .. } = tile;
        self.lanes(lanes, |cx, lane| {
            let from = cx.let_i64("from", Exp::mul(Exp::var(lane), Exp::i64(*items)));
            let cond = Exp::cmp(CmpOp::Lt, from.clone(), count.clone());
            let yes = cx.scoped(false, |cx| {
                let names: Vec<(Name, Prim)> = values.iter().map(|value| (cx.fresh("sum"), value.prim)).collect();
                for ((name, prim), value) in names.iter().zip(*values) {
                    let first = Exp::load(value.elems, *prim, from.clone());
                    cx.declare_set(*name, first);
                    cx.keep_mine(value, *name, Exp::i64(0));
                }
                if *items > 1 {
                    cx.items(items - 1, *unroll, |cx, item| {
                        let next = Exp::add(item, Exp::i64(1));
                        let at = cx.let_i64("at", Exp::add(from.clone(), next.clone()));
                        let cond = Exp::cmp(CmpOp::Lt, at.clone(), count.clone());
                        let yes = cx.scoped(false, |cx| {
                            cx.vary_here(&names);
                            let left = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
                            let more = values.iter().map(|value| (value.elems, value.prim));
                            let right = cx.loaded_from(more, &at);
                            let sums = cx.combined(ops, left, right);
                            cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(sums).collect());
                            for ((name, _), value) in names.iter().zip(*values) {
                                cx.keep_mine(value, *name, next.clone());
                            }
                        });
                        cx.push(Stm::If { cond, yes, no: Vec::new() });
                    });
                }
                cx.vary_here(&names);
                for ((name, prim), value) in names.iter().zip(*values) {
                    let (block, value) = (value.total, Exp::Var(*name, *prim));
                    cx.push(Stm::Store { block, prim: *prim, index: Exp::i64(0), value });
                }
            });
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
        let busy = Exp::quot(Exp::add(count.clone(), Exp::i64(items - 1)), Exp::i64(*items));
        let busy = self.let_i64("busy", busy);
        let scans = values.iter().any(|value| value.mine.is_some());
        self.combine_lanes(ops, totals(values), busy, scans)
    }

    /// Keeps what a lane comes to so far, where that is wanted.
    fn keep_mine(&mut self, value: &Value, sum: Name, index: Exp) {
        if let Some(block) = value.mine {
            let (prim, value) = (value.prim, Exp::Var(sum, value.prim));
            self.push(Stm::Store { block, prim, index, value });
        }
    }

    /// What the lanes of a block come to.
    pub(super) fn combine_lanes(
        &mut self,
        ops: &[&ParOp],
        own: Vec<(Name, Name, Prim)>,
        busy: Exp,
        prefixes: bool,
    ) -> Vec<Exp> {
        let names: Vec<[Name; 3]> = own.iter().map(|_| ["left", "right", "all"].map(|base| self.fresh(base))).collect();
        let mut results = Vec::new();
        let body = self.scoped(true, |cx| {
            for ([left, right, _], (_, _, prim)) in names.iter().zip(&own) {
                cx.variable(*left, *prim);
                cx.variable(*right, *prim);
            }
            let side = |k: usize| names.iter().zip(&own).map(|(names, own)| Exp::Var(names[k], own.2)).collect();
            results = cx.combined(ops, side(0), side(1));
        });
        let each = own.iter().zip(&names).zip(results);
        let values = each.map(|(((own, room, prim), [left, right, all]), result)| {
            let (own, prim, room, left, right, all) = (*own, *prim, *room, *left, *right, *all);
            Combined { own, prim, room, left, right, result, all }
        });
        let values: Vec<Combined> = values.collect();
        self.push(Stm::Combine { values, busy, prefixes, body });
        let all = names.iter().zip(&own).map(|([_, _, all], (_, _, prim))| {
            self.variable(*all, *prim);
            Exp::Var(*all, *prim)
        });
        all.collect()
    }

    /// What the blocks before this one come to, after it has told the others what it comes to itself. In the last
    /// block, `f` gets what all come to.
    fn before_tile(
        &mut self,
        tile: &Tile,
        all: &[Exp],
        words: i64,
        tiles: &Exp,
        f: impl FnOnce(&mut Self, &[Exp]),
    ) -> Vec<Exp> {
        let Tile { ops, values, lanes, board, turn, number, .. } = tile;
        let record = |at: Exp| Exp::add(Exp::mul(at, Exp::i64(words)), Exp::i64(Board::HEAD));
        let of_group = |group: Exp| record(Exp::add(tiles.clone(), group));
        let publish = |cx: &mut Self, at: Exp, values: Vec<Exp>| {
            cx.push(Stm::Publish { board: *board, turn: turn.clone(), at, values });
        };
        publish(self, record(number.clone()), all.to_vec());
        let group = self.let_i64("group", Exp::quot(number.clone(), lanes.clone()));
        let inside = self.let_i64("inside", Exp::rem(number.clone(), lanes.clone()));
        let neutral = self.neutral(ops);
        self.lanes(lanes, |cx, lane| {
            let lane = Exp::var(lane);
            let awaited = |cx: &mut Self, at: Exp, to: &dyn Fn(&Value) -> Option<Name>| {
                let told = cx.told(values, *board, turn, at);
                store_first(cx, values, told, to);
            };
            let yes = cx.scoped(false, |cx| {
                let at = Exp::add(Exp::mul(group.clone(), lanes.clone()), lane.clone());
                awaited(cx, record(at), &|value| Some(value.theirs));
            });
            let no = cx.scoped(false, |cx| {
                let yes = cx.scoped(false, |cx| {
                    let yes = cx.scoped(false, |cx| {
                        awaited(cx, of_group(Exp::sub(group.clone(), Exp::i64(1))), &|value| value.start);
                    });
                    let no = cx.scoped(false, |cx| store_first(cx, values, neutral, &|value| value.start));
                    cx.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, Exp::i64(0), group.clone()), yes, no });
                });
                cx.push(Stm::If { cond: Exp::cmp(CmpOp::Eq, lane.clone(), inside.clone()), yes, no: Vec::new() });
            });
            cx.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, lane.clone(), inside.clone()), yes, no });
        });
        let own = values.iter().map(|value| (value.theirs, value.room, value.prim)).collect();
        let theirs = self.combine_lanes(ops, own, inside.clone(), false);
        let names: Vec<(Name, Prim)> = values.iter().map(|value| (self.fresh("before"), value.prim)).collect();
        let starts: Vec<(Name, Prim)> = values.iter().filter_map(|value| Some((value.start?, value.prim))).collect();
        for ((name, _), (start, prim)) in names.iter().zip(starts) {
            self.declare_set(*name, Exp::load(start, prim, Exp::i64(0)));
        }
        let before: Vec<Exp> = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
        let yes = self.scoped(false, |cx| {
            let sums = cx.combined(ops, before.clone(), theirs);
            cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(sums).collect());
        });
        self.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, Exp::i64(0), inside.clone()), yes, no: Vec::new() });
        self.vary_here(&names);
        let is_last_of_group = Exp::cmp(CmpOp::Eq, Exp::add(inside, Exp::i64(1)), lanes.clone());
        let is_last = Exp::cmp(CmpOp::Eq, Exp::add(number.clone(), Exp::i64(1)), tiles.clone());
        let after = |cx: &mut Self| {
            let after = cx.combined(ops, before.clone(), all.to_vec());
            // Under names, so that they are what they are now.
            after.into_iter().map(|value| cx.under_name("after", value)).collect::<Vec<Exp>>()
        };
        let yes = self.scoped(false, |cx| {
            let after = after(cx);
            publish(cx, of_group(group), after);
        });
        self.push(Stm::If { cond: is_last_of_group, yes, no: Vec::new() });
        let yes = self.scoped(false, |cx| {
            let after = after(cx);
            f(cx, &after);
        });
        if yes.iter().any(|stm| matches!(stm, Stm::Store { .. })) {
            self.push(Stm::If { cond: is_last, yes, no: Vec::new() });
        }
        before
    }

    /// Combines what each lane has scanned with what comes before it.
    fn finish_scan(&mut self, par: &Par, tile: &Tile, before: &[Exp]) {
        let Tile { lanes, items, unroll, count, .. } = tile;
        let scans: Vec<&ParOp> = par.scans().collect();
        let values = &tile.values[..scans.iter().map(|op| op.neutral.len()).sum()];
        let before = &before[..values.len()];
        self.lanes(lanes, |cx, lane| {
            let from = cx.let_i64("from", Exp::mul(Exp::var(lane), Exp::i64(*items)));
            let cond = Exp::cmp(CmpOp::Lt, from.clone(), count.clone());
            let yes = cx.scoped(false, |cx| {
                let names: Vec<(Name, Prim)> = values.iter().map(|value| (cx.fresh("sum"), value.prim)).collect();
                for ((name, _), before) in names.iter().zip(before) {
                    cx.declare_set(*name, before.clone());
                }
                let sums: Vec<Exp> = names.iter().map(|(name, prim)| Exp::Var(*name, *prim)).collect();
                let yes = cx.scoped(false, |cx| {
                    let own = cx.loaded_from(values.iter().map(|value| (value.total, value.prim)), &Exp::i64(0));
                    let more = cx.combined(&scans, sums.clone(), own);
                    cx.assign_scalars(names.iter().map(|(name, _)| *name).zip(more).collect());
                });
                cx.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, Exp::i64(0), Exp::var(lane)), yes, no: Vec::new() });
                cx.vary_here(&names);
                cx.items(*items, *unroll, |cx, item| {
                    let at = cx.let_i64("at", Exp::add(from.clone(), item.clone()));
                    let cond = Exp::cmp(CmpOp::Lt, at.clone(), count.clone());
                    let yes = cx.scoped(false, |cx| {
                        let mine = values.iter().filter_map(|value| Some((value.mine?, value.prim)));
                        let own = cx.loaded_from(mine, &item);
                        let whole = cx.combined(&scans, sums.clone(), own);
                        for (value, whole) in values.iter().zip(whole) {
                            let (block, prim, index) = (value.elems, value.prim, at.clone());
                            cx.push(Stm::Store { block, prim, index, value: whole });
                        }
                    });
                    cx.push(Stm::If { cond, yes, no: Vec::new() });
                });
            });
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
    }

    /// What `post` makes of each element of a tile, to where it goes.
    fn write_tile(&mut self, pat: &[ir::Param], par: &Par, tile: &Tile, first: &Exp, needed: &Needed, kept: &[Name]) {
        if par.forms.is_empty() {
            return;
        }
        self.strided(tile, |cx, place, item| {
            let (own_pat, copy) = cx.copy_with_results(pat, par);
            let index = cx.point(&copy.space, Exp::add(first.clone(), place.clone()));
            for ((stm, result, prim), block) in needed.kept.iter().zip(kept) {
                let name = copy.body.stms[*stm].pat[*result].name;
                cx.variable(name, *prim);
                let value = Exp::load(*block, *prim, item.clone());
                cx.push(Stm::Let { name, prim: *prim, value });
            }
            for stm in &needed.views {
                cx.stm(&copy.body.stms[*stm]);
            }
            let operands = match &copy.post {
                None => &copy.body.results[copy.operands()..],
                Some(post) => {
                    let scanned = cx.loaded_from(tile.values.iter().map(|value| (value.elems, value.prim)), &place);
                    for (param, value) in post.params.iter().zip(&scanned) {
                        cx.stands_for(param.name, value);
                    }
                    cx.body(&post.body);
                    &post.body.results
                }
            };
            cx.racing_forms(&copy.forms, &own_pat[par.reduced()..], &index, operands);
        });
    }

    /// Elements of blocks at an index, under names of their own.
    pub(super) fn loaded_from(&mut self, blocks: impl Iterator<Item = (Name, Prim)>, at: &Exp) -> Vec<Exp> {
        blocks.map(|(block, prim)| self.under_name("x", Exp::load(block, prim, at.clone()))).collect()
    }

    pub(super) fn under_name(&mut self, base: &str, value: Exp) -> Exp {
        let name = self.fresh(base);
        self.bind(name, value);
        self.operand(Operand::Var(name))
    }

    pub(super) fn declare_set(&mut self, name: Name, value: Exp) {
        let prim = value.prim();
        self.variable(name, prim);
        self.push(Stm::Declare { name, ty: Ty::Scalar(prim) });
        self.push(Stm::Set { name, value });
    }
}

/// What the lanes have, and where they can combine it.
pub(super) fn totals(values: &[Value]) -> Vec<(Name, Name, Prim)> {
    values.iter().map(|value| (value.total, value.room, value.prim)).collect()
}

fn store_first(cx: &mut Lower, values: &[Value], sums: Vec<Exp>, to: &dyn Fn(&Value) -> Option<Name>) {
    for (value, sum) in values.iter().zip(sums) {
        if let Some(block) = to(value) {
            cx.push(Stm::Store { block, prim: value.prim, index: Exp::i64(0), value: sum });
        }
    }
}

pub(super) fn prims_of(op: &ParOp) -> impl Iterator<Item = Prim> + '_ {
    op.lambda.params[..op.neutral.len()].iter().map(|param| param.ty.prim().unwrap_or(Prim::I64))
}

/// How many elements each lane has, an odd number.
fn items_of(prims: &[Prim], needed: &Needed) -> i64 {
    let scanned: usize = prims.iter().map(|prim| prim.bytes()).sum();
    let kept: usize = needed.kept.iter().map(|(_, _, prim)| prim.bytes().max(4)).sum();
    let most = MOST_ITEMS.min(SHARED_BYTES / scanned.max(1)).min(REGISTER_BYTES / (scanned + kept).max(1));
    i64::try_from(most.saturating_sub(1) / 2 * 2 + 1).unwrap_or(1)
}

/// Whether a body is written out for each element of a lane, so that what is kept of it stays in registers.
fn is_short(par: &Par) -> bool {
    let bodies = || [&par.body].into_iter().chain(par.post.as_ref().map(|post| &post.body));
    bodies().map(|body| body.stms.len()).sum::<usize>() <= MOST_STATEMENTS
        && !bodies().flat_map(|body| &body.stms).any(|stm| has_bodies(&stm.exp))
}

/// Whether a `par` can be done by threads alone, however many there are.
fn needs_nothing(par: &Par) -> bool {
    let lambdas = par.ops.iter().map(|op| &op.lambda.body);
    let post = par.post.iter().map(|post| &post.body);
    [&par.body].into_iter().chain(lambdas).chain(post).all(is_plain)
}

/// Whether there is nothing in a body that needs memory, the host, or somebody else.
fn is_plain(body: &ir::Body) -> bool {
    body.stms.iter().all(|stm| {
        let mut is_fine = !matches!(stm.exp, ir::Exp::Mem(_) | ir::Exp::Trace(..) | ir::Exp::Call(..));
        for_each_body(&stm.exp, |body| is_fine &= is_plain(body));
        is_fine
    })
}

/// The scan, counted among them, that combines the same values as a reduction in the same way.
fn scanned_as(par: &Par, reduce: &ParOp) -> Option<usize> {
    let operands = |wanted: &ParOp| {
        let before = par.ops.iter().take_while(|op| !std::ptr::eq(*op, wanted));
        let from: usize = before.map(|op| op.neutral.len()).sum();
        &par.body.results[from..from + wanted.neutral.len()]
    };
    let built_in = reduce.lambda.built_in().filter(|_| reduce.kind != OpKind::Scan)?;
    par.scans().position(|scan| {
        scan.lambda.built_in().as_ref() == Some(&built_in)
            && scan.neutral == reduce.neutral
            && operands(scan) == operands(reduce)
    })
}

/// What `post`, or what is collected without it, needs of the body; nothing if that is an array which is made there.
fn needed(par: &Par) -> Option<Needed> {
    let mut bound: FxHashMap<Name, (usize, usize)> = FxHashMap::default();
    for (at, stm) in par.body.stms.iter().enumerate() {
        bound.extend(stm.pat.iter().enumerate().map(|(k, param)| (param.name, (at, k))));
    }
    let mut todo: Vec<Name> = match &par.post {
        Some(post) => free_in_body(&post.body).into_iter().collect(),
        None => par.body.results[par.operands()..].iter().filter_map(|x| x.name()).collect(),
    };
    let mut needed = Needed::default();
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    while let Some(name) = todo.pop() {
        let Some((at, k)) = bound.get(&name).copied().filter(|_| seen.insert(name)) else { continue };
        let stm = &par.body.stms[at];
        match &stm.pat[k].ty {
            Type::Prim(prim) => needed.kept.push((at, k, *prim)),
            Type::Array(..) if is_view(&stm.exp) => {
                needed.views.push(at);
                todo.extend(free_in_stm(stm));
            }
            Type::Cert => {}
            Type::Array(..) | Type::Mem(_) | Type::Acc { .. } => return None,
        }
    }
    needed.kept.sort_unstable_by_key(|(at, k, _)| (*at, *k));
    needed.views.sort_unstable();
    needed.views.dedup();
    Some(needed)
}

fn is_view(exp: &ir::Exp) -> bool {
    matches!(
        exp,
        ir::Exp::Operand(_)
            | ir::Exp::Opaque(_)
            | ir::Exp::Index(..)
            | ir::Exp::Slice(..)
            | ir::Exp::Rearrange(..)
            | ir::Exp::Reshape(..)
            | ir::Exp::Resize(..)
            | ir::Exp::FlatIndex(..)
    )
}
