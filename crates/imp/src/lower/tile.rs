//! Reductions inside two maps, in tiles that stay in registers.
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
//! This is for any reduction whose operands depend on the row or on the column but not on both, so that what is loaded once
//! serves a whole row or column of the tile. What depends on the column is copied first to where the tile reads it, as are
//! the rows if they are not read along neighbours; the copies of a block fit into a cache. Each element gets
//! its operands in the same order as before, so that the operator need not commute. The last tile of a row or column
//! begins as early as it must to be a whole one; what it computes again comes out the same, since nothing that is read is
//! written. Where there is no whole tile the loops stay as they are.

use super::{Array, Lower, bytes_of};
use crate::{Exp, Hint, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::visit::{copy_body, copy_lambda, for_each_use, free_in_lambda, free_in_stm};
use kenaz_ir::{BinOp, Body, CmpOp, Form, Name, OpKind, Operand, Par, Poly, Space, Type};
use rustc_hash::FxHashSet;

/// The columns of a tile. A loop over 16 or fewer is unrolled by gcc before it looks for vectors, and then it does not find
/// all of them.
const COLUMNS: i64 = 32;

/// The bytes of a column of a tile, so that a tile takes half of the registers that are vectors of the widest kind.
const COLUMN_BYTES: u64 = 32;

/// The bytes of what is copied for a block of columns, and those when each block copies the rows, too.
const BLOCK: i64 = 256 * 1024;
const BLOCK_WITH_ROWS: i64 = 1024 * 1024;

/// Shorter reductions do not pay for the copies.
const SHORTEST: i64 = 8;

/// Bodies and what comes after the reduction with more statements than this need more registers than there are.
const MOST_STATEMENTS: usize = 24;

/// Two maps around a reduction.
struct Nest {
    /// The names of the indices and what they are below.
    row: (Name, Operand),
    column: (Name, Operand),
    along: (Name, Operand),
    /// Everything before the operator: what the maps do first, and the body of the reduction.
    operand: Body,
    op: ir::Lambda,
    neutral: Operand,
    prim: Prim,
    /// What is done with the sum, which has this name.
    sum: Name,
    after: Body,
    /// The positions of loads among the statements of the operand that are copied first: those that depend on the column
    /// and those that depend on the row.
    of_columns: Vec<usize>,
    of_rows: Vec<usize>,
}

/// Copies of what a load gives, in the order in which tiles need it.
struct Packed {
    at: usize,
    block: Name,
    prim: Prim,
}

impl Lower<'_> {
    /// Lowers a `par` this way where its sizes allow it when the program runs; `rest` is what is done otherwise.
    pub(super) fn tile(&mut self, pat: &[ir::Param], par: &Par, rest: impl FnOnce(&mut Self)) -> bool {
        let Some(nest) = self.tile_nest(pat, par) else {
            return false;
        };
        let result = self.array(pat[0].name);
        let [n, m, l] = [nest.row.1, nest.column.1, nest.along.1].map(|x| self.operand(x));
        let rows = i64::try_from((COLUMN_BYTES / bytes_of(nest.prim)).min(8)).unwrap_or(4);
        let at_least =
            |x: &Exp, least: i64| Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(Exp::i64(least)), Box::new(x.clone()));
        let and = |x: Exp, y: Exp| Exp::Bin(BinOp::And, Prim::Bool, Box::new(x), Box::new(y));
        let cond = and(and(at_least(&n, rows), at_least(&m, COLUMNS)), at_least(&l, SHORTEST));
        let yes = self.scoped(false, |cx| cx.tiles(&nest, &result, rows, [n, m, l]));
        let no = self.scoped(false, rest);
        self.push(Stm::If { cond, yes, no });
        true
    }

    fn tile_nest(&self, pat: &[ir::Param], par: &Par) -> Option<Nest> {
        let [result] = pat else { return None };
        let (row, column, first, inner) = match (&par.space[..], &par.body.stms[..]) {
            ([row, column], _) => (*row, *column, &[][..], &par.body),
            ([row], [first @ .., last]) => {
                let ir::Exp::Par(inner) = &last.exp else { return None };
                let ([column], [Form::Own], true) = (&inner.space[..], &inner.forms[..], inner.ops.is_empty()) else {
                    return None;
                };
                let is_result = par.body.results == [Operand::Var(last.pat.first()?.name)];
                let runs_apart = inner.level.is_some_and(|level| self.levels.contains(&level));
                if !is_result || runs_apart || !self.is_row(result, row.0, last.pat.first()?, first) {
                    return None;
                }
                (*row, *column, first, &inner.body)
            }
            _ => return None,
        };
        if !matches!(par.forms[..], [Form::Own]) || !par.ops.is_empty() {
            return None;
        }
        let at = inner.stms.iter().position(|stm| matches!(stm.exp, ir::Exp::Par(_)))?;
        let (before, rest) = inner.stms.split_at(at);
        let (reduce_stm, after) = rest.split_first()?;
        let (ir::Exp::Par(reduce), [sum]) = (&reduce_stm.exp, &reduce_stm.pat[..]) else { return None };
        let ([op], [along], []) = (&reduce.ops[..], &reduce.space[..], &reduce.forms[..]) else { return None };
        let (OpKind::Reduce { .. }, [neutral], Type::Prim(prim)) = (op.kind, &op.neutral[..], &sum.ty) else {
            return None;
        };
        let stms = needed([first, before, &reduce.body.stms].concat(), &reduce.body.results);
        let is_outside = |x: Operand| x.name().is_none_or(|name| self.scope.is_bound(Operand::Var(name)));
        let fits = op.shape.is_empty()
            && [column.1, along.1, *neutral].into_iter().all(is_outside)
            && free_in_lambda(&op.lambda).into_iter().all(|name| is_outside(Operand::Var(name)))
            && stms.len() + after.len() <= MOST_STATEMENTS;
        if !fits {
            return None;
        }
        // Only scalars and views; what is read is not written.
        let loads = self.loads(stms.iter())?;
        let around = || first.iter().chain(before).chain(after);
        self.loads(around())?;
        let block = self.scope.array(result.name)?.place.block;
        if around().chain(&stms).any(|stm| self.reads(stm, block)) {
            return None;
        }
        let is_load =
            |stm: &ir::Stm| matches!(stm.pat[..], [ir::Param { ty: Type::Prim(_), .. }]) && is_index(&stm.exp);
        let positions = stms.iter().enumerate().filter(|(_, stm)| is_load(stm)).map(|(at, _)| at);
        let (mut of_columns, mut of_rows, mut rows) = (Vec::new(), Vec::new(), 0);
        for (at, load) in positions.zip(&loads) {
            let depends = |name: Name| load.names().any(|x| x == name);
            match (depends(row.0), depends(column.0)) {
                (true, true) => return None,
                (false, true) => of_columns.push(at),
                (true, false) => {
                    rows += usize::from(depends(along.0));
                    if depends(along.0) && !super::order::is_near(load, along.0) {
                        of_rows.push(at);
                    }
                }
                (false, false) => {}
            }
        }
        if of_columns.is_empty() || rows == 0 {
            return None;
        }
        let operand = Body { stms, results: reduce.body.results.clone() };
        let after: Vec<ir::Stm> = [first, before, after].concat();
        let after = Body { stms: after, results: inner.results.clone() };
        Some(Nest {
            row,
            column,
            along: *along,
            operand,
            op: op.lambda.clone(),
            neutral: *neutral,
            prim: *prim,
            sum: sum.name,
            after,
            of_columns,
            of_rows,
        })
    }

    /// Whether an array is made where the row of a result is.
    fn is_row(&self, result: &ir::Param, row: Name, inner: &ir::Param, before: &[ir::Stm]) -> bool {
        let (Some(outer), Some(place)) = (self.scope.array(result.name), &inner.place) else { return false };
        let place = self.scope.place(place);
        let Some(layout) = outer.place.layout.index(&[Poly::name(row)]) else { return false };
        // The index itself may be defined by the first statements of the body.
        let local = self.local_sums(before.iter());
        let offset = &place.layout.offset;
        let offset = offset.replace(|x| local.get(&x).cloned()).unwrap_or_else(|| offset.clone());
        place.block == outer.place.block
            && self.scope.equal(&offset, &layout.offset)
            && place.layout.dims.len() == layout.dims.len()
            && place.layout.dims.iter().zip(&layout.dims).all(|(a, b)| match (a.stride(), b.stride()) {
                (Some(a), Some(b)) => self.scope.equal(a, b),
                _ => false,
            })
    }

    /// Whether a statement reads an array in a block, or makes a view of one.
    fn reads(&self, stm: &ir::Stm, block: Name) -> bool {
        let is_there =
            |param: &ir::Param| param.place.as_ref().is_some_and(|place| self.scope.block(place.block) == block);
        let mut reads = stm.pat.iter().any(is_there);
        for_each_use(&stm.exp, |name| reads |= self.scope.array(name).is_some_and(|array| array.place.block == block));
        reads
    }

    /// All tiles.
    fn tiles(&mut self, nest: &Nest, result: &Array, rows: i64, [n, m, l]: [Exp; 3]) {
        let mut size: u64 = 0;
        for at in &nest.of_columns {
            size += nest.operand.stms[*at].pat[0].ty.prim().map_or(8, bytes_of);
        }
        let bytes = |size: u64| i64::try_from(size).unwrap_or(8);
        let budget = if nest.of_rows.is_empty() { BLOCK } else { BLOCK_WITH_ROWS };
        // Panels in a block, and altogether.
        let panel = mul(l.clone(), Exp::i64(COLUMNS * bytes(size)));
        let wide = self.let_i64("wide", max(Exp::i64(1), quot(Exp::i64(budget), panel)));
        let panels = self.let_i64("panels", quot(add(m.clone(), Exp::i64(COLUMNS - 1)), Exp::i64(COLUMNS)));
        let wide = self.let_i64("wide", min(wide, panels.clone()));
        let blocks = quot(sub(add(panels.clone(), wide.clone()), Exp::i64(1)), wide.clone());
        let blocks = self.let_i64("blocks", blocks);
        let strips = self.let_i64("strips", quot(add(n.clone(), Exp::i64(rows - 1)), Exp::i64(rows)));
        let room = mul(mul(wide.clone(), l.clone()), Exp::i64(COLUMNS));
        let packed: Vec<Packed> = nest.of_columns.iter().map(|at| self.pack_into(nest, *at, &room)).collect();
        let room = mul(l.clone(), Exp::i64(rows));
        let packed_rows: Vec<Packed> = nest.of_rows.iter().map(|at| self.pack_into(nest, *at, &room)).collect();

        let block = self.fresh("block");
        self.for_loop(block, Prim::I64, blocks, None, |cx| {
            let first = cx.let_i64("first", mul(var(block), wide.clone()));
            let count = cx.let_i64("count", min(wide.clone(), sub(panels.clone(), first.clone())));
            let start_of = |panel: Exp, first: &Exp| {
                min(mul(add(first.clone(), panel), Exp::i64(COLUMNS)), sub(m.clone(), Exp::i64(COLUMNS)))
            };
            let panel = cx.fresh("panel");
            cx.for_loop(panel, Prim::I64, count.clone(), None, |cx| {
                let from = cx.let_i64("j", start_of(var(panel), &first));
                let base = cx.let_i64("b", mul(var(panel), l.clone()));
                let k = cx.fresh.like(nest.along.0);
                cx.for_loop(k, Prim::I64, l.clone(), None, |cx| {
                    let line = cx.let_i64("b", mul(add(base, var(k)), Exp::i64(COLUMNS)));
                    let lane = cx.fresh("l");
                    let blocks: Vec<Name> = packed.iter().map(|packed| packed.block).collect();
                    cx.for_loop(lane, Prim::I64, Exp::i64(COLUMNS), Some(&blocks), |cx| {
                        let j = cx.let_i64("j", add(from, var(lane)));
                        cx.pack(nest, &packed, [Exp::i64(0), j, var(k)], &add(line, var(lane)));
                    });
                });
            });
            let strip = cx.fresh("strip");
            cx.for_loop(strip, Prim::I64, strips, None, |cx| {
                let start = min(mul(var(strip), Exp::i64(rows)), sub(n, Exp::i64(rows)));
                let row = cx.let_i64("i", start);
                if !packed_rows.is_empty() {
                    let (k, lane) = (cx.fresh.like(nest.along.0), cx.fresh("l"));
                    cx.for_loop(k, Prim::I64, l.clone(), None, |cx| {
                        let line = cx.let_i64("b", mul(var(k), Exp::i64(rows)));
                        let blocks: Vec<Name> = packed_rows.iter().map(|packed| packed.block).collect();
                        cx.for_loop(lane, Prim::I64, Exp::i64(rows), Some(&blocks), |cx| {
                            let i = cx.let_i64("i", add(row.clone(), var(lane)));
                            cx.pack(nest, &packed_rows, [i, Exp::i64(0), var(k)], &add(line, var(lane)));
                        });
                    });
                }
                let panel = cx.fresh("panel");
                cx.for_loop(panel, Prim::I64, count, None, |cx| {
                    let column = cx.let_i64("j", start_of(var(panel), &first));
                    let base = cx.let_i64("b", mul(var(panel), l.clone()));
                    cx.one_tile(nest, result, [row, column, base], rows, &l, (&packed, &packed_rows));
                });
            });
        });
        for packed in packed.iter().chain(&packed_rows) {
            self.push(Stm::Free { name: packed.block });
        }
    }

    fn pack_into(&mut self, nest: &Nest, at: usize, room: &Exp) -> Packed {
        let prim = nest.operand.stms[at].pat[0].ty.prim().unwrap_or(Prim::I64);
        let block = self.fresh.like(nest.operand.stms[at].pat[0].name);
        let bytes = mul(room.clone(), Exp::i64(i64::try_from(bytes_of(prim)).unwrap_or(8)));
        self.push(Stm::Alloc { name: block, space: Space::Host, bytes });
        Packed { at, block, prim }
    }

    fn let_i64(&mut self, base: &str, value: Exp) -> Exp {
        let name = self.fresh(base);
        self.bind(name, value);
        self.operand(Operand::Var(name))
    }

    /// An index in a tile. Accesses are in terms of where the tile begins, so that what they have in common is found in front
    /// of the loops over the tile: C compilers run out of registers for eight rows otherwise.
    fn let_sum(&mut self, base: &str, from: &Exp, at: Name) -> Exp {
        let name = self.fresh(base);
        self.bind(name, add(from.clone(), var(at)));
        self.define(name, BinOp::Add, from, &var(at));
        self.operand(Operand::Var(name))
    }

    /// Gives the indices of a nest their values.
    fn indices(&mut self, nest: &Nest, [i, j, k]: [Exp; 3]) {
        for ((name, _), value) in [nest.row, nest.column, nest.along].into_iter().zip([i, j, k]) {
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
        rows: i64,
        l: &Exp,
        (packed, packed_rows): (&[Packed], &[Packed]),
    ) {
        let acc = self.fresh.like(nest.sum);
        let len = u64::try_from(rows * COLUMNS).unwrap_or(1);
        self.push(Stm::Local { name: acc, prim: nest.prim, len });
        let neutral = self.operand(nest.neutral);
        let x = self.fresh("x");
        self.for_loop(x, Prim::I64, Exp::i64(rows * COLUMNS), Some(&[acc]), |cx| {
            cx.push(Stm::Store { block: acc, prim: nest.prim, index: var(x), value: neutral });
        });
        let k = self.fresh.like(nest.along.0);
        self.for_loop(k, Prim::I64, l.clone(), None, |cx| {
            let line = cx.let_i64("b", mul(add(base, var(k)), Exp::i64(COLUMNS)));
            let line_of_rows = cx.let_i64("b", mul(var(k), Exp::i64(rows)));
            cx.over_tile(rows, Some(acc), |cx, ii, jj| {
                let [i, j] = [("i", &row, ii), ("j", &column, jj)].map(|(base, from, at)| cx.let_sum(base, from, at));
                cx.indices(nest, [i, j, var(k)]);
                let body = copy_body(&nest.operand, cx.fresh);
                for (at, stm) in body.stms.iter().enumerate() {
                    let of = |all: &[Packed]| all.iter().find(|packed| packed.at == at).map(|p| (p.block, p.prim));
                    let place = match (of(packed), of(packed_rows)) {
                        (Some(found), _) => Some((found, add(line.clone(), var(jj)))),
                        (None, Some(found)) => Some((found, add(line_of_rows.clone(), var(ii)))),
                        (None, None) => None,
                    };
                    match place {
                        Some(((block, prim), index)) => {
                            cx.bind(stm.pat[0].name, Exp::Load { block, prim, index: Box::new(index) });
                        }
                        None => cx.stm(stm),
                    }
                }
                let at = add(mul(var(ii), Exp::i64(COLUMNS)), var(jj));
                let old = Exp::Load { block: acc, prim: nest.prim, index: Box::new(at.clone()) };
                let value = cx.operand(body.results[0]);
                let op = copy_lambda(&nest.op, cx.fresh);
                let new =
                    cx.accumulated(&op, &[nest.neutral], vec![old, value]).into_iter().next().unwrap_or(Exp::i64(0));
                cx.push(Stm::Store { block: acc, prim: nest.prim, index: at, value: new });
            });
        });
        let k_after = Exp::i64(0);
        self.over_tile(rows, None, |cx, ii, jj| {
            let [i, j] = [("i", &row, ii), ("j", &column, jj)].map(|(base, from, at)| cx.let_sum(base, from, at));
            let index: Vec<Poly> = [&i, &j].into_iter().filter_map(super::as_poly).collect();
            cx.indices(nest, [i, j, k_after]);
            let at = add(mul(var(ii), Exp::i64(COLUMNS)), var(jj));
            let sum = Exp::Load { block: acc, prim: nest.prim, index: Box::new(at) };
            cx.bind(nest.sum, sum);
            let body = copy_body(&nest.after, cx.fresh);
            cx.body(&body);
            let value = cx.operand(body.results[0]);
            cx.store(result, &index, value);
        });
    }

    /// Loops over the elements of a tile, those of a column side by side.
    fn over_tile(&mut self, rows: i64, writes: Option<Name>, f: impl FnOnce(&mut Self, Name, Name)) {
        let (ii, jj) = (self.fresh("ii"), self.fresh("jj"));
        let body = self.scoped(true, |cx| {
            cx.variable(ii, Prim::I64);
            let body = cx.scoped(true, |cx| {
                cx.variable(jj, Prim::I64);
                f(cx, ii, jj);
            });
            let hint = Hint { independent: true, ..Hint::default() };
            cx.push(Stm::For { var: jj, prim: Prim::I64, bound: Exp::i64(COLUMNS), hint, body });
        });
        // The rows of a sum are kept in registers only when all of them are written out.
        let hint = Hint { unroll: writes.is_some(), ..Hint::default() };
        self.push(Stm::For { var: ii, prim: Prim::I64, bound: Exp::i64(rows), hint, body });
    }
}

