//! `tile` on a device: reductions inside maps, of which a block of lanes does a tile. The operands that its elements
//! have in common are copied into shared memory, some at a time, and the sums stay in registers.
//!
//! ```text
//! par grid (i < n, j < m) {                 blocks k of strips*panels
//!   s = 0                                   parallel block b < k by 256 { for each of its tiles {
//!   for t < l { s = s + a[i, t]*b[t, j] }     lanes { s[8][8] = 0; mine = a[…, 0…8], b[0…8, …] }
//!   c[i, j] = s                         →     for each 8 of l {
//! }                                             lanes { a'[8][128], b'[8][128] = mine }
//!                                               lanes { mine = the next ones
//!                                                 for t < 8 { for ii < 8 { for jj < 8 {
//!                                                   s[ii][jj] = s[ii][jj] + a'[t][i(ii)]*b'[t][j(jj)] } } } }
//!                                             }
//!                                             lanes { c[i + i(ii), j + j(jj)] = s[ii][jj] }
//!                                           } }
//! ```
//!
//! What comes next is on its way from memory while the lanes compute. The elements of a lane are groups of four, so
//! that it reads them from shared memory as vectors and its neighbours read the ones next to them. Rows, columns and
//! operands beyond the last one are those of the last one, and what comes of them is not stored. Each element gets its
//! operands in the same order as before, so that the operator need not commute.
//!
//! A tile of one column has a row for each lane, and operands that all rows have in common.
//!
//! Where sizes would leave too few tiles, or too much of them unused, the loops are those of the rest of the plan, as
//! they are on devices whose blocks have another number of lanes.

use super::blocks::Blocks;
use super::chunks::{Chunks, non_negative, product_of};
use super::{Array, Lower, as_poly};
use crate::{Exp, Hint, Stm};
use kenaz_base::{Prim, Symbol};
use kenaz_ir as ir;
use kenaz_ir::plan::{BlockNest, Tile, needed};
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{Body, CmpOp, Level, Name, Operand, Par, Poly, Tunable, TunableClass};

/// The lanes of a block.
const LANES: i64 = 256;

/// How many of them are side by side where tiles have columns.
const SIDE: i64 = 16;

/// How far along the reduction operands are copied at a time, by how many registers the sums leave for them, and where
/// tiles have no columns.
const DEPTH: i64 = 16;
const DEPTH_OF_WIDE: i64 = 8;
const DEPTH_OF_ROWS: i64 = LANES;

/// How many steps along the reduction are written out.
const STEPS: i64 = 4;

/// Elements that a lane has next to each other, and those by which lines in shared memory are longer than they need be,
/// so that lanes which write a column of them do not meet.
const GROUP: i64 = 4;

/// With fewer tiles than this, smaller ones are better, or none. They are tunables.
const WIDE_TILES: i64 = 128;
const TILES: i64 = 16;
const TILES_OF_ROWS: i64 = 64;

/// The rows and columns of a lane, and how many lanes there are in each direction.
#[derive(Clone, Copy)]
struct Shape {
    each: [i64; 2],
    lanes: [i64; 2],
    depth: i64,
}

impl Shape {
    /// The rows and columns of a block.
    fn sides(&self) -> [i64; 2] {
        [0, 1].map(|k| self.each[k] * self.lanes[k])
    }

    fn elements(&self) -> i64 {
        self.each[0] * self.each[1]
    }
}

/// What a nest is made of, for the names that are in scope.
struct Nest<'n> {
    found: BlockNest<'n>,
    operand: Body,
    prims: Vec<Prim>,
    loads: Vec<Load>,
    sizes: Sizes,
}

/// Loads whose results the elements of a tile have in common.
struct Load {
    /// The position among the statements of the operand.
    at: usize,
    prim: Prim,
    /// All that it depends on, and itself.
    body: Body,
    axis: Axis,
    /// Whether neighbours along the reduction are neighbours in memory, and not those along the row or column.
    is_along: bool,
}

/// What a load depends on, besides where it is along the reduction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Row,
    Column,
    Neither,
}

/// How many iterations there are.
struct Sizes {
    around: Vec<Exp>,
    rows: Exp,
    columns: Exp,
    along: Exp,
}

/// Where a load goes: registers of each lane, and then shared memory.
struct Staged<'n> {
    load: &'n Load,
    mine: Name,
    shared: Name,
    /// The rows or columns of a block.
    side: i64,
}

