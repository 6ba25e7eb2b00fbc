//! Sets `tile`: reductions inside two maps run in tiles that stay in registers.
//!
//! ```text
//! let c_1 = par (i_2 < n_3, j_4 < m_5) own {    let c_1 = par (i_2 < n_3, j_4 < m_5) plan [tile 8 by 32
//!                                                 columns (y_9) rows () block 262144 from 8] own {
//!   let s_6: f32 = par (k_7 < l_8) reduce … {     let s_6: f32 = par (k_7 < l_8) reduce … {
//!     let x = index a[i_2, k_7]               →     let x = index a[i_2, k_7]
//!     let y_9 = index b[k_7, j_4]                   let y_9 = index b[k_7, j_4]
//!     …                                             …
//!   }                                             }
//!   in s_6                                        in s_6
//! }                                             }
//! ```
//!
//! This is for any reduction whose operands depend on the row or on the column but not on both, so that what is loaded
//! once serves a whole row or column of the tile. What depends on the column is copied first to where the tile reads
//! it, as are the rows if they are not read along neighbours; the copies of a block fit into a cache. Each element gets
//! its operands in the same order as before, so that the operator need not commute. The last tile of a row or column
//! begins as early as it must to be a whole one; what it computes again comes out the same, since nothing that is read
//! is written. Where there is no whole tile, the rest of the plan holds. Cost: linear in the program.

use crate::access::{is_near, loads, mentions};
use crate::walk::{At, each_par, is_said};
use kenaz_base::{Attr, Code};
use kenaz_ir::plan::{BlockNest, Piece, Tile, TileNest, is_simple};
use kenaz_ir::scope::Scope;
use kenaz_ir::visit::{for_each_use, free_in_lambda};
use kenaz_ir::{DecisionKind, Exp, Level, Name, Operand, Par, Param, Pass, PassCx, Poly, Prog, Stm};

pub const PASS: Pass =
    Pass { name: "tile", about: "keeps reductions inside two maps in registers, tile by tile", stage: None, run: tile };

/// The names of its rules.
pub const RULES: &[&str] = &["tile"];

/// The columns of a tile. A loop over 16 or fewer is unrolled by gcc before it looks for vectors, and then it does not
/// find all of them.
const COLUMNS: u64 = 32;

/// The most rows of a tile.
const ROWS: u64 = 8;

/// On a device a tile is that of a block of lanes, 16 by 16 of them, each with this many rows, and columns by how large
/// the sums are. With one column there are as many rows as lanes.
const SIDE: u64 = 16;
const LANE_ROWS: u64 = 8;
const LANES: u64 = 256;

/// The bytes of sums that a lane has for a row, and of operands that a block has for a row or column.
const LANE_BYTES: u64 = 32;
const MOST_OPERAND_BYTES: u64 = 24;

/// Bodies with one column have fewer sums, and so more registers for other things.
const MOST_STATEMENTS_OF_ROWS: usize = 64;

/// The bytes of what is copied for a block of columns, and those when each block copies the rows, too.
const BLOCK: u64 = 256 * 1024;
const BLOCK_WITH_ROWS: u64 = 1024 * 1024;

/// Shorter reductions do not pay for the copies.
const FEWEST: u64 = 8;

/// Bodies and what comes after the reduction with more statements than this need more registers than there are.
const MOST_STATEMENTS: usize = 24;

fn tile(prog: &mut Prog, cx: &mut PassCx) {
    if cx.target.runs(Level::Grid) {
        return block_tiles(prog, cx);
    }
    let is_said = is_said(prog, is_tile);
    each_par(prog, cx, &|par| is_said || TileNest::of(par).is_some(), |at, pat, par| {
        let wanted = at.attrs.find(is_tile);
        let Some(nest) = TileNest::of(par) else { return refuse(at, wanted, "these are not sums inside two maps") };
        match planned(at, pat, par, &nest) {
            Ok(mut tile) => {
                if let Some(Attr::Tile((rows, columns))) = wanted.map(Attr::wanted) {
                    (tile.rows, tile.columns) = (rows.into(), columns.into());
                }
                let reason = format!("{} rows and {} columns share what they load", tile.rows, tile.columns);
                at.set(par, "tile", Piece::Tile(tile), reason);
            }
            Err(reason) => {
                at.log.decide(DecisionKind::NotTiled, at.loc, reason);
                refuse(at, wanted, reason);
            }
        }
    });
}

fn is_tile(attr: Attr) -> bool {
    matches!(attr, Attr::Tile(_))
}

