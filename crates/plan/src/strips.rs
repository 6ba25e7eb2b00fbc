//! Sets `strips`: reductions inside a `par` run for a strip of iterations at once, when another index than theirs goes
//! along neighbours.
//!
//! ```text
//! let c_1 = par (j_2 < m_3) own {              let c_1 = par (j_2 < m_3)
//!                                                plan [strips 0 by 1024 over 1 keep () at_once (4)] own {
//!   let s_4: f64 = par (k_5 < n_6)        →      let s_4: f64 = par (k_5 < n_6)
//!     reduce … { … index a_7[k_5, j_2] … }         reduce … { … index a_7[k_5, j_2] … }
//!   …                                            …
//! }                                            }
//! ```
//!
//! The loop over `k` is then around the loop over the strip. What comes before a reduction, between two of them and
//! after the last is done in loops of its own; scalars that go from one such loop to another are kept in the strip, and
//! those that are cheap are computed again. The operands of each reduction come in the same order as before, and so do
//! the results of the iterations, so that no operator need commute. Matrix products, sums of columns and products with
//! a transposed matrix are like this. Cost: linear in the program.

use crate::access::{far, loads};
use crate::walk::{At, each_par, is_said};
use kenaz_base::{Attr, Code, Prim};
use kenaz_ir::plan::{Piece, StripNest, Strips};
use kenaz_ir::visit::free_in_lambda;
use kenaz_ir::{BinOp, DecisionKind, Exp, Name, OpKind, Operand, Par, ParOp, Pass, PassCx, Poly, Prog, Stm, Type};
use std::collections::BTreeSet;

pub const PASS: Pass = Pass {
    name: "strips",
    about: "runs reductions inside a `par` for many iterations at once",
    stage: None,
    run: strips,
};

/// The names of its rules.
pub const RULES: &[&str] = &["strips"];

/// How many bytes a strip should have at most, so that it stays near with what the reductions read, and how many
/// elements at least, so that it is worth it.
const STRIP_BYTES: u64 = 8192;
const SHORTEST: u64 = 64;
/// Fewer iterations than this, if that is known, are not worth a strip.
const FEWEST: i64 = 8;

/// How many operands of a reduction are combined at once with what is in the strip, so that it is loaded and stored
/// less often, and the longest body that is written so often.
const AT_ONCE: u64 = 4;
const MOST_JAMMED: usize = 16;

fn strips(prog: &mut Prog, cx: &mut PassCx) {
    let is_candidate = |par: &Par| par.body.stms.iter().any(|stm| matches!(stm.exp, Exp::Par(_)));
    let is_strip = |attr: Attr| matches!(attr, Attr::Strip(_));
    let is_said = is_said(prog, is_strip);
    each_par(prog, cx, &|par| is_said || is_candidate(par), |at, _, par| {
        let wanted = at.attrs.find(is_strip);
        let planned = planned(at, par, wanted);
        if let (Some(attr), None) = (wanted, &planned) {
            at.refuse(Code::NothingToCut, attr, "no reductions of scalars stand first in a map");
        }
        if let Some(strips) = planned {
            let reason = format!("operands are neighbours along `{}`", par.space[strips.dim].0.base);
            at.set(par, "strips", Piece::Strips(strips), reason);
        }
    });
}