/// The statements that some operands depend on.
fn needed(stms: Vec<ir::Stm>, results: &[Operand]) -> Vec<ir::Stm> {
    let mut used: FxHashSet<Name> = results.iter().filter_map(|x| x.name()).collect();
    let mut kept = Vec::with_capacity(stms.len());
    for stm in stms.into_iter().rev() {
        if stm.pat.iter().any(|param| used.contains(&param.name)) {
            used.extend(free_in_stm(&stm));
            kept.push(stm);
        }
    }
    kept.reverse();
    kept
}

fn is_index(exp: &ir::Exp) -> bool {
    matches!(exp, ir::Exp::Index(..))
}

fn var(name: Name) -> Exp {
    Exp::Var(name, Prim::I64)
}

fn add(x: Exp, y: Exp) -> Exp {
    Exp::Add(Box::new(x), Box::new(y))
}

fn sub(x: Exp, y: Exp) -> Exp {
    Exp::Sub(Box::new(x), Box::new(y))
}

fn mul(x: Exp, y: Exp) -> Exp {
    Exp::Mul(Box::new(x), Box::new(y))
}

/// Of what is not negative by what is positive.
fn quot(x: Exp, y: Exp) -> Exp {
    Exp::Quot(Box::new(x), Box::new(y))
}

fn min(x: Exp, y: Exp) -> Exp {
    Exp::Bin(BinOp::Min, Prim::I64, Box::new(x), Box::new(y))
}

fn max(x: Exp, y: Exp) -> Exp {
    Exp::Bin(BinOp::Max, Prim::I64, Box::new(x), Box::new(y))
}