/// Says that there is no tile, if one is asked for.
fn refuse(at: &mut At, wanted: Option<Attr>, reason: &str) {
    if let Some(attr) = wanted {
        at.refuse(Code::NothingToCut, attr, reason);
    }
}

fn planned(at: &At, pat: &[Param], par: &Par, nest: &TileNest) -> Result<Tile, &'static str> {
    let [result] = pat else { return Err("there are several results") };
    if let Some(inner) = nest.inner {
        let Exp::Par(inner_par) = &inner.exp else { return Err("the inner map is none") };
        let is_sequential = at.in_chunk || par.plan.chunks().is_some();
        if inner_par.plan.chunks().is_some() && !is_sequential {
            return Err("the rows run in chunks");
        }
        if !is_row(at.scope, result, nest.row.0, &inner.pat[0]) {
            return Err("the rows are not made where they should be");
        }
    }
    let is_bound = |x: Operand| at.scope.is_bound(x);
    let free = free_in_lambda(&nest.op.lambda);
    if ![nest.column.1, nest.along.1, nest.neutral].into_iter().all(is_bound)
        || !free.into_iter().all(|name| is_bound(Operand::Var(name)))
    {
        return Err("sizes or the operator depend on the row or column");
    }
    let operand = nest.operand(&[]);
    if operand.stms.len() + nest.after.len() > MOST_STATEMENTS {
        return Err("there is too much to do for each operand");
    }
    // Only scalars and views; what is read is not written.
    let around = || nest.outer.iter().chain(nest.before).chain(nest.after);
    let (Some(all), true) = (loads(at.scope, operand.stms.iter()), around().all(is_simple)) else {
        return Err("there is more than scalars and loads whose index is linear");
    };
    let Some(array) = at.scope.array(result.name) else { return Err("the result is nowhere") };
    if around().chain(&operand.stms).any(|stm| reads(at.scope, stm, array.place.block)) {
        return Err("the result is where operands are");
    }
    let (mut of_columns, mut of_rows, mut rows) = (Vec::new(), Vec::new(), 0);
    for (name, load) in operand.stms.iter().filter_map(loaded).zip(&all) {
        let (along_row, along_column) = (mentions(load, nest.row.0), mentions(load, nest.column.0));
        let is_operand = mentions(load, nest.along.0);
        match (along_row, along_column) {
            (true, true) => return Err("an operand depends on the row and on the column"),
            (false, true) => of_columns.push(name),
            (true, false) => {
                rows += usize::from(is_operand);
                if is_operand && !is_near(load, nest.along.0) {
                    of_rows.push(name);
                }
            }
            (false, false) => {}
        }
    }
    if of_columns.is_empty() || rows == 0 {
        return Err("no operand depends on the row, or none on the column");
    }
    let block = if of_rows.is_empty() { BLOCK } else { BLOCK_WITH_ROWS };
    let bytes = nest.sum.ty.prim().map_or(8, |prim| prim.bytes() as u64);
    // A tile takes half of the registers that are vectors of the widest kind.
    let rows = (at.target.vector_bytes / bytes).clamp(1, ROWS);
    Ok(Tile { rows, columns: COLUMNS, of_columns, of_rows, block, fewest: FEWEST })
}

/// The same for a device: reductions inside one or two maps, whose operands many lanes of a block have in common.
fn block_tiles(prog: &mut Prog, cx: &mut PassCx) {
    let is_said = is_said(prog, is_tile);
    each_par(prog, cx, &|par| is_said || BlockNest::of(par, false).is_some(), |at, pat, par| {
        let wanted = at.attrs.find(is_tile);
        refuse(at, wanted, "the tiles of a device have a size that its blocks give them");
        // The others run inside of a thread or of a block.
        if par.level != Some(Level::Grid) {
            return;
        }
        let planned = [true, false].map(|has_columns| match BlockNest::of(par, has_columns) {
            Some(nest) => block_tile(at, pat, &nest),
            None => Err("there are not two maps"),
        });
        match planned {
            [Ok(tile), _] | [_, Ok(tile)] => {
                let reason = match tile.columns {
                    1 => format!("{} rows share what they load", tile.rows),
                    columns => format!("{} rows and {columns} columns share what they load", tile.rows),
                };
                at.set(par, "tile", Piece::Tile(tile), reason);
            }
            [Err(reason), _] => at.log.decide(DecisionKind::NotTiled, at.loc, reason),
        }
    });
}