fn planned(at: &mut At, par: &Par, wanted: Option<Attr>) -> Option<Strips> {
    let nest = StripNest::of(par.body.stms.iter(), |par| is_reduction(at, par))?;
    let asked = wanted.and_then(|attr| if let Attr::Strip(n) = attr.wanted() { Some(n) } else { None });
    let last = par.space.len().checked_sub(1);
    let dim = strip_dim(at, par, &nest).or(last.filter(|_| asked.is_some()))?;
    let (inner, _) = par.space[dim];
    if asked.is_none() && at.extent(par, dim).is_some_and(|n| n < FEWEST) {
        let reason = format!("there are fewer than {FEWEST} iterations side by side");
        at.log.decide(DecisionKind::NotInStrips, at.loc, reason);
        return None;
    }
    let cheap: BTreeSet<Name> = nest
        .simple
        .iter()
        .filter(|stm| is_cheap(at, stm, par, inner))
        .flat_map(|stm| &stm.pat)
        .map(|p| p.name)
        .collect();
    let mut kept: Vec<(Name, Prim)> = Vec::new();
    for reduction in &nest.reductions {
        for scalar in nest.kept_for(reduction.par, |name| !cheap.contains(&name)) {
            if !kept.contains(&scalar) {
                kept.push(scalar);
            }
        }
    }
    let sums = nest.reductions.iter().flat_map(|r| r.sums).filter_map(|sum| sum.ty.prim());
    let bytes: u64 = sums.chain(kept.iter().map(|(_, prim)| *prim)).map(|prim| prim.bytes() as u64).sum();
    let most = STRIP_BYTES / bytes.max(1);
    // A power of two.
    let len = asked.map_or((1 << most.max(SHORTEST).ilog2()).max(SHORTEST), u64::from);
    let at_once = |par: &Par| if par.body.stms.len() > MOST_JAMMED { 1 } else { AT_ONCE };
    Some(Strips {
        dim,
        len,
        stms: nest.stms,
        kept: kept.into_iter().map(|(name, _)| name).collect(),
        at_once: nest.reductions.iter().map(|reduction| at_once(reduction.par)).collect(),
    })
}

/// Whether a `par` reduces scalars, and nothing of how it does depends on the iteration that it is in.
fn is_reduction(at: &At, par: &Par) -> bool {
    let is_scalar = |op: &ParOp| {
        matches!(op.kind, OpKind::Reduce { .. })
            && op.shape.is_empty()
            && op.lambda.params.iter().all(|param| matches!(param.ty, Type::Prim(_)))
            && op.neutral.iter().all(|x| at.scope.is_bound(*x))
            && free_in_lambda(&op.lambda).into_iter().all(|name| at.scope.is_bound(Operand::Var(name)))
    };
    !par.ops.is_empty()
        && par.forms.is_empty()
        && par.post.is_none()
        && par.ops.iter().all(is_scalar)
        && par.space.iter().all(|(_, n)| at.scope.is_bound(*n))
}

/// The dimension along which strips are better than the innermost loops of the reductions.
fn strip_dim(at: &At, par: &Par, nest: &StripNest) -> Option<usize> {
    let mut all_loads: Vec<(Name, Vec<Poly>)> = Vec::new();
    for reduction in &nest.reductions {
        let simple = || nest.simple[..reduction.before].iter().copied();
        let others = loads(at.scope, simple())?.len();
        let all = loads(at.scope, simple().chain(&reduction.par.body.stms))?;
        all_loads.push((reduction.par.space.last()?.0, all[others..].to_vec()));
    }
    let now: usize = all_loads.iter().map(|(along, loads)| far(loads, *along)).sum();
    let then = |dim: usize| -> usize { all_loads.iter().map(|(_, loads)| far(loads, par.space[dim].0)).sum() };
    let last = par.space.len().checked_sub(1)?;
    let first = if par.any_order() { 0 } else { last };
    let best = (first..=last).rev().min_by_key(|dim| then(*dim))?;
    (then(best) < now).then_some(best)
}

/// Whether a statement before a reduction may as well be done again: a view, the sum or product of indices, or a load
/// that is as good as one of what was kept.
fn is_cheap(at: &At, stm: &Stm, par: &Par, inner: Name) -> bool {
    let is_index = |x: &Operand| at.scope.is_bound(*x) || par.space.iter().any(|(var, _)| *x == Operand::Var(*var));
    match (&stm.exp, &stm.pat[..]) {
        (exp, [param]) if param.place.is_some() && exp.is_view() => true,
        (Exp::Operand(_), _) => true,
        (Exp::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..), [param]) => param.ty == Type::I64,
        (Exp::Index(array, index), _) if index.iter().all(is_index) => {
            let index: Vec<Poly> = index.iter().filter_map(|x| Poly::operand(*x)).collect();
            let access = at.scope.array(*array).and_then(|array| array.linear(&index));
            access.is_some_and(|access| far(&[access], inner) == 0)
        }
        _ => false,
    }
}
