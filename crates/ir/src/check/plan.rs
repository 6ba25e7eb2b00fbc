//! Plans: what must hold of a `par` for its pieces to change nothing. What depends on sizes and places is in
//! `memory/plan`.

use super::scope::Checker;
use super::{Checked, Rule, Stage};
use crate::exp::{Exp, Lambda};
use crate::name::Name;
use crate::par::{Form, Level, OpKind, Par, ParOp};
use crate::plan::{
    BlockNest, Chunks, Cut, Lanes, Piece, Squares, Stream, StripNest, Strips, Tile, TileNest, is_repeatable, is_simple,
    traces,
};
use crate::poly::Poly;
use crate::prog::{Operand, Param, Stm};
use crate::types::Type;
use crate::visit::{free_in_lambda, free_in_stm};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// Checks the plan of a `par`, in whose scope it stands.
    pub(super) fn plan(&self, par: &Par, pat: &[Param]) -> Checked {
        let plan = &par.plan;
        if plan.is_empty() {
            return Ok(());
        }
        let is_memory = matches!(self.stage, Stage::Memory(_));
        self.ensure(is_memory, Rule::Stage, || "a plan does not belong to this stage".to_string())?;
        for pair in plan.pieces().windows(2) {
            self.ensure(pair[0].kind() < pair[1].kind(), Rule::PlanPieces, || {
                format!("`{}` does not stand before `{}`", pair[0], pair[1])
            })?;
        }
        plan.pieces().iter().try_for_each(|piece| self.piece(par, pat, piece))
    }

    fn piece(&self, par: &Par, pat: &[Param], piece: &Piece) -> Checked {
        let refused = |rule: Rule, reason: &str| self.fail(rule, format!("`{piece}`, but {reason}"));
        let because = |rule: Rule, reason: Option<&str>| reason.map_or(Ok(()), |reason| refused(rule, reason));
        match piece {
            Piece::Chunks(chunks) => {
                self.in_scope(Rule::PlanChunks, &chunks.work)?;
                because(Rule::PlanChunks, chunks_refused(par, chunks))
            }
            Piece::Tile(tile) => because(Rule::PlanTile, self.tile_refused(par, tile)),
            Piece::Strips(strips) => because(Rule::PlanStrips, self.strips_refused(par, strips)),
            Piece::Order(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.iter().copied().eq(0..par.space.len()) {
                    return refused(Rule::PlanOrder, "that is no permutation of the dimensions");
                }
                because(Rule::PlanOrder, order_refused(par))
            }
            Piece::Squares(Squares { across, along, side }) => {
                let order = par.plan.order(par.space.len());
                let are_sides = order.contains(across) && across != along && order.last() == Some(along) && *side > 0;
                if !are_sides {
                    return refused(Rule::PlanSquares, "these are not two dimensions, the second of them innermost");
                }
                because(Rule::PlanSquares, order_refused(par))
            }
            Piece::Split(split) => {
                if split.dim >= par.space.len() || split.sizes.len() < 2 {
                    return refused(Rule::PlanSplit, "that does not make several loops of a dimension");
                }
                split.sizes.iter().try_for_each(|size| self.in_scope(Rule::PlanSplit, size))
            }
            Piece::Guard => because(Rule::PlanGuard, guard_refused(par)),
            Piece::Cuts(names) => because(Rule::PlanCuts, cuts_refused(par, names)),
            Piece::Lanes(lanes) => because(Rule::PlanLanes, lanes_refused(par, pat, *lanes)),
            Piece::Stream(stream) => because(Rule::PlanStream, stream_refused(par, pat, *stream)),
        }
    }

    fn in_scope(&self, rule: Rule, poly: &Poly) -> Checked {
        poly.names().try_for_each(|name| self.expect(rule, name.into(), &Type::I64))
    }

    /// Whether an operand does not depend on the iteration of the `par` that is looked at.
    fn is_outside(&self, x: Operand) -> bool {
        x.name().is_none_or(|name| self.type_of(name).is_ok())
    }

    fn lambda_is_outside(&self, lambda: &Lambda) -> bool {
        free_in_lambda(lambda).into_iter().all(|name| self.is_outside(name.into()))
    }

    fn tile_refused(&self, par: &Par, tile: &Tile) -> Option<&'static str> {
        if par.level == Some(Level::Grid) {
            return self.block_tile_refused(par, tile);
        }
        let Some(nest) = TileNest::of(par) else { return Some("these are not two maps around a reduction") };
        if [tile.rows, tile.columns, tile.fewest].contains(&0) {
            return Some("a tile of nothing");
        }
        let outside = [nest.column.1, nest.along.1, nest.neutral].into_iter().all(|x| self.is_outside(x));
        if !outside || !self.lambda_is_outside(&nest.op.lambda) {
            return Some("sizes or the operator depend on the row or column");
        }
        let operand = nest.operand(&[]);
        let mut all = operand.stms.iter().chain(nest.outer).chain(nest.before).chain(nest.after);
        if !all.all(is_simple) {
            return Some("there is more than scalars and views");
        }
        let of = |names: &[Name], other: Name| {
            let depending = depending_on(other, &operand.stms);
            names.iter().all(|name| {
                let is_load = |stm: &Stm| match (&stm.exp, &stm.pat[..]) {
                    (Exp::Index(..), [param]) => param.name == *name && !param.ty.is_array(),
                    _ => false,
                };
                operand.stms.iter().any(is_load) && !depending.contains(name)
            })
        };
        if !of(&tile.of_columns, nest.row.0) || !of(&tile.of_rows, nest.column.0) {
            return Some(
                "what is copied for all rows depends on the row, or for all columns on the column, or is no load",
            );
        }
        None
    }

    fn block_tile_refused(&self, par: &Par, tile: &Tile) -> Option<&'static str> {
        let has_columns = tile.columns > 1;
        let Some(nest) = BlockNest::of(par, has_columns) else { return Some("there are no maps around a reduction") };
        if [tile.rows, tile.columns, tile.fewest].contains(&0) {
            return Some("a tile of nothing");
        }
        let neutral = nest.reduce.ops.iter().flat_map(|op| op.neutral.iter().copied());
        let mut sizes = [nest.along.1].into_iter().chain(nest.column.map(|(_, m)| m)).chain(neutral);
        let operators_are_outside = nest.reduce.ops.iter().all(|op| self.lambda_is_outside(&op.lambda));
        if !sizes.all(|x| self.is_outside(x)) || !operators_are_outside {
            return Some("sizes or the operator depend on the row or column");
        }
        let operand = nest.operand();
        if !operand.stms.iter().chain(nest.before).chain(nest.after).all(is_simple) {
            return Some("there is more than scalars and views");
        }
        let loads = nest.loads(&operand);
        let name_of = |at: usize| operand.stms[at].pat[0].name;
        let are = |names: &[Name], wanted: [bool; 3]| {
            names.iter().all(|name| loads.iter().any(|(at, of)| name_of(*at) == *name && *of == wanted))
        };
        if !are(&tile.of_rows, [true, false, true]) || !are(&tile.of_columns, [false, true, true]) {
            return Some("what is copied for rows or columns is no load of such operands");
        }
        None
    }

    fn strips_refused(&self, par: &Par, strips: &Strips) -> Option<&'static str> {
        let is_last = strips.dim + 1 == par.space.len();
        if strips.dim >= par.space.len() || !is_last && (!par.any_order() || traces(&par.body)) {
            return Some("iterations cannot run in that order");
        }
        let is_reduction = |reduce: &Par| {
            reduce.ops.iter().all(|op| is_scalar_reduction(op) && self.lambda_is_outside(&op.lambda))
                && reduce.ops.iter().flat_map(|op| &op.neutral).all(|x| self.is_outside(*x))
                && reduce.space.iter().all(|(_, n)| self.is_outside(*n))
                && reduce.forms.is_empty()
                && is_repeatable(&reduce.body)
        };
        let stms = par.body.stms.iter().take(strips.stms);
        let nest = StripNest::of(stms, is_reduction).filter(|nest| nest.stms == strips.stms);
        let Some(nest) = nest else { return Some("these statements are not scalars, views and reductions") };
        let is_kept = |name: &Name| {
            nest.simple.iter().any(|stm| matches!(&stm.pat[..], [p] if p.name == *name && !p.ty.is_array()))
        };
        if !strips.kept.iter().all(is_kept) {
            return Some("what is kept is not one of the scalars");
        }
        let counts = strips.at_once.len() == nest.reductions.len() && !strips.at_once.contains(&0);
        (strips.len == 0 || !counts).then_some("lengths are not positive, or not one for each reduction")
    }
}

