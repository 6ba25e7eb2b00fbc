//! The parts of a `par` that `tile` and `strips` are about, for those who plan, check and write them.

use crate::effects;
use crate::exp::Exp;
use crate::name::Name;
use crate::par::{Form, OpKind, Par, ParOp};
use crate::prog::{Body, Operand, Param, Stm};
use crate::visit::free_in_stm;
use kenaz_base::Prim;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Two maps around a reduction of scalars, for a processor: one `par` of two dimensions, or one inside another.
pub struct TileNest<'p> {
    /// The names of the indices and what they are below.
    pub row: (Name, Operand),
    pub column: (Name, Operand),
    pub along: (Name, Operand),
    /// The statements before the inner map, and the inner map, if there are two maps.
    pub outer: &'p [Stm],
    pub inner: Option<&'p Stm>,
    /// The statements before the reduction.
    pub before: &'p [Stm],
    pub reduce: &'p Par,
    pub op: &'p ParOp,
    pub neutral: Operand,
    pub sum: &'p Param,
    /// The statements after the reduction, which use the sum.
    pub after: &'p [Stm],
    pub results: &'p [Operand],
}

impl<'p> TileNest<'p> {
    pub fn of(par: &'p Par) -> Option<TileNest<'p>> {
        let is_map = |par: &Par| matches!(par.forms[..], [Form::Own]) && par.ops.is_empty();
        let (row, column, outer, inner, body) = match (&par.space[..], &par.body.stms[..]) {
            ([row, column], _) => (*row, *column, &[][..], None, &par.body),
            ([row], [outer @ .., last]) => {
                let Exp::Par(inner) = &last.exp else { return None };
                let ([column], true) = (&inner.space[..], is_map(inner)) else { return None };
                if par.body.results != [Operand::Var(last.pat.first()?.name)] {
                    return None;
                }
                (*row, *column, outer, Some(last), &inner.body)
            }
            _ => return None,
        };
        let at = body.stms.iter().position(|stm| matches!(stm.exp, Exp::Par(_)))?;
        let (before, rest) = body.stms.split_at(at);
        let (reduce_stm, after) = rest.split_first()?;
        let (Exp::Par(reduce), [sum]) = (&reduce_stm.exp, &reduce_stm.pat[..]) else { return None };
        let ([op], [along], []) = (&reduce.ops[..], &reduce.space[..], &reduce.forms[..]) else { return None };
        let (OpKind::Reduce { .. }, [neutral]) = (op.kind, &op.neutral[..]) else { return None };
        if !is_map(par) || sum.ty.is_array() || !op.shape.is_empty() {
            return None;
        }
        let (along, neutral, results) = (*along, *neutral, &body.results[..]);
        Some(TileNest { row, column, along, outer, inner, before, reduce, op, neutral, sum, after, results })
    }

    /// All that an operand of the reduction depends on, with `first` in front.
    pub fn operand(&self, first: &[Stm]) -> Body {
        let stms = [first, self.outer, self.before, &self.reduce.body.stms].concat();
        let results = self.reduce.body.results.clone();
        Body { stms: needed(stms, &results), results }
    }

    /// The body without the reduction: `first`, then the statements before the reduction, then those after it.
    pub fn finish(&self, first: &[Stm]) -> Body {
        let stms = [first, self.outer, self.before, self.after].concat();
        Body { stms, results: self.results.to_vec() }
    }
}

/// One or two maps around a reduction of scalars, of which blocks of lanes do a tile each.
pub struct BlockNest<'p> {
    /// The names of indices and what they are below: of maps around the tiles, and of the tiles.
    pub around: &'p [(Name, Operand)],
    pub row: (Name, Operand),
    pub column: Option<(Name, Operand)>,
    pub along: (Name, Operand),
    /// The statements before the reduction.
    pub before: &'p [Stm],
    pub reduce: &'p Par,
    pub sums: &'p [Param],
    /// The statements after the reduction.
    pub after: &'p [Stm],
    pub results: &'p [Operand],
}

