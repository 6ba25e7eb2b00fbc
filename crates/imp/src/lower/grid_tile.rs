//! `tile` on a device: reductions inside two maps, of which each thread does a tile that stays in registers.
//!
//! ```text
//! par grid (i < n, j < m) {                 chunks k of strips*panels*32
//!   s = 0                                   parallel thread < k {
//!   for t < l { s = s + a[i, t]*b[t, j] }     for each of its points {
//!   c[i, j] = s                         →       i = 8*strip, j = 256*panel + lane
//! }                                             s[8][8] = 0
//!                                               for t < l { for i' < 8 { for j' < 8 {
//!                                                 s[i'][j'] = s[i'][j'] + a[i + i', t]*b[t, j + 32*j'] } } }
//!                                               c[i + i', j + 32*j'] = s[i'][j']
//!                                             }
//!                                           }
//! ```
//!
//! The columns of a thread are a warp apart, so that neighbours read neighbours. Neighbouring warps have neighbouring
//! rows and the same columns, which are then near all of them. The last tile of a row or column begins as early as it
//! must to be a whole one; what several threads compute comes out the same. Where the sizes are too small for tiles, or
//! would leave too few of them, the loops are those of the rest of the plan.

use super::chunks::{Chunks, non_negative, product_of};
use super::tile::Nest;
use super::{Array, Lower, as_poly};
use crate::{Exp, Hint, Stm};
use kenaz_base::{Prim, Symbol};
use kenaz_ir as ir;
use kenaz_ir::plan::{Tile, TileNest};
use kenaz_ir::visit::copy_body;
use kenaz_ir::{BinOp, CmpOp, Level, Name, Operand, Par, Poly, Tunable, TunableClass};

/// The threads that go through memory side by side.
const WARP: i64 = 32;

/// So many warps keep a device busy; with fewer, tiles of fewer columns are better. It is a tunable.
const WARPS: i64 = 2048;

/// The columns of a thread where tiles are few, and how many warps these should be for.
const NARROW: i64 = 2;
const WARPS_OF_NARROW: i64 = 1024;