fn order_refused(par: &Par) -> Option<&'static str> {
    (!par.any_order() || traces(&par.body)).then_some("iterations cannot run in any order")
}

fn chunks_refused(par: &Par, chunks: &Chunks) -> Option<&'static str> {
    let has_acc = par.forms.iter().any(|form| matches!(form, Form::Acc { .. }));
    let prints = traces(&par.body) || par.post.as_ref().is_some_and(|post| traces(&post.body));
    if par.level.is_none() {
        Some("there is no level")
    } else if has_acc && !par.ops.is_empty() {
        Some("there are reductions and destinations to combine")
    } else if par.scans().next().is_some() && !is_repeatable(&par.body) {
        Some("the body of the scan cannot run twice")
    } else if prints {
        Some("what is printed has an order")
    } else {
        (chunks.inside && !par.ops.is_empty()).then_some("a reduction cannot run in either way")
    }
}

fn guard_refused(par: &Par) -> Option<&'static str> {
    let ([Form::Acc { rank, .. }], true) = (&par.forms[..], par.ops.is_empty()) else {
        return Some("values are not combined with one destination");
    };
    let Some(row) = rank.checked_sub(par.space.len()).filter(|row| *row > 0) else {
        return Some("there is no index of a row");
    };
    let Some((at, inner)) = par.body.results.get(..*rank).map(|index| index.split_at(row)) else {
        return Some("there is no index");
    };
    let bound = || par.body.stms.iter().flat_map(|stm| &stm.pat).map(|p| p.name);
    let is_inside = |x: &Operand| {
        x.name().is_some_and(|name| par.space.iter().any(|(var, _)| *var == name) || bound().any(|other| other == name))
    };
    if at.iter().any(is_inside) {
        return Some("the row depends on the iteration");
    }
    let goes_along = inner.iter().copied().eq(par.space.iter().map(|(var, _)| Operand::Var(*var)));
    (!goes_along).then_some("iterations do not go along the row")
}

