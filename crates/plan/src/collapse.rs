//! A map whose iterations are maps becomes one map.
//!
//! ```text
//! let b_1 @ m_2 -> … = par (i_3 < n_4) own {
//!   let r_5 @ … = index a_6[i_3]                             let b_1 @ m_2 -> … = par (i_3 < n_4, j_8 < k_9) own {
//!   let c_7 @ m_2 -> … = par (j_8 < k_9) own {                 let r_5 @ … = index a_6[i_3]
//!     let x_10: f32 = index r_5[j_8]                      →    let x_10: f32 = index r_5[j_8]
//!     in x_10                                                  in x_10
//!   }                                                        }
//!   in c_7
//! }
//! ```
//!
//! On a device always, so that there is a thread for each iteration of the nest. Otherwise only
//! where the loops should then stand in another order or go over squares, which [`crate::order`] sees to: as they
//! were, what is computed between the loops need not be computed again. The rows must be made where they should be, and
//! nothing but views may stand beside the inner `par`. A `par` that runs in chunks stays, so that what is inside can
//! be written in whole lines, or run in chunks itself. From the outside in, so that a nest of any depth becomes one.

use crate::order::{best_order, squares};
use crate::walk::{At, each_par};
use kenaz_ir::effects;
use kenaz_ir::plan::{Chunks, Piece, has_par};
use kenaz_ir::scope::linear;
use kenaz_ir::{Body, DecisionKind, Exp, Level, MemExp, Name, Operand, Par, Param, Pass, PassCx, Poly, Prog, Stm};

pub const PASS: Pass = Pass {
    name: "collapse",
    about: "makes one map of a map of maps whose loops should change places",
    stage: None,
    run: collapse,
};

/// The names of its rules.
pub const RULES: &[&str] = &["collapse"];

fn collapse(prog: &mut Prog, cx: &mut PassCx) {
    let is_candidate = |par: &Par| matches!(par.body.stms.last(), Some(Stm { exp: Exp::Par(_), .. }));
    each_par(prog, cx, &is_candidate, |at, pat, par| {
        // A pinned operator stays one of its own.
        if at.attrs.is_pin() || par.body.stms.iter().any(|stm| stm.attrs.is_pin()) {
            return;
        }
        let on_device = is_on_device(at, par);
        let flat = if on_device { whole(at, pat, par) } else { collapsed(at, pat, par) };
        let Some(flat) = flat else { return };
        if at.is_part(par) {
            at.log.decide(DecisionKind::NestStays, at.loc, "it runs in chunks, each of which is a nest of its own");
        } else if at.log.fire("collapse") {
            let reason = match on_device {
                true => "there is a thread for each iteration of the whole nest",
                false => "its loops should change places or go over squares",
            };
            at.log.decide(DecisionKind::Collapsed, at.loc, reason);
            *par = flat;
        }
    });
}

/// Whether the iterations of a `par` are dealt out to the threads of a device.
fn is_on_device(at: &At, par: &Par) -> bool {
    par.level == Some(Level::Grid) && at.target.runs(Level::Grid)
}

/// The nest as one `par`.
fn whole(at: &At, pat: &[Param], par: &Par) -> Option<Par> {
    let mut flat = with_inner(at, pat, par)?;
    while let Some(more) = with_inner(at, pat, &flat) {
        flat = more;
    }
    Some(flat)
}

/// The same, if its loops should then stand in another order or go over squares.
fn collapsed(at: &At, pat: &[Param], par: &Par) -> Option<Par> {
    let flat = whole(at, pat, par)?;
    let order = best_order(at.scope, pat, &flat);
    (!order.is_sorted() || squares(at, pat, &flat, &order).is_some()).then_some(flat)
}

fn with_inner(at: &At, pat: &[Param], par: &Par) -> Option<Par> {
    let (last, views) = par.body.stms.split_last()?;
    let Exp::Par(inner) = &last.exp else { return None };
    let fits = par.any_order()
        && inner.any_order()
        && (at.in_chunk || inner.plan.chunks().is_none())
        && (inner.level == par.level || !inner.body.stms.iter().any(is_slot))
        && inner.space.iter().all(|(_, n)| at.scope.is_bound(*n))
        && views.iter().all(|stm| may_be_repeated(at, par, stm))
        && par.body.results.iter().copied().eq(last.pat.iter().map(|param| Operand::Var(param.name)));
    if !fits {
        return None;
    }
    // The rows are made where they should be.
    let names = |space: &[(Name, Operand)]| space.iter().map(|(var, _)| Poly::name(*var)).collect::<Vec<Poly>>();
    let space = [&par.space[..], &inner.space[..]].concat();
    for (whole, row) in pat.iter().zip(&last.pat) {
        let whole = at.scope.array(whole.name)?;
        let row = at.scope.place(row.place.as_ref()?);
        let there = whole.linear(&names(&space))?;
        let is_there = at.scope.equal(&linear(&row.layout, &names(&inner.space))?, &there);
        if row.block != whole.place.block || !is_there {
            return None;
        }
    }
    let stms = views.iter().chain(&inner.body.stms).cloned().collect();
    let body = Body { stms, results: inner.body.results.clone() };
    let mut flat = Par { space, body, forms: inner.forms.clone(), ..par.clone() };
    if let Some(chunks) = par.plan.chunks() {
        let inside = has_par(&flat.body, &|inner| inner.plan.chunks().is_some());
        flat.plan.set(Piece::Chunks(Chunks { inside, ..chunks.clone() }));
    }
    Some(flat)
}

/// Whether a statement beside the inner `par` may stand in it: a view, and where each iteration has a thread of its own
/// also what is computed in a few instructions.
fn may_be_repeated(at: &At, par: &Par, stm: &Stm) -> bool {
    let is_view = stm.exp.is_view() && stm.pat.iter().all(|param| param.place.is_some());
    is_view || is_on_device(at, par) && effects::is_cheap_scalar(stm)
}

/// Whether a statement takes the part of a worker, which stands in an iteration at its level.
fn is_slot(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Mem(MemExp::Slot(_)))
}
