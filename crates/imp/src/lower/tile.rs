//! `tile`: reductions inside two maps, in tiles that stay in registers.
//!
//! ```text
//! for i < n { for j < m {              for each block of columns, some panels of 32 columns {
//!   s = 0                                b'[panel][k][32] = b[k, j]
//!   for k < l {                          for each 8 rows { for each panel {
//!     s = s + a[i, k]*b[k, j]              s[8][32] = 0
//!   }                                 →    for k < l { for i' < 8 { for j' < 32 {
//!   c[i, j] = s                              s[i'][j'] = s[i'][j'] + a[i + i', k]*b'[panel][k][j'] } } }
//! } }                                      c[i + i', j + j'] = s[i'][j']
//!                                        } } }
//! ```
//!
//! What depends on the column is copied first to where the tile reads it, as are the rows that the plan names. The last
//! tile of a row or column begins as early as it must to be a whole one. Where there is no whole tile the loops are
//! those of the rest of the plan.

use super::par::Run;
use super::{Array, Lower};
use crate::{Exp, Hint, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::plan::{Tile, TileNest};
use kenaz_ir::visit::{copy_body, copy_lambda};
use kenaz_ir::{BinOp, Body, CmpOp, Name, Operand, Poly};

/// Two maps around a reduction.
pub(super) struct Nest<'n> {
    pub tile: &'n Tile,
    /// The indices of the row, the column and along the reduction.
    pub indices: [Name; 3],
    /// Everything before the operator: what the maps do first, and the body of the reduction.
    pub operand: Body,
    pub op: &'n ir::Lambda,
    pub neutral: Operand,
    pub prim: Prim,
    /// What is done with the sum, which has this name.
    pub sum: Name,
    pub after: Body,
}

/// Copies of what a load gives, in the order in which tiles need it.
struct Packed {
    /// The position of the load among the statements of the operand.
    at: usize,
    block: Name,
    prim: Prim,
}