impl<'p> BlockNest<'p> {
    /// With tiles of rows and columns, or of rows only.
    pub fn of(par: &'p Par, has_columns: bool) -> Option<BlockNest<'p>> {
        let is_map = par.ops.is_empty() && !par.forms.is_empty() && par.forms.iter().all(|it| matches!(it, Form::Own));
        let (around, row, column) = match &par.space[..] {
            [around @ .., row, column] if has_columns => (around, *row, Some(*column)),
            [around @ .., row] if !has_columns => (around, *row, None),
            _ => return None,
        };
        let at = par.body.stms.iter().position(|stm| matches!(stm.exp, Exp::Par(_)))?;
        let (before, rest) = par.body.stms.split_at(at);
        let (reduce_stm, after) = rest.split_first()?;
        let (Exp::Par(reduce), sums) = (&reduce_stm.exp, &reduce_stm.pat[..]) else { return None };
        let ([along], []) = (&reduce.space[..], &reduce.forms[..]) else { return None };
        let is_scalar = |op: &ParOp| matches!(op.kind, OpKind::Reduce { .. }) && op.shape.is_empty();
        if !is_map || !reduce.ops.iter().all(is_scalar) || sums.iter().any(|sum| sum.ty.is_array()) {
            return None;
        }
        let (along, results) = (*along, &par.body.results[..]);
        Some(BlockNest { around, row, column, along, before, reduce, sums, after, results })
    }

    /// All that the operands of the reduction depend on.
    pub fn operand(&self) -> Body {
        let stms = [self.before, &self.reduce.body.stms].concat();
        let results = self.reduce.body.results.clone();
        Body { stms: needed(stms, &results), results }
    }

    /// The body without the reduction.
    pub fn finish(&self) -> Body {
        Body { stms: [self.before, self.after].concat(), results: self.results.to_vec() }
    }

    /// The loads of all operands, each with whether it depends on the row, on the column, and on where it is along the
    /// reduction.
    pub fn loads(&self, operand: &Body) -> Vec<(usize, [bool; 3])> {
        let mut known: FxHashMap<Name, [bool; 3]> = FxHashMap::default();
        known.insert(self.row.0, [true, false, false]);
        known.extend(self.column.map(|(column, _)| (column, [false, true, false])));
        known.insert(self.along.0, [false, false, true]);
        let mut loads = Vec::new();
        for (at, stm) in operand.stms.iter().enumerate() {
            let mut all = [false; 3];
            for name in free_in_stm(stm) {
                let of = known.get(&name).copied().unwrap_or_default();
                all.iter_mut().zip(of).for_each(|(all, of)| *all |= of);
            }
            if matches!((&stm.exp, &stm.pat[..]), (Exp::Index(..), [param]) if !param.ty.is_array()) {
                loads.push((at, all));
            }
            known.extend(stm.pat.iter().map(|param| (param.name, all)));
        }
        loads
    }
}

/// Whether a statement may be evaluated any number of times, and in the place of any iteration: one of scalars, a view,
/// or a branch of such statements that yields scalars.
pub fn is_simple(stm: &Stm) -> bool {
    match &stm.exp {
        exp @ (Exp::If(..) | Exp::Match(..)) => {
            stm.pat.iter().all(|param| !param.ty.is_array()) && !effects::any_inside(exp, |stm| !is_simple(stm))
        }
        exp => effects::is_arithmetic(exp) || exp.is_view(),
    }
}

/// The statements that some operands depend on.
pub fn needed(stms: Vec<Stm>, results: &[Operand]) -> Vec<Stm> {
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

/// The beginning of a body: reductions, and scalars and views between them.
pub struct StripNest<'p> {
    /// How many statements these are; the last one is a reduction.
    pub stms: usize,
    /// The scalars and views.
    pub simple: Vec<&'p Stm>,
    pub reductions: Vec<StripReduction<'p>>,
}

pub struct StripReduction<'p> {
    pub par: &'p Par,
    pub sums: &'p [Param],
    /// How many scalars and views stand in front of it.
    pub before: usize,
}

impl<'p> StripNest<'p> {
    /// The longest beginning of a body whose inner `par`s are reductions.
    pub fn of(
        stms: impl Iterator<Item = &'p Stm>,
        mut is_reduction: impl FnMut(&Par) -> bool,
    ) -> Option<StripNest<'p>> {
        let mut nest = StripNest { stms: 0, simple: Vec::new(), reductions: Vec::new() };
        for (stm, count) in stms.zip(1..) {
            match &stm.exp {
                Exp::Par(par) if is_reduction(par) => {
                    nest.reductions.push(StripReduction { par, sums: &stm.pat, before: nest.simple.len() });
                    nest.stms = count;
                }
                exp if effects::is_arithmetic(exp) || exp.is_view() => nest.simple.push(stm),
                _ => break,
            }
        }
        nest.simple.truncate(nest.reductions.last()?.before);
        Some(nest)
    }

    /// The scalars that a reduction needs, itself or for others that are computed again, and that are kept.
    pub fn kept_for(&self, reduce: &Par, is_kept: impl Fn(Name) -> bool) -> Vec<(Name, Prim)> {
        let mut needed: BTreeSet<Name> = reduce.body.results.iter().filter_map(|x| x.name()).collect();
        reduce.body.stms.iter().for_each(|stm| needed.extend(free_in_stm(stm)));
        let mut kept = Vec::new();
        for stm in self.simple.iter().rev() {
            let Some(param) = stm.pat.iter().find(|param| needed.contains(&param.name)) else { continue };
            match param.ty.prim() {
                Some(prim) if !param.ty.is_array() && is_kept(param.name) => kept.push((param.name, prim)),
                _ => needed.extend(free_in_stm(stm)),
            }
        }
        kept.reverse();
        kept
    }
}
