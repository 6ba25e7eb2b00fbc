//! Sets `cuts`: a loop whose iterations compare their index with something runs in parts that need not.
//!
//! ```text
//! let b_1 = par (i_2 < n_3) own {              let b_1 = par (i_2 < n_3) plan [cuts (lt_4)] own {
//!   let lt_4: bool = lt i_2 k_5                   let lt_4: bool = lt i_2 k_5
//!   let j_6: i64 = if lt_4 then …             →   let j_6: i64 = if lt_4 then …
//! ```
//!
//! The edges of a stencil, and where a `rotate` begins anew, are far apart; between them a comparison has the same
//! answer for all indices, neighbours are read from neighbours, and the loop runs in vectors. This is for maps that
//! compute scalars from scalars and elements, in which a branch depends on such a comparison. Cost: linear in the
//! program.

use crate::walk::{At, each_par};
use kenaz_ir::plan::{Cut, Piece};
use kenaz_ir::{Exp, Form, Name, Operand, Par, Pass, PassCx, Prog, Stm, Type, effects};
use rustc_hash::FxHashSet;

pub const PASS: Pass =
    Pass { name: "cuts", about: "cuts loops where comparisons with the index change", stage: None, run: cuts };

/// The names of its rules.
pub const RULES: &[&str] = &["cuts"];

/// The most comparisons, and the most indices at which they change.
const MOST: usize = 4;

/// The most statements of a body, nested ones included, which is written twice.
const MOST_STATEMENTS: usize = 100;

/// A loop of fewer iterations is not worth it.
const FEWEST: i64 = 32;

fn cuts(prog: &mut Prog, cx: &mut PassCx) {
    let is_candidate = |par: &Par| par.ops.is_empty() && par.forms.iter().all(|form| matches!(form, Form::Own));
    each_par(prog, cx, &is_candidate, |at, _, par| {
        let names = found(at, par);
        if !names.is_empty() {
            at.set(par, "cuts", Piece::Cuts(names), "its index is compared with what does not change");
        }
    });
}

fn found(at: &At, par: &Par) -> Vec<Name> {
    let plan = &par.plan;
    let Some(dim) = plan.order(par.space.len()).pop() else { return Vec::new() };
    let is_plain = par.any_order() && par.forms.iter().all(|form| matches!(form, Form::Own)) && par.post.is_none();
    let others = plan.tile().is_some() || plan.strips().is_some() || plan.squares().is_some();
    let is_short = at.extent(par, dim).is_some_and(|n| n < FEWEST);
    if !is_plain || others || plan.split(dim).is_some() || is_short || !is_small(par) {
        return Vec::new();
    }
    let (index, _) = par.space[dim];
    let decisive = decisive(par);
    let (mut names, mut points) = (Vec::new(), 0);
    for stm in &par.body.stms {
        let ([param], Exp::Cmp(..)) = (&stm.pat[..], &stm.exp) else { continue };
        if !decisive.contains(&param.name) {
            continue;
        }
        let Some(cut) = Cut::of(&par.body, index, param.name) else { continue };
        points += cut.points();
        if names.len() == MOST || points > MOST {
            break;
        }
        names.push(param.name);
    }
    names
}

/// Whether the body computes scalars and does not much else.
fn is_small(par: &Par) -> bool {
    let is_scalar = |stm: &Stm| {
        stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_) | Type::Cert))
            && (effects::is_arithmetic(&stm.exp)
                || matches!(stm.exp, Exp::Operand(_) | Exp::Index(..) | Exp::If(..) | Exp::Match(..)))
    };
    let mut count = 0;
    let has_others = effects::any(&par.body, |stm| {
        count += 1;
        !is_scalar(stm)
    });
    !has_others && count <= MOST_STATEMENTS
}

/// The comparisons on which a branch depends, at once or by way of `and`, `or` and `not`.
fn decisive(par: &Par) -> FxHashSet<Name> {
    let mut wanted: FxHashSet<Name> = FxHashSet::default();
    effects::any(&par.body, |stm| {
        if let Exp::If(Operand::Var(cond), ..) = stm.exp {
            wanted.insert(cond);
        }
        false
    });
    for stm in par.body.stms.iter().rev() {
        if !stm.pat.iter().any(|p| wanted.contains(&p.name)) {
            continue;
        }
        match &stm.exp {
            Exp::Bin(_, x, y) => wanted.extend([x, y].into_iter().filter_map(|x| x.name())),
            Exp::Un(_, x) => wanted.extend(x.name()),
            _ => {}
        }
    }
    wanted
}
