//! Branches in the innermost loops of maps, written as choices of values.
//!
//! ```text
//! for i < n independent {             for i < n independent {
//!   declare r: u8                       declare r: u8
//!   if c { let x = …; r = x }     →     let x = …
//!   else { r = 2 }                      r = select c x 2
//!   store m[i] = r                      store m[i] = r
//! }                                   }
//! ```
//!
//! C compilers do this themselves to branches in loops that could run in vectors, but not to all: GCC takes comparisons
//! of one number with several constants for a `switch`, of which it makes jumps, and gives up where one value is chosen
//! from more than four. It is done only where no jump is left, and where both sides cost so little that vectors pay for
//! them.

use super::control::is_cheap;
use crate::visit::for_each_stm;
use crate::{Exp, Stm, Ty};
use kenaz_ir::Name;
use rustc_hash::FxHashSet;

/// The most values that all branches of a body compute.
const MOST_VALUES: usize = 32;

/// Makes choices of all branches in the body of a loop whose iterations are independent, if no other jump is in it.
pub(super) fn straighten(body: &mut Vec<Stm>) {
    let mut values = 0;
    let is_straight = |stm: &Stm| match stm {
        Stm::If { .. } => is_choice(stm, &mut values),
        stm => is_plain(stm),
    };
    if body.iter().all(is_straight) && values > 0 && values <= MOST_VALUES {
        let stms = std::mem::take(body);
        stms.into_iter().for_each(|stm| chosen(stm, body));
    }
    if body.iter().all(is_plain) {
        apart(body);
    }
}

fn is_plain(stm: &Stm) -> bool {
    matches!(stm, Stm::Let { .. } | Stm::Declare { .. } | Stm::Set { .. } | Stm::Store { .. })
}

/// A value that is chosen from chosen ones is chosen in steps: those are variables, which are not written out in the
/// expression.
fn apart(body: &mut Vec<Stm>) {
    let mut of_choices: FxHashSet<Name> = FxHashSet::default();
    for stm in &*body {
        if let Stm::Let { value, .. } | Stm::Set { value, .. } = stm
            && let Exp::Select(_, _, yes, no) = value
        {
            of_choices.extend([yes, no].into_iter().filter_map(|x| match &**x {
                Exp::Var(name, _) => Some(*name),
                _ => None,
            }));
        }
    }
    if of_choices.is_empty() {
        return;
    }
    for stm in std::mem::take(body) {
        match stm {
            Stm::Let { name, prim, value: value @ Exp::Select(..) } if of_choices.contains(&name) => {
                body.push(Stm::Declare { name, ty: Ty::Scalar(prim) });
                body.push(Stm::Set { name, value });
            }
            stm => body.push(stm),
        }
    }
}

/// Whether a branch assigns the same variables on both sides, and does nothing else that shows or costs much.
fn is_choice(stm: &Stm, values: &mut usize) -> bool {
    let Stm::If { yes, no, .. } = stm else { return false };
    let mut is_simple = |stm: &Stm| match stm {
        Stm::Let { value, .. } | Stm::Set { value, .. } => {
            *values += 1;
            is_cheap(value)
        }
        Stm::Declare { ty: Ty::Scalar(_), .. } => true,
        Stm::If { cond, .. } => is_cheap(cond) && is_choice(stm, values),
        _ => false,
    };
    if !yes.iter().chain(no).all(&mut is_simple) || *values > MOST_VALUES {
        return false;
    }
    let [mut one, mut other] = [assigned(yes), assigned(no)];
    let mut is_read = false;
    let mut reads = |stm: &Stm| {
        stm.for_each_exp(|x| x.walk(&mut |x| is_read |= matches!(x, Exp::Var(name, _) if one.contains(name))));
    };
    for_each_stm(yes, &mut reads);
    for_each_stm(no, &mut reads);
    one.sort_unstable();
    other.sort_unstable();
    !is_read && one == other && one.windows(2).all(|two| two[0] != two[1])
}

/// The variables from outside that are assigned, each as often as it is.
fn assigned(stms: &[Stm]) -> Vec<Name> {
    let mut names = Vec::new();
    for stm in stms {
        match stm {
            Stm::Set { name, .. } => names.push(*name),
            Stm::If { yes, .. } => names.extend(assigned(yes)),
            _ => {}
        }
    }
    names.retain(|name| !stms.iter().any(|stm| matches!(stm, Stm::Declare { name: inside, .. } if inside == name)));
    names
}

/// The statement, or both sides of a branch and then what is chosen of them.
fn chosen(stm: Stm, out: &mut Vec<Stm>) {
    let Stm::If { cond, yes, no } = stm else {
        out.push(stm);
        return;
    };
    let outer = assigned(&yes);
    let mut sides = [Vec::new(), Vec::new()];
    for (side, stms) in sides.iter_mut().zip([yes, no]) {
        let mut all = Vec::new();
        stms.into_iter().for_each(|stm| chosen(stm, &mut all));
        for stm in all {
            match stm {
                Stm::Set { name, value } if outer.contains(&name) => side.push((name, value)),
                stm => out.push(stm),
            }
        }
    }
    let [yes, no] = sides;
    for (name, value) in yes {
        let Some((_, other)) = no.iter().find(|(it, _)| *it == name) else { continue };
        let value = if value == *other { value } else { Exp::select(cond.clone(), value, other.clone()) };
        out.push(Stm::Set { name, value });
    }
}