fn block_tile(at: &At, pat: &[Param], nest: &BlockNest) -> Result<Tile, &'static str> {
    let is_bound = |x: Operand| at.scope.is_bound(x);
    let ops = || nest.reduce.ops.iter();
    let neutral = ops().flat_map(|op| op.neutral.iter().copied());
    let mut sizes = [nest.along.1].into_iter().chain(nest.column.map(|(_, m)| m)).chain(neutral);
    let mut free = ops().flat_map(|op| free_in_lambda(&op.lambda));
    if !sizes.all(is_bound) || !free.all(|name| is_bound(Operand::Var(name))) {
        return Err("sizes or the operator depend on the row or column");
    }
    let operand = nest.operand();
    let most = if nest.column.is_some() { MOST_STATEMENTS } else { MOST_STATEMENTS_OF_ROWS };
    if operand.stms.len() + nest.after.len() > most {
        return Err("there is too much to do for each operand");
    }
    let around = || nest.before.iter().chain(nest.after);
    let (Some(all), true) = (loads(at.scope, operand.stms.iter()), around().all(is_simple)) else {
        return Err("there is more than scalars and loads whose index is linear");
    };
    for result in pat {
        let Some(array) = at.scope.array(result.name) else { return Err("the result is nowhere") };
        if around().chain(&operand.stms).any(|stm| reads(at.scope, stm, array.place.block)) {
            return Err("the result is where operands are");
        }
    }
    let bytes = |param: &Param| param.ty.prim().map_or(8, |prim| prim.bytes() as u64);
    let (mut of_columns, mut of_rows) = (Vec::new(), Vec::new());
    // How much there is to copy for a row, for a column, and for all.
    let mut copied = [0; 3];
    for ((number, of), load) in nest.loads(&operand).into_iter().zip(&all) {
        let param = &operand.stms[number].pat[0];
        let is_far = !is_near(load, nest.along.0);
        match of {
            [true, true, _] => return Err("an operand depends on the row and on the column"),
            [true, false, true] => {
                copied[0] += bytes(param);
                of_rows.extend(is_far.then_some(param.name));
            }
            [false, true, true] => {
                copied[1] += bytes(param);
                of_columns.extend(is_far.then_some(param.name));
            }
            [false, false, true] => copied[2] += bytes(param),
            _ => {}
        }
    }
    let of_sums: u64 = nest.sums.iter().map(bytes).sum();
    let [of_row, of_column, of_all] = copied;
    let (rows, columns) = match nest.column {
        Some(_) if of_row == 0 || of_column == 0 => return Err("no operand depends on the row, or none on the column"),
        Some(_) if of_sums > LANE_BYTES / 2 => return Err("there is too much to keep for each element"),
        // A power of two, so that lanes share rows and columns evenly.
        Some(_) => (SIDE * LANE_ROWS, SIDE << (LANE_BYTES / of_sums).min(LANE_ROWS).ilog2()),
        None if of_row > 0 || of_all == 0 => return Err("each row has operands of its own"),
        None => (LANES, 1),
    };
    if of_row + of_column + of_all > MOST_OPERAND_BYTES {
        return Err("there are too many operands");
    }
    Ok(Tile { rows, columns, of_columns, of_rows, block: BLOCK, fewest: FEWEST })
}

/// The scalar that a statement loads.
fn loaded(stm: &Stm) -> Option<Name> {
    match (&stm.exp, &stm.pat[..]) {
        (Exp::Index(..), [param]) if !param.ty.is_array() => Some(param.name),
        _ => None,
    }
}

/// Whether an array is made where the row of a result is.
fn is_row(scope: &Scope, result: &Param, row: Name, inner: &Param) -> bool {
    let (Some(outer), Some(place)) = (scope.array(result.name), &inner.place) else { return false };
    let place = scope.place(place);
    let Some(layout) = outer.place.layout.index(&[Poly::name(row)]) else { return false };
    place.block == outer.place.block
        && scope.equal(&place.layout.offset, &layout.offset)
        && place.layout.dims.len() == layout.dims.len()
        && place.layout.dims.iter().zip(&layout.dims).all(|(a, b)| match (a.stride(), b.stride()) {
            (Some(a), Some(b)) => scope.equal(a, b),
            _ => false,
        })
}

/// Whether a statement reads an array in a block, or makes a view of one.
fn reads(scope: &Scope, stm: &Stm, block: Name) -> bool {
    let is_there = |param: &Param| param.place.as_ref().is_some_and(|place| scope.block(place.block) == block);
    let mut reads = stm.pat.iter().any(is_there);
    for_each_use(&stm.exp, |name| reads |= scope.array(name).is_some_and(|array| array.place.block == block));
    reads
}