fn cuts_refused(par: &Par, names: &[Name]) -> Option<&'static str> {
    let inner = par.plan.order(par.space.len()).last().map(|dim| par.space[*dim].0);
    let is_cut = |name: &Name| inner.is_some_and(|inner| Cut::of(&par.body, inner, *name).is_some());
    if par.plan.strips().is_some() || par.plan.squares().is_some() {
        Some("the loops are others")
    } else if names.is_empty() || !names.iter().all(is_cut) {
        Some("these are not comparisons with the index of the innermost loop")
    } else {
        order_refused(par)
    }
}

fn is_scalar_reduction(op: &ParOp) -> bool {
    op.kind != OpKind::Scan && op.shape.is_empty()
}

fn lanes_refused(par: &Par, pat: &[Param], lanes: Lanes) -> Option<&'static str> {
    let has_scan = par.scans().next().is_some();
    let ops: Vec<&ParOp> = if has_scan { par.scans().collect() } else { par.ops.iter().collect() };
    let commutes = |op: &&ParOp| op.kind == OpKind::Reduce { commutative: true } || op.lambda.is_built_in();
    let stores = par.forms.iter().all(|form| matches!(form, Form::Own));
    let elements = pat.iter().skip(par.reduced()).all(|param| param.ty.rank() == 1);
    let Lanes { wide, narrow, fewest } = lanes;
    if par.space.len() != 1 || ops.is_empty() && !matches!(par.level, Some(Level::Simd(_))) {
        Some("this is not a reduction over one dimension")
    } else if has_scan && par.plan.chunks().is_none() {
        Some("a scan reduces only chunks")
    } else if !ops.iter().all(|op| op.shape.is_empty()) {
        Some("an operator is not over scalars")
    } else if !ops.iter().all(commutes) {
        Some("an operator is not known to commute")
    } else if !is_repeatable(&par.body) || !(has_scan || stores && elements) {
        Some("an iteration does more than to compute scalars")
    } else {
        let fits = wide.is_power_of_two() && narrow.is_power_of_two() && narrow <= wide && narrow <= fewest;
        (!fits).then_some("these are not lanes that can be halved, and then few are left")
    }
}

fn stream_refused(par: &Par, pat: &[Param], stream: Stream) -> Option<&'static str> {
    let is_map = par.space.len() == 1 && par.ops.is_empty() && matches!(par.forms[..], [Form::Own]);
    if !is_map || !pat.iter().all(|param| param.ty.rank() == 1) {
        Some("this is not a map that makes scalars")
    } else if !is_repeatable(&par.body) {
        Some("an iteration does more than to compute scalars")
    } else {
        let fits = stream.bytes.is_power_of_two() && stream.bytes >= 64 && stream.fewest > 0;
        (!fits).then_some("these are no whole lines")
    }
}

/// The names that depend on another, by way of these statements.
fn depending_on(name: Name, stms: &[Stm]) -> FxHashSet<Name> {
    let mut depending = FxHashSet::from_iter([name]);
    for stm in stms {
        if free_in_stm(stm).iter().any(|name| depending.contains(name)) {
            depending.extend(stm.pat.iter().map(|p| p.name));
        }
    }
    depending
}