impl Staged<'_> {
    /// From one operand along the reduction to the next.
    fn line(&self) -> i64 {
        if self.load.axis == Axis::Neither { 1 } else { self.side + GROUP }
    }
}

/// A tile in the making.
struct Making<'n> {
    nest: &'n Nest<'n>,
    shape: Shape,
    staged: Vec<Staged<'n>>,
    sums: Vec<Name>,
    /// Its first row and column.
    start: [Exp; 2],
}

impl Lower<'_> {
    /// Tiles where the sizes of a `par grid` allow it when the program runs; `rest` is what is done otherwise.
    pub(super) fn block_tiles(&mut self, pat: &[ir::Param], par: &Par, tile: &Tile, rest: impl FnOnce(&mut Self)) {
        let Some(found) = BlockNest::of(par, tile.columns > 1) else { panic!("{} has no such tile", par.plan) };
        let results: Vec<Array> = pat.iter().map(|param| self.array(param.name)).collect();
        let nest = self.block_nest(found, tile);
        let width = self.width_for(Exp::i64(i64::MAX));
        let at_least = |x: &Exp, least: i64| Exp::cmp(CmpOp::Le, Exp::i64(least), x.clone());
        let has_lanes = Exp::cmp(CmpOp::Eq, Exp::var(width), Exp::i64(LANES));
        let is_long = Exp::and(has_lanes, at_least(&nest.sizes.along, tile.fewest.cast_signed()));
        let mut shapes = Vec::new();
        if nest.found.column.is_some() {
            let each = [tile.rows, tile.columns].map(|side| side.cast_signed() / SIDE);
            let lanes = [SIDE, SIDE];
            shapes.push(("wide_tiles", WIDE_TILES, Shape { each, lanes, depth: DEPTH_OF_WIDE }));
            shapes.push(("tiles", TILES, Shape { each: each.map(|n| (n / 2).max(1)), lanes, depth: DEPTH }));
        } else {
            shapes.push(("tiles", TILES_OF_ROWS, Shape { each: [1, 1], lanes: [LANES, 1], depth: DEPTH_OF_ROWS }));
        }
        let conds: Vec<Exp> = shapes
            .iter()
            .map(|(name, default, shape)| {
                let of = Tunable { name: Symbol::intern(name), class: TunableClass::Threshold, default: *default };
                let least = self.tunable(of);
                let tiles = self.tiles_of(&nest, *shape);
                // With a threshold of 0 all are done in tiles.
                let of_tile = Exp::mul(Exp::min(least.clone(), Exp::i64(1)), Exp::i64(shape.elements() * LANES / 2));
                let of_tiles = Exp::mul(tiles.clone(), of_tile);
                let all = product_of([nest.sizes.around.clone(), vec![nest.sizes.rows.clone()]].concat());
                let is_used = Exp::cmp(CmpOp::Le, of_tiles, Exp::mul(all, nest.sizes.columns.clone()));
                let are_enough = Exp::cmp(CmpOp::Le, least, tiles);
                Exp::and(is_long.clone(), Exp::and(is_used, are_enough))
            })
            .collect();
        let mut otherwise = self.scoped(false, rest);
        for ((_, _, shape), cond) in shapes.into_iter().zip(conds).rev() {
            let yes = self.scoped(false, |cx| cx.tiles_in_blocks(&nest, shape, &results, width));
            otherwise = vec![Stm::If { cond, yes, no: otherwise }];
        }
        otherwise.into_iter().for_each(|stm| self.push(stm));
    }

    fn block_nest<'n>(&mut self, found: BlockNest<'n>, tile: &Tile) -> Nest<'n> {
        let operand = found.operand();
        let prims = found.sums.iter().map(|sum| sum.ty.prim().unwrap_or(Prim::I64)).collect();
        let mut loads = Vec::new();
        for (at, of) in found.loads(&operand) {
            let axis = match of {
                [true, false, true] => Axis::Row,
                [false, true, true] => Axis::Column,
                // Beside others it is not worth the memory.
                [false, false, true] if found.column.is_none() => Axis::Neither,
                _ => continue,
            };
            let param = &operand.stms[at].pat[0];
            let results = vec![Operand::Var(param.name)];
            let body = Body { stms: needed(operand.stms[..=at].to_vec(), &results), results };
            let is_along = !tile.of_rows.contains(&param.name) && !tile.of_columns.contains(&param.name);
            loads.push(Load { at, prim: param.ty.prim().unwrap_or(Prim::I64), body, axis, is_along });
        }
        let size = |cx: &Self, n: Operand| non_negative(cx.operand(n));
        let around = found.around.iter().map(|(_, n)| size(self, *n)).collect();
        let columns = found.column.map_or(Exp::i64(1), |(_, m)| size(self, m));
        let (rows, along) = (size(self, found.row.1), size(self, found.along.1));
        let sizes = Sizes { around, rows, columns, along };
        Nest { found, operand, prims, loads, sizes }
    }

    /// How many tiles there are.
    fn tiles_of(&mut self, nest: &Nest, shape: Shape) -> Exp {
        let [high, wide] = shape.sides();
        let [strips, panels] = [(&nest.sizes.rows, high), (&nest.sizes.columns, wide)].map(|(n, side)| parts(n, side));
        let tiles = product_of([nest.sizes.around.clone(), vec![strips, panels]].concat());
        self.let_i64("tiles", tiles)
    }

    fn tiles_in_blocks(&mut self, nest: &Nest, shape: Shape, results: &[Array], width: Name) {
        let sides = shape.sides();
        let iterations = self.tiles_of(nest, shape);
        let name = self.fresh("blocks");
        let (level, work, uneven, combined) = (Level::Block, nest.sizes.along.clone(), false, false);
        self.push(Stm::Chunks { name, level, iterations: iterations.clone(), work, uneven, combined });
        self.variable(name, Prim::I64);
        let (count, lanes) = (Exp::var(name), Exp::i64(LANES));
        let chunks = Chunks { strided: true, ..Chunks::of(level, iterations.clone(), count.clone()) };
        let blocks = Blocks { count, width, lanes, busy: iterations.clone(), iterations };
        let shares = self.shares(&blocks.iterations, &blocks.count);
        self.each_block(&blocks, |cx, block| {
            let prims = nest.prims.iter();
            let sums: Vec<Name> = prims.map(|prim| cx.per_lane("sum", *prim, shape.elements())).collect();
            let staged = nest.loads.iter().map(|load| cx.staged(load, shape)).collect();
            let mut making = Making { nest, shape, staged, sums, start: [Exp::i64(0), Exp::i64(0)] };
            let own = cx.own_iterations(&chunks, &shares, block, name);
            let at = cx.fresh("at");
            let len = cx.operand(Operand::Var(own.len));
            cx.for_loop(at, Prim::I64, len, None, |cx| {
                let point = cx.point_of(own, at);
                let [strips, panels] =
                    [(&nest.sizes.rows, sides[0]), (&nest.sizes.columns, sides[1])].map(|(n, side)| parts(n, side));
                let (strips, panels) = (cx.let_i64("strips", strips), cx.let_i64("panels", panels));
                let strip = cx.let_i64("i", Exp::mul(Exp::rem(point.clone(), strips.clone()), Exp::i64(sides[0])));
                let mut point = cx.let_i64("point", Exp::quot(point, strips));
                let panel = Exp::mul(Exp::rem(point.clone(), panels.clone()), Exp::i64(sides[1]));
                making.start = [strip, cx.let_i64("j", panel)];
                point = cx.let_i64("point", Exp::quot(point, panels));
                for ((var, _), size) in nest.found.around.iter().zip(&nest.sizes.around).rev() {
                    let index = cx.let_i64("b", Exp::rem(point.clone(), size.clone()));
                    cx.stands_for(*var, &index);
                    point = cx.let_i64("point", Exp::quot(point, size.clone()));
                }
                cx.one_block_tile(&making, results);
            });
        });
    }

    /// Memory for a load.
    fn staged<'n>(&mut self, load: &'n Load, shape: Shape) -> Staged<'n> {
        let [high, wide] = shape.sides();
        let side = match load.axis {
            Axis::Row => high,
            Axis::Column => wide,
            Axis::Neither => 1,
        };
        let mine = self.per_lane("mine", load.prim, side * shape.depth / LANES);
        let mut staged = Staged { load, mine, shared: mine, side };
        staged.shared = self.shared_by_lanes("near", load.prim, &Exp::i64(staged.line() * shape.depth));
        staged
    }

    fn one_block_tile(&mut self, making: &Making, results: &[Array]) {
        let (depth, along) = (making.shape.depth, &making.nest.sizes.along);
        let lanes = Exp::i64(LANES);
        let ops = || making.nest.found.reduce.ops.iter();
        self.lanes(&lanes, |cx, lane| {
            let neutral: Vec<Exp> = ops().flat_map(|op| &op.neutral).map(|x| cx.operand(*x)).collect();
            cx.written_out(making.shape.elements(), |cx, at| {
                for ((sum, prim), value) in making.sums.iter().zip(&making.nest.prims).zip(neutral) {
                    cx.push(Stm::Store { block: *sum, prim: *prim, index: Exp::var(at), value });
                }
            });
            cx.fetch(making, lane, &Exp::i64(0), false);
        });
        let chunks = self.let_i64("chunks", Exp::quot(along.clone(), Exp::i64(depth)));
        let last = self.let_i64("last", Exp::sub(chunks.clone(), Exp::i64(1)));
        let chunk = self.fresh("chunk");
        self.for_loop(chunk, Prim::I64, chunks.clone(), None, |cx| {
            cx.lanes(&lanes, |cx, lane| cx.put_near(making, lane));
            cx.lanes(&lanes, |cx, lane| {
                let from = cx.let_i64("from", Exp::mul(Exp::var(chunk), Exp::i64(depth)));
                let next = Exp::min(Exp::add(Exp::var(chunk), Exp::i64(1)), last);
                let next = cx.let_i64("next", Exp::mul(next, Exp::i64(depth)));
                cx.fetch(making, lane, &next, true);
                let outer = cx.fresh("k");
                cx.for_loop(outer, Prim::I64, Exp::i64(depth / STEPS), None, |cx| {
                    let first = cx.let_i64("k", Exp::mul(Exp::var(outer), Exp::i64(STEPS)));
                    cx.written_out(STEPS, |cx, step| {
                        let at = cx.let_i64("k", Exp::add(first, Exp::var(step)));
                        cx.one_step(making, lane, &from, &at);
                    });
                });
            });
        });
        let from = self.let_i64("from", Exp::mul(chunks, Exp::i64(depth)));
        let left = self.let_i64("left", Exp::sub(along.clone(), from.clone()));
        let yes = self.scoped(false, |cx| {
            cx.lanes(&lanes, |cx, lane| {
                cx.fetch(making, lane, &from, false);
                cx.put_near(making, lane);
            });
            cx.lanes(&lanes, |cx, lane| {
                let at = cx.fresh("k");
                cx.for_loop(at, Prim::I64, left.clone(), None, |cx| cx.one_step(making, lane, &from, &Exp::var(at)));
            });
        });
        self.push(Stm::If { cond: Exp::cmp(CmpOp::Lt, Exp::i64(0), left), yes, no: Vec::new() });
        self.lanes(&lanes, |cx, lane| cx.finish_tile(making, lane, results));
    }

    /// The operands of a lane and where they are in a block: along the reduction, and along the rows or columns.
    fn each_operand(&mut self, staged: &Staged, depth: i64, lane: Name, f: impl FnOnce(&mut Self, Name, Exp, Exp)) {
        self.written_out(staged.side * depth / LANES, |cx, at| {
            let number = cx.let_i64("at", Exp::add(Exp::mul(Exp::var(at), Exp::i64(LANES)), Exp::var(lane)));
            let (inner, swapped) = match (staged.load.axis, staged.load.is_along) {
                (Axis::Neither, _) => (depth, true),
                (_, true) => (depth, true),
                (_, false) => (staged.side, false),
            };
            let near = cx.let_i64("near", Exp::rem(number.clone(), Exp::i64(inner)));
            let far = cx.let_i64("far", Exp::quot(number, Exp::i64(inner)));
            let (along, across) = if swapped { (near, far) } else { (far, near) };
            f(cx, at, along, across);
        });
    }

    /// Loads the operands from somewhere along the reduction on into registers, perhaps beyond its end.
    fn fetch(&mut self, making: &Making, lane: Name, from: &Exp, are_whole: bool) {
        let sizes = &making.nest.sizes;
        for staged in &making.staged {
            self.each_operand(staged, making.shape.depth, lane, |cx, at, along, across| {
                let last = |n: &Exp| Exp::sub(n.clone(), Exp::i64(1));
                let k = Exp::add(from.clone(), along);
                let k = cx.let_i64("k", if are_whole { k } else { Exp::min(k, last(&sizes.along)) });
                let mut indices = [Exp::i64(0), Exp::i64(0), k];
                let axes = [(Axis::Row, &sizes.rows), (Axis::Column, &sizes.columns)];
                for (number, (axis, n)) in axes.into_iter().enumerate() {
                    if staged.load.axis == axis {
                        let at = Exp::add(making.start[number].clone(), across.clone());
                        indices[number] = cx.let_i64("i", Exp::min(at, last(n)));
                    }
                }
                cx.indices_of(making.nest, indices);
                let body = copy_body(&staged.load.body, cx.fresh);
                cx.body(&body);
                let value = cx.operand(body.results[0]);
                let (block, prim) = (staged.mine, staged.load.prim);
                cx.push(Stm::Store { block, prim, index: Exp::var(at), value });
            });
        }
    }

    /// Copies them to where all lanes find them.
    fn put_near(&mut self, making: &Making, lane: Name) {
        for staged in &making.staged {
            self.each_operand(staged, making.shape.depth, lane, |cx, at, along, across| {
                let index = Exp::add(Exp::mul(along, Exp::i64(staged.line())), across);
                let (block, prim) = (staged.shared, staged.load.prim);
                let value = Exp::load(staged.mine, prim, Exp::var(at));
                cx.push(Stm::Store { block, prim, index, value });
            });
        }
    }

    /// Combines the sums of a lane with one operand each.
    fn one_step(&mut self, making: &Making, lane: Name, from: &Exp, at: &Exp) {
        let Making { nest, .. } = making;
        let sizes = [&nest.sizes.rows, &nest.sizes.columns];
        self.each_element(making, lane, |cx, number, places| {
            let k = cx.let_i64("k", Exp::add(from.clone(), at.clone()));
            let mut indices = [0, 1].map(|axis| {
                let index = Exp::add(making.start[axis].clone(), places[axis].clone());
                Exp::min(index, Exp::sub(sizes[axis].clone(), Exp::i64(1)))
            });
            indices = indices.map(|index| cx.let_i64("i", index));
            let [i, j] = indices;
            cx.indices_of(nest, [i, j, k]);
            let body = copy_body(&nest.operand, cx.fresh);
            for (number, stm) in body.stms.iter().enumerate() {
                let Some(staged) = making.staged.iter().find(|staged| staged.load.at == number) else {
                    cx.stm(stm);
                    continue;
                };
                let line = Exp::mul(at.clone(), Exp::i64(staged.line()));
                let index = match staged.load.axis {
                    Axis::Row => Exp::add(line, places[0].clone()),
                    Axis::Column => Exp::add(line, places[1].clone()),
                    Axis::Neither => line,
                };
                cx.bind(stm.pat[0].name, Exp::load(staged.shared, staged.load.prim, index));
            }
            let mut sums = making.sums.iter().zip(&nest.prims);
            let mut values = body.results.iter();
            for op in &nest.found.reduce.ops {
                let own: Vec<(&Name, &Prim)> = sums.by_ref().take(op.neutral.len()).collect();
                let old = own.iter().map(|(sum, prim)| Exp::load(**sum, **prim, Exp::var(number)));
                let mut args: Vec<Exp> = old.collect();
                args.extend(values.by_ref().take(op.neutral.len()).map(|x| cx.operand(*x)));
                let lambda = copy_lambda(&op.lambda, cx.fresh);
                let new = cx.accumulated(&lambda, &op.neutral, args);
                // All of them are there before one is changed.
                let names: Vec<Name> = new.iter().map(|_| cx.fresh("sum")).collect();
                let only_one = new.len() == 1;
                for ((value, name), (sum, prim)) in new.into_iter().zip(&names).zip(&own) {
                    if only_one {
                        cx.push(Stm::Store { block: **sum, prim: **prim, index: Exp::var(number), value });
                    } else {
                        cx.bind(*name, value);
                    }
                }
                for (name, (sum, prim)) in names.iter().zip(&own).filter(|_| !only_one) {
                    let value = cx.operand(Operand::Var(*name));
                    cx.push(Stm::Store { block: **sum, prim: **prim, index: Exp::var(number), value });
                }
            }
        });
    }

    /// What is done with the sums of a lane.
    fn finish_tile(&mut self, making: &Making, lane: Name, results: &[Array]) {
        let Making { nest, .. } = making;
        let found = &nest.found;
        self.each_element(making, lane, |cx, number, places| {
            let [i, j] = [0, 1].map(|axis| {
                let index = Exp::add(making.start[axis].clone(), places[axis].clone());
                cx.let_i64("i", index)
            });
            let is_inside = |x: &Exp, n: &Exp| Exp::cmp(CmpOp::Lt, x.clone(), n.clone());
            let mut cond = is_inside(&i, &nest.sizes.rows);
            if found.column.is_some() {
                cond = Exp::and(cond, is_inside(&j, &nest.sizes.columns));
            }
            let yes = cx.scoped(false, |cx| {
                cx.indices_of(nest, [i.clone(), j.clone(), Exp::i64(0)]);
                for ((sum, param), prim) in making.sums.iter().zip(found.sums).zip(&nest.prims) {
                    // The loops of the rest have the name itself.
                    let name = cx.fresh.like(param.name);
                    cx.bind(name, Exp::load(*sum, *prim, Exp::var(number)));
                    cx.stands_for(param.name, &Exp::Var(name, *prim));
                }
                let around: Vec<Exp> = found.around.iter().map(|(var, _)| cx.operand(Operand::Var(*var))).collect();
                let own = [Some(&i), found.column.map(|_| &j)].into_iter().flatten();
                let index: Vec<Poly> = around.iter().chain(own).filter_map(as_poly).collect();
                let body = copy_body(&found.finish(), cx.fresh);
                cx.body(&body);
                for (result, value) in results.iter().zip(&body.results) {
                    let value = cx.operand(*value);
                    cx.store(result, &index, value);
                }
            });
            cx.push(Stm::If { cond, yes, no: Vec::new() });
        });
    }

    /// The elements of a lane by their numbers, and where they are in the tile.
    fn each_element(&mut self, making: &Making, lane: Name, f: impl FnOnce(&mut Self, Name, [Exp; 2])) {
        let shape = making.shape;
        let coordinates =
            [Exp::quot(Exp::var(lane), Exp::i64(shape.lanes[1])), Exp::rem(Exp::var(lane), Exp::i64(shape.lanes[1]))];
        let coordinates = coordinates.map(|it| self.let_i64("lane", it));
        self.written_out(shape.each[0], |cx, ii| {
            cx.written_out(shape.each[1], |cx, jj| {
                let number = cx.fresh("number");
                cx.variable(number, Prim::I64);
                let value = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(shape.each[1])), Exp::var(jj));
                cx.push(Stm::Let { name: number, prim: Prim::I64, value });
                let mut places = [ii, jj].into_iter().enumerate().map(|(axis, at)| {
                    let group = shape.each[axis].min(GROUP);
                    let apart = Exp::mul(Exp::quot(Exp::var(at), Exp::i64(group)), Exp::i64(group * shape.lanes[axis]));
                    let near = Exp::mul(coordinates[axis].clone(), Exp::i64(group));
                    Exp::add(Exp::add(apart, near), Exp::rem(Exp::var(at), Exp::i64(group)))
                });
                let places = [places.next(), places.next()].map(|it| it.unwrap_or(Exp::i64(0)));
                let places = places.map(|it| cx.let_i64("place", it));
                f(cx, number, places);
            });
        });
    }

    /// A loop whose iterations are written out.
    fn written_out(&mut self, count: i64, f: impl FnOnce(&mut Self, Name)) {
        let var = self.fresh("at");
        let body = self.scoped(true, |cx| {
            cx.variable(var, Prim::I64);
            f(cx, var);
        });
        let hint = Hint { unroll: true, ..Hint::default() };
        self.push(Stm::For { var, prim: Prim::I64, bound: Exp::i64(count), hint, body });
    }

    /// Gives the indices of a nest their values.
    fn indices_of(&mut self, nest: &Nest, [i, j, k]: [Exp; 3]) {
        let found = &nest.found;
        self.stands_for(found.row.0, &i);
        if let Some((column, _)) = found.column {
            self.stands_for(column, &j);
        }
        self.stands_for(found.along.0, &k);
    }
}

/// How many parts of this size there are of something.
fn parts(n: &Exp, side: i64) -> Exp {
    Exp::quot(Exp::add(n.clone(), Exp::i64(side - 1)), Exp::i64(side))
}
