//! Sets `guard`: a row that iterations combine their values with is looked for once.
//!
//! ```text
//! let d_1 = par (j_2 < m_3) acc (e_4) rank 2 (0) \… {     let d_1 = par (j_2 < m_3) plan [guard] acc (e_4) rank 2 (0) \… {
//!   … in i_5, j_2, x_6                                →    … in i_5, j_2, x_6
//! }                                                      }
//! ```
//!
//! Without it every iteration asks whether its element is in the destination; that is the same for all of them when
//! each has its own element of one row. Iterations are then independent of each other, too. Cost: linear in the
//! program.

use crate::walk::{At, each_par};
use kenaz_ir::plan::Piece;
use kenaz_ir::{Form, Name, Operand, Par, Param, Pass, PassCx, Poly, Prog};

pub const PASS: Pass =
    Pass { name: "guard", about: "looks once for a row that all iterations write to", stage: None, run: guard };

/// The names of its rules.
pub const RULES: &[&str] = &["guard"];

fn guard(prog: &mut Prog, cx: &mut PassCx) {
    let is_candidate = |par: &Par| matches!(par.forms[..], [Form::Acc { .. }]);
    each_par(prog, cx, &is_candidate, |at, pat, par| {
        if par.plan.strips().is_none() && has_one_row(at, pat, par) {
            at.set(par, "guard", Piece::Guard, "all iterations combine values with the same row");
        }
    });
}

/// Whether values are combined with all of one row, one element in each iteration.
fn has_one_row(at: &At, pat: &[Param], par: &Par) -> bool {
    let (Some(result), [Form::Acc { rank, .. }], true) = (pat.first(), &par.forms[..], par.ops.is_empty()) else {
        return false;
    };
    let Some(row) = rank.checked_sub(par.space.len()).filter(|row| *row > 0) else { return false };
    let Some(array) = at.scope.array(result.name) else { return false };
    let (index, inner) = par.body.results[..*rank].split_at(row);
    let goes_along = |(i, ((var, n), size)): (&Operand, (&(Name, Operand), &Poly))| {
        *i == Operand::Var(*var) && at.scope.size(*n).is_some_and(|n| at.scope.equal(&n, size))
    };
    index.iter().all(|x| at.scope.is_bound(*x))
        && inner.iter().zip(par.space.iter().zip(&array.sizes[row..])).all(goes_along)
}