impl Lower<'_> {
    /// Tiles where the sizes of a `par grid` allow it when the program runs; `rest` is what is done otherwise.
    pub(super) fn grid_tiles(&mut self, pat: &[ir::Param], par: &Par, tile: &Tile, rest: impl FnOnce(&mut Self)) {
        let Some(found) = TileNest::of(par) else { panic!("{} has no such tile", par.plan) };
        let nest = Nest::of(&found, tile, [found.row.0, found.column.0], &[]);
        let result = self.array(pat[0].name);
        let [n, m, l] = [found.row.1, found.column.1, found.along.1].map(|x| non_negative(self.operand(x)));
        let [rows, columns] = nest.sides();
        let strips = self.let_i64("strips", Exp::quot(Exp::add(n.clone(), Exp::i64(rows - 1)), Exp::i64(rows)));
        let at_least = |x: &Exp, least: i64| Exp::cmp(CmpOp::Le, Exp::i64(least), x.clone());
        let is_long = Exp::and(at_least(&n, rows), at_least(&l, tile.fewest.cast_signed()));
        let [fits_wide, fits_narrow] = [columns, NARROW * WARP].map(|least| at_least(&m, least));
        let warps = |width: i64| product_of(vec![strips.clone(), Exp::quot(m.clone(), Exp::i64(width))]);
        let [wide, narrow] = [("wide_tiles", WARPS), ("tiles", WARPS_OF_NARROW)].map(|(name, default)| {
            let of = Tunable { name: Symbol::intern(name), class: TunableClass::Threshold, default };
            self.tunable(of)
        });
        let are_many = Exp::cmp(CmpOp::Le, wide, warps(columns));
        let are_enough = Exp::cmp(CmpOp::Le, narrow, warps(NARROW * WARP));
        let sizes = [n, m, l, strips];
        let wide = self.scoped(false, |cx| cx.device_tiles(&nest, &result, &sizes, columns / WARP));
        let narrow = self.scoped(false, |cx| {
            let yes = cx.scoped(false, |cx| cx.device_tiles(&nest, &result, &sizes, NARROW));
            let no = cx.scoped(false, rest);
            cx.push(Stm::If { cond: Exp::and(is_long.clone(), Exp::and(fits_narrow, are_enough)), yes, no });
        });
        let is_wide = Exp::and(fits_wide, are_many);
        self.push(Stm::If { cond: Exp::and(is_long, is_wide), yes: wide, no: narrow });
    }

    /// All tiles, with so many columns of a thread.
    fn device_tiles(&mut self, nest: &Nest, result: &Array, [n, m, l, strips]: &[Exp; 4], across: i64) {
        let [rows, _] = nest.sides();
        let columns = across * WARP;
        let panels = Exp::quot(Exp::add(m.clone(), Exp::i64(columns - 1)), Exp::i64(columns));
        let iterations = product_of(vec![strips.clone(), panels, Exp::i64(WARP)]);
        let iterations = self.let_i64("iterations", iterations);
        let name = self.fresh("chunks");
        let (level, work) = (Level::Grid, l.clone());
        let (uneven, combined) = (false, false);
        self.push(Stm::Chunks { name, level, iterations: iterations.clone(), work, uneven, combined });
        self.variable(name, Prim::I64);
        let chunks = Chunks { strided: true, ..Chunks::of(level, iterations, Exp::var(name)) };
        self.parallel(&chunks, |cx, own| {
            let at = cx.fresh("at");
            let len = cx.operand(Operand::Var(own.len));
            cx.for_loop(at, Prim::I64, len, None, |cx| {
                let point = cx.point_of(own, at);
                let lane = Exp::rem(point.clone(), Exp::i64(WARP));
                let warp = cx.let_i64("warp", Exp::quot(point, Exp::i64(WARP)));
                let strip = Exp::rem(warp.clone(), strips.clone());
                let row = Exp::min(Exp::mul(strip, Exp::i64(rows)), Exp::sub(n.clone(), Exp::i64(rows)));
                let row = cx.let_i64("i", row);
                let panel = Exp::mul(Exp::quot(warp, strips.clone()), Exp::i64(columns));
                let column = Exp::min(panel, Exp::sub(m.clone(), Exp::i64(columns)));
                let column = cx.let_i64("j", Exp::add(column, lane));
                cx.device_tile(nest, result, [row, column], l, across);
            });
        });
    }

    fn device_tile(&mut self, nest: &Nest, result: &Array, [row, column]: [Exp; 2], l: &Exp, across: i64) {
        let [rows, _] = nest.sides();
        let acc = self.fresh.like(nest.sum);
        let len = (rows * across).cast_unsigned();
        self.push(Stm::Local { name: acc, prim: nest.prim, len });
        let neutral = self.operand(nest.neutral);
        self.over_registers([rows, across], |cx, ii, jj| {
            let at = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(across)), Exp::var(jj));
            cx.push(Stm::Store { block: acc, prim: nest.prim, index: at, value: neutral });
        });
        let k = self.fresh.like(nest.indices[2]);
        self.for_loop(k, Prim::I64, l.clone(), None, |cx| {
            cx.over_registers([rows, across], |cx, ii, jj| {
                cx.element_of_tile(nest, [&row, &column], [ii, jj], Exp::var(k));
                let body = copy_body(&nest.operand, cx.fresh);
                body.stms.iter().for_each(|stm| cx.stm(stm));
                let at = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(across)), Exp::var(jj));
                cx.accumulate_at(nest, acc, at, body.results[0]);
            });
        });
        self.over_registers([rows, across], |cx, ii, jj| {
            let [i, j] = cx.element_of_tile(nest, [&row, &column], [ii, jj], Exp::i64(0));
            let index: Vec<Poly> = [&i, &j].into_iter().filter_map(as_poly).collect();
            let at = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(across)), Exp::var(jj));
            let name = cx.fresh.like(nest.sum);
            cx.bind(name, Exp::load(acc, nest.prim, at));
            cx.stands_for(nest.sum, &Exp::Var(name, nest.prim));
            let body = copy_body(&nest.after, cx.fresh);
            cx.body(&body);
            let value = cx.operand(body.results[0]);
            cx.store(result, &index, value);
        });
    }

    /// Gives the indices of a nest their values for an element of a tile.
    fn element_of_tile(&mut self, nest: &Nest, [row, column]: [&Exp; 2], [ii, jj]: [Name; 2], k: Exp) -> [Exp; 2] {
        let i = self.let_sum("i", row, ii);
        let apart = self.fresh("jj");
        self.bind(apart, Exp::mul(Exp::var(jj), Exp::i64(WARP)));
        self.define(apart, BinOp::Mul, &Exp::var(jj), &Exp::i64(WARP));
        let j = self.let_sum("j", column, apart);
        self.indices(nest, [i.clone(), j.clone(), k]);
        [i, j]
    }

    /// Loops over the elements of a tile, which are written out.
    fn over_registers(&mut self, [rows, across]: [i64; 2], f: impl FnOnce(&mut Self, Name, Name)) {
        let (ii, jj) = (self.fresh("ii"), self.fresh("jj"));
        let hint = Hint { unroll: true, ..Hint::default() };
        let body = self.scoped(true, |cx| {
            cx.variable(ii, Prim::I64);
            let body = cx.scoped(true, |cx| {
                cx.variable(jj, Prim::I64);
                f(cx, ii, jj);
            });
            cx.push(Stm::For { var: jj, prim: Prim::I64, bound: Exp::i64(across), hint, body });
        });
        self.push(Stm::For { var: ii, prim: Prim::I64, bound: Exp::i64(rows), hint, body });
    }
}
