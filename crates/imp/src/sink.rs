//! Loads go into the branches that need them.
//!
//! ```text
//! let x_1: f32 = a_2.f32[i_3]             if c_5 {
//! let y_4: f32 = b_6.f32[i_3]        →      let x_1: f32 = a_2.f32[i_3]
//! if c_5 { … x_1 … y_4 … }                  let y_4: f32 = b_6.f32[i_3]
//! else { … x_1 … }                          … x_1 … y_4 …
//!                                         } else {
//!                                           let x_7: f32 = a_2.f32[i_3]
//!                                           … x_7 …
//!                                         }
//! ```
//!
//! An element of an array of records is a load for each field, in front of all that is done with it. Where most
//! iterations take a branch that needs few of them, the others are loaded in vain, and take registers from those that
//! are needed. C compilers move a load into one branch, but do not make two of one that several branches need.
//!
//! Only into branches that C compilers would not make vectors of: other loads stay, since a load under a condition is
//! slow there. A load does not move past anything that could change what it reads. Not for devices, which hide the time
//! of a load behind what is computed until it is needed.
//!
//! Cost: linear in the program, for each level of branches.

use crate::inline::Effect;
use crate::visit::for_each_stm;
use crate::{Exp, Fun, Stm};
use kenaz_base::with_stack;
use kenaz_ir::{Fresh, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// Branches that compute fewer values than this may become vectors.
const LONG: usize = 32;

pub(crate) fn loads_into_branches(fun: &mut Fun, fresh: &mut Fresh) {
    in_block(&mut fun.body, fresh);
}

fn in_block(stms: &mut Vec<Stm>, fresh: &mut Fresh) {
    with_stack(|| {
        let is_load = |stm: &Stm| matches!(stm, Stm::Let { value: Exp::Load { .. }, .. });
        if stms.iter().any(is_load) && stms.iter().any(is_long_branch) {
            sink(stms, fresh);
        }
        for stm in stms {
            stm.for_each_body_mut(|body| in_block(body, fresh));
        }
    });
}

/// Moves loads of a block of statements into the branches among them, the last first: it may be the only one that needs
/// another.
fn sink(stms: &mut Vec<Stm>, fresh: &mut Fresh) {
    let mut users = users(stms);
    let mut at = stms.len();
    let mut moved = FxHashSet::default();
    while at > 0 {
        at -= 1;
        let Stm::Let { name, value: value @ Exp::Load { .. }, .. } = &stms[at] else { continue };
        let Some([branch]) = users.get(name).map(|users| &users[..]) else { continue };
        let branch = *branch;
        if !is_long_branch(&stms[branch])
            || uses_itself(&stms[branch], *name)
            || stms[at + 1..branch].iter().any(|stm| could_change(stm, value))
        {
            continue;
        }
        for operand in names_in(value) {
            let users = users.entry(operand).or_default();
            users.retain(|user| *user != at);
            if !users.contains(&branch) {
                users.push(branch);
            }
        }
        let (head, tail) = stms.split_at_mut(at + 1);
        into_sides(&head[at], &mut tail[branch - at - 1], fresh);
        moved.insert(at);
    }
    let mut position = 0..;
    stms.retain(|_| !position.next().is_some_and(|at| moved.contains(&at)));
}

/// For each name the statements that use it, themselves or inside.
fn users(stms: &[Stm]) -> FxHashMap<Name, Vec<usize>> {
    let mut users: FxHashMap<Name, Vec<usize>> = FxHashMap::default();
    for (at, stm) in stms.iter().enumerate() {
        for_each_stm(std::slice::from_ref(stm), &mut |stm| {
            stm.for_each_exp(|x| {
                x.walk(&mut |x| {
                    if let Exp::Var(name, _) = x {
                        let users = users.entry(*name).or_default();
                        if users.last() != Some(&at) {
                            users.push(at);
                        }
                    }
                });
            });
        });
    }
    users
}

fn names_in(x: &Exp) -> Vec<Name> {
    let mut names = Vec::new();
    x.walk(&mut |x| {
        if let Exp::Var(name, _) = x {
            names.push(*name);
        }
    });
    names
}

/// Whether a statement uses a name other than in the statements inside it.
fn uses_itself(stm: &Stm, name: Name) -> bool {
    let mut found = false;
    stm.for_each_exp(|x| found |= names_in(x).contains(&name));
    found
}

/// Whether it is a branch that C compilers make jumps of: it computes many values, or has loops or calls.
fn is_long_branch(stm: &Stm) -> bool {
    if !matches!(stm, Stm::If { .. } | Stm::Switch { .. }) {
        return false;
    }
    let (mut values, mut has_jumps) = (0, false);
    for_each_stm(std::slice::from_ref(stm), &mut |stm| match stm {
        Stm::Let { .. } | Stm::Set { .. } | Stm::Store { .. } => values += 1,
        Stm::For { .. } | Stm::While { .. } | Stm::Call { .. } => has_jumps = true,
        _ => {}
    });
    has_jumps || values >= LONG
}

/// Whether a value may not be the same after a statement.
fn could_change(stm: &Stm, value: &Exp) -> bool {
    let names = names_in(value);
    let mut could = false;
    for_each_stm(std::slice::from_ref(stm), &mut |stm| {
        could |= match stm {
            Stm::Set { name, .. } => names.contains(name),
            // What is inside them is looked at by itself.
            Stm::For { .. } | Stm::While { .. } | Stm::If { .. } | Stm::Switch { .. } => false,
            stm => Effect::of(stm).stores,
        };
    });
    could
}

/// Puts a load in front of each side of a branch that needs it; all but the first have a copy with another name.
fn into_sides(load: &Stm, branch: &mut Stm, fresh: &mut Fresh) {
    let Stm::Let { name, prim, value } = load else { return };
    let mut is_copy = false;
    branch.for_each_body_mut(|side| {
        let mut is_needed = false;
        for_each_stm(side, &mut |stm| is_needed |= uses_itself(stm, *name));
        if !is_needed {
            return;
        }
        let new = if is_copy { fresh.like(*name) } else { *name };
        if is_copy {
            rename(side, *name, new);
        }
        is_copy = true;
        side.insert(0, Stm::Let { name: new, prim: *prim, value: value.clone() });
    });
}

fn rename(stms: &mut [Stm], from: Name, to: Name) {
    with_stack(|| {
        for stm in stms {
            stm.for_each_exp_mut(|x| {
                x.walk_mut(&mut |x| {
                    if let Exp::Var(name, _) = x
                        && *name == from
                    {
                        *name = to;
                    }
                });
            });
            stm.for_each_body_mut(|body| rename(body, from, to));
        }
    });
}