impl Lower<'_> {
    /// Tiles where the sizes of a run allow it when the program runs; `rest` is what is done otherwise. That is all
    /// where the inner one of two maps runs in chunks.
    pub(super) fn tile(&mut self, run: &Run, tile: &Tile, rest: impl FnOnce(&mut Self)) {
        let Some(found) = TileNest::of(run.par) else { panic!("{} has no such tile", run.par.plan) };
        let inner = found.inner.map(|stm| &stm.exp);
        if !self.in_chunk && matches!(inner, Some(ir::Exp::Par(inner)) if inner.plan.chunks().is_some()) {
            return rest(self);
        }
        let first = &run.body.stms[..run.shift];
        // In a chunk, the first index is another one.
        let (row, n) = run.space[0];
        let column = if run.space.len() > 1 { run.space[1] } else { found.column };
        let nest = Nest::of(&found, tile, [row, column.0], first);
        let result = self.array(run.pat[0].name);
        let [n, m, l] = [n, column.1, found.along.1].map(|x| self.operand(x));
        let at_least = |x: &Exp, least: u64| Exp::cmp(CmpOp::Le, Exp::i64(least.cast_signed()), x.clone());
        let is_large = Exp::and(at_least(&n, tile.rows), at_least(&m, tile.columns));
        let cond = Exp::and(is_large, at_least(&l, tile.fewest));
        let yes = self.scoped(false, |cx| cx.tiles(&nest, &result, [n, m, l]));
        let no = self.scoped(false, rest);
        self.push(Stm::If { cond, yes, no });
    }

    /// All tiles.
    fn tiles(&mut self, nest: &Nest, result: &Array, [n, m, l]: [Exp; 3]) {
        let [rows, columns] = nest.sides();
        let of_columns = nest.positions(&nest.tile.of_columns);
        let size: usize = of_columns.iter().map(|at| nest.loaded(*at).bytes()).sum();
        // Panels in a block, and altogether.
        let panel = Exp::mul(l.clone(), Exp::i64(columns * i64::try_from(size).unwrap_or(8)));
        let budget = Exp::i64(nest.tile.block.cast_signed());
        let wide = self.let_i64("wide", Exp::max(Exp::i64(1), Exp::quot(budget, panel)));
        let panels = Exp::quot(Exp::add(m.clone(), Exp::i64(columns - 1)), Exp::i64(columns));
        let panels = self.let_i64("panels", panels);
        let wide = self.let_i64("wide", Exp::min(wide, panels.clone()));
        let blocks = Exp::quot(Exp::sub(Exp::add(panels.clone(), wide.clone()), Exp::i64(1)), wide.clone());
        let blocks = self.let_i64("blocks", blocks);
        let strips = self.let_i64("strips", Exp::quot(Exp::add(n.clone(), Exp::i64(rows - 1)), Exp::i64(rows)));
        let room = Exp::mul(Exp::mul(wide.clone(), l.clone()), Exp::i64(columns));
        let packed: Vec<Packed> = of_columns.iter().map(|at| self.pack_into(nest, *at, &room)).collect();
        let room = Exp::mul(l.clone(), Exp::i64(rows));
        let of_rows = nest.positions(&nest.tile.of_rows);
        let packed_rows: Vec<Packed> = of_rows.iter().map(|at| self.pack_into(nest, *at, &room)).collect();

        let block = self.fresh("block");
        self.for_loop(block, Prim::I64, blocks, None, |cx| {
            let first = cx.let_i64("first", Exp::mul(Exp::var(block), wide.clone()));
            let count = cx.let_i64("count", Exp::min(wide.clone(), Exp::sub(panels.clone(), first.clone())));
            let start_of = |panel: Exp, first: &Exp| {
                Exp::min(
                    Exp::mul(Exp::add(first.clone(), panel), Exp::i64(columns)),
                    Exp::sub(m.clone(), Exp::i64(columns)),
                )
            };
            let panel = cx.fresh("panel");
            cx.for_loop(panel, Prim::I64, count.clone(), None, |cx| {
                let from = cx.let_i64("j", start_of(Exp::var(panel), &first));
                let base = cx.let_i64("b", Exp::mul(Exp::var(panel), l.clone()));
                let k = cx.fresh.like(nest.indices[2]);
                cx.for_loop(k, Prim::I64, l.clone(), None, |cx| {
                    let line = cx.let_i64("b", Exp::mul(Exp::add(base, Exp::var(k)), Exp::i64(columns)));
                    let lane = cx.fresh("l");
                    let blocks: Vec<Name> = packed.iter().map(|packed| packed.block).collect();
                    cx.for_loop(lane, Prim::I64, Exp::i64(columns), Some(&blocks), |cx| {
                        let j = cx.let_i64("j", Exp::add(from, Exp::var(lane)));
                        cx.pack(nest, &packed, [Exp::i64(0), j, Exp::var(k)], &Exp::add(line, Exp::var(lane)));
                    });
                });
            });
            let strip = cx.fresh("strip");
            cx.for_loop(strip, Prim::I64, strips, None, |cx| {
                let start = Exp::min(Exp::mul(Exp::var(strip), Exp::i64(rows)), Exp::sub(n, Exp::i64(rows)));
                let row = cx.let_i64("i", start);
                if !packed_rows.is_empty() {
                    let (k, lane) = (cx.fresh.like(nest.indices[2]), cx.fresh("l"));
                    cx.for_loop(k, Prim::I64, l.clone(), None, |cx| {
                        let line = cx.let_i64("b", Exp::mul(Exp::var(k), Exp::i64(rows)));
                        let blocks: Vec<Name> = packed_rows.iter().map(|packed| packed.block).collect();
                        cx.for_loop(lane, Prim::I64, Exp::i64(rows), Some(&blocks), |cx| {
                            let i = cx.let_i64("i", Exp::add(row.clone(), Exp::var(lane)));
                            cx.pack(nest, &packed_rows, [i, Exp::i64(0), Exp::var(k)], &Exp::add(line, Exp::var(lane)));
                        });
                    });
                }
                let panel = cx.fresh("panel");
                cx.for_loop(panel, Prim::I64, count, None, |cx| {
                    let column = cx.let_i64("j", start_of(Exp::var(panel), &first));
                    let base = cx.let_i64("b", Exp::mul(Exp::var(panel), l.clone()));
                    cx.one_tile(nest, result, [row, column, base], &l, (&packed, &packed_rows));
                });
            });
        });
        for packed in packed.iter().chain(&packed_rows) {
            self.push(Stm::Free { name: packed.block });
        }
    }

    fn pack_into(&mut self, nest: &Nest, at: usize, room: &Exp) -> Packed {
        let prim = nest.loaded(at);
        let block = self.fresh.like(nest.operand.stms[at].pat[0].name);
        let bytes = Exp::mul(room.clone(), Exp::bytes_of(prim));
        self.push(Stm::Alloc { name: block, space: self.target.host_space, bytes });
        Packed { at, block, prim }
    }

    /// An index in a tile. Accesses are in terms of where the tile begins, so that what they have in common is found in
    /// front of the loops over the tile: C compilers run out of registers for eight rows otherwise.
    pub(super) fn let_sum(&mut self, base: &str, from: &Exp, at: Name) -> Exp {
        let name = self.fresh(base);
        self.bind(name, Exp::add(from.clone(), Exp::var(at)));
        self.define(name, BinOp::Add, from, &Exp::var(at));
        self.operand(Operand::Var(name))
    }

    /// Gives the indices of a nest their values.
    pub(super) fn indices(&mut self, nest: &Nest, [i, j, k]: [Exp; 3]) {
        for (name, value) in nest.indices.into_iter().zip([i, j, k]) {
            self.stands_for(name, &value);
        }
    }

    /// Copies what loads give.
    fn pack(&mut self, nest: &Nest, packed: &[Packed], indices: [Exp; 3], to: &Exp) {
        self.indices(nest, indices);
        let body = copy_body(&nest.operand, self.fresh);
        let last = packed.iter().map(|packed| packed.at).max().unwrap_or(0);
        for (at, stm) in body.stms.iter().enumerate().take(last + 1) {
            self.stm(stm);
            if let Some(Packed { block, prim, .. }) = packed.iter().find(|packed| packed.at == at) {
                let value = self.operand(Operand::Var(stm.pat[0].name));
                self.push(Stm::Store { block: *block, prim: *prim, index: to.clone(), value });
            }
        }
    }

    fn one_tile(
        &mut self,
        nest: &Nest,
        result: &Array,
        [row, column, base]: [Exp; 3],
        l: &Exp,
        (packed, packed_rows): (&[Packed], &[Packed]),
    ) {
        let [rows, columns] = nest.sides();
        let acc = self.fresh.like(nest.sum);
        self.push(Stm::Local { name: acc, prim: nest.prim, len: nest.tile.rows * nest.tile.columns });
        let neutral = self.operand(nest.neutral);
        let x = self.fresh("x");
        self.for_loop(x, Prim::I64, Exp::i64(rows * columns), Some(&[acc]), |cx| {
            cx.push(Stm::Store { block: acc, prim: nest.prim, index: Exp::var(x), value: neutral });
        });
        let k = self.fresh.like(nest.indices[2]);
        self.for_loop(k, Prim::I64, l.clone(), None, |cx| {
            let line = cx.let_i64("b", Exp::mul(Exp::add(base, Exp::var(k)), Exp::i64(columns)));
            let line_of_rows = cx.let_i64("b", Exp::mul(Exp::var(k), Exp::i64(rows)));
            cx.over_tile(nest, true, |cx, ii, jj| {
                let [i, j] = [("i", &row, ii), ("j", &column, jj)].map(|(base, from, at)| cx.let_sum(base, from, at));
                cx.indices(nest, [i, j, Exp::var(k)]);
                let body = copy_body(&nest.operand, cx.fresh);
                for (at, stm) in body.stms.iter().enumerate() {
                    let of = |all: &[Packed]| all.iter().find(|packed| packed.at == at).map(|p| (p.block, p.prim));
                    let place = match (of(packed), of(packed_rows)) {
                        (Some(found), _) => Some((found, Exp::add(line.clone(), Exp::var(jj)))),
                        (None, Some(found)) => Some((found, Exp::add(line_of_rows.clone(), Exp::var(ii)))),
                        (None, None) => None,
                    };
                    match place {
                        Some(((block, prim), index)) => {
                            cx.bind(stm.pat[0].name, Exp::load(block, prim, index));
                        }
                        None => cx.stm(stm),
                    }
                }
                let at = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(columns)), Exp::var(jj));
                cx.accumulate_at(nest, acc, at, body.results[0]);
            });
        });
        let k_after = Exp::i64(0);
        self.over_tile(nest, false, |cx, ii, jj| {
            let [i, j] = [("i", &row, ii), ("j", &column, jj)].map(|(base, from, at)| cx.let_sum(base, from, at));
            let index: Vec<Poly> = [&i, &j].into_iter().filter_map(super::as_poly).collect();
            cx.indices(nest, [i, j, k_after]);
            let at = Exp::add(Exp::mul(Exp::var(ii), Exp::i64(columns)), Exp::var(jj));
            let sum = Exp::load(acc, nest.prim, at);
            // The loops of the rest have the name itself.
            let name = cx.fresh.like(nest.sum);
            cx.bind(name, sum);
            cx.stands_for(nest.sum, &Exp::Var(name, nest.prim));
            let body = copy_body(&nest.after, cx.fresh);
            cx.body(&body);
            let value = cx.operand(body.results[0]);
            cx.store(result, &index, value);
        });
    }

    /// Combines an element of a tile, of which the sums so far are in a block, with one more operand.
    pub(super) fn accumulate_at(&mut self, nest: &Nest, acc: Name, at: Exp, operand: Operand) {
        let (old, value) = (Exp::load(acc, nest.prim, at.clone()), self.operand(operand));
        let op = copy_lambda(nest.op, self.fresh);
        let new = self.accumulated(&op, &[nest.neutral], vec![old, value]).into_iter().next();
        let value = new.unwrap_or(Exp::i64(0));
        self.push(Stm::Store { block: acc, prim: nest.prim, index: at, value });
    }

    /// Loops over the elements of a tile, those of a column side by side.
    fn over_tile(&mut self, nest: &Nest, unroll: bool, f: impl FnOnce(&mut Self, Name, Name)) {
        let [rows, columns] = nest.sides();
        let (ii, jj) = (self.fresh("ii"), self.fresh("jj"));
        let body = self.scoped(true, |cx| {
            cx.variable(ii, Prim::I64);
            let body = cx.scoped(true, |cx| {
                cx.variable(jj, Prim::I64);
                f(cx, ii, jj);
            });
            let hint = Hint { independent: true, ..Hint::default() };
            cx.push(Stm::For { var: jj, prim: Prim::I64, bound: Exp::i64(columns), hint, body });
        });
        // The rows of a sum are kept in registers only when all of them are written out.
        let hint = Hint { unroll, ..Hint::default() };
        self.push(Stm::For { var: ii, prim: Prim::I64, bound: Exp::i64(rows), hint, body });
    }
}

impl<'n> Nest<'n> {
    /// With these indices of the row and the column, and what is done first.
    pub(super) fn of(found: &TileNest<'n>, tile: &'n Tile, [row, column]: [Name; 2], first: &[ir::Stm]) -> Nest<'n> {
        Nest {
            tile,
            indices: [row, column, found.along.0],
            operand: found.operand(first),
            op: &found.op.lambda,
            neutral: found.neutral,
            prim: found.sum.ty.prim().unwrap_or(Prim::I64),
            sum: found.sum.name,
            after: found.finish(first),
        }
    }

    /// How many rows and columns a tile has.
    pub(super) fn sides(&self) -> [i64; 2] {
        [self.tile.rows, self.tile.columns].map(u64::cast_signed)
    }

    /// Where loads stand among the statements of the operand.
    fn positions(&self, loads: &[Name]) -> Vec<usize> {
        let position = |name: &Name| self.operand.stms.iter().position(|stm| stm.pat[0].name == *name);
        loads.iter().filter_map(position).collect()
    }

    /// The type of what a statement of the operand loads.
    fn loaded(&self, at: usize) -> Prim {
        self.operand.stms[at].pat[0].ty.prim().unwrap_or(Prim::I64)
    }
}
