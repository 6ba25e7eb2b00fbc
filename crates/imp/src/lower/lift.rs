//! Allocations leave the loop of a chunk.
//!
//! ```text
//! parallel … {                    parallel … {
//!   for i < len {                   alloc m: host n
//!     alloc m: host n               for i < len {
//!     …                        →      …
//!     free m                        }
//!   }                               free m
//! }                               }
//! ```
//!
//! So every thread has its block, which stays in its caches, and none is asked for in a loop. The memory stage does the
//! same to loops that run in sequence; iterations that may run at the same time need blocks of their own there.

use crate::visit::for_each_stm;
use crate::{Exp, Stm};
use kenaz_ir::Name;
use rustc_hash::FxHashSet;

/// Of the loops among the statements of a chunk, not of loops inside of them.
pub(super) fn allocations(stms: &mut Vec<Stm>) {
    let mut out = Vec::with_capacity(stms.len());
    for mut stm in std::mem::take(stms) {
        let mut lifted = Vec::new();
        match &mut stm {
            Stm::For { body, .. } => lifted = lift(body),
            Stm::If { yes, no, .. } => [yes, no].into_iter().for_each(allocations),
            _ => {}
        }
        let names: Vec<Name> = lifted.iter().filter_map(Stm::declares).collect();
        out.extend(lifted);
        out.push(stm);
        out.extend(names.into_iter().map(|name| Stm::Free { name }));
    }
    *stms = out;
}

/// Takes the allocations that are the same in each iteration out of a body.
fn lift(body: &mut Vec<Stm>) -> Vec<Stm> {
    let mut inside: FxHashSet<Name> = FxHashSet::default();
    let mut moved: FxHashSet<Name> = FxHashSet::default();
    for_each_stm(body, &mut |stm| match stm {
        Stm::SetBlock { name, from } | Stm::Share { name, from } => {
            inside.insert(*name);
            moved.insert(*from);
        }
        Stm::For { var, .. } => drop(inside.insert(*var)),
        Stm::Set { name, .. } => drop(inside.insert(*name)),
        Stm::Call { results, .. } => inside.extend(results),
        stm => inside.extend(stm.declares()),
    });
    let freed: FxHashSet<Name> = body
        .iter()
        .filter_map(|stm| match stm {
            Stm::Free { name } if !moved.contains(name) => Some(*name),
            _ => None,
        })
        .collect();
    let mut lifted = Vec::new();
    body.retain(|stm| {
        let Stm::Alloc { name, bytes, .. } = stm else { return true };
        let mut is_same = freed.contains(name);
        bytes.walk(&mut |x| match x {
            Exp::Var(name, _) => is_same &= !inside.contains(name),
            Exp::Load { .. } => is_same = false,
            _ => {}
        });
        if is_same {
            lifted.push(stm.clone());
        }
        !is_same
    });
    let names: FxHashSet<Name> = lifted.iter().filter_map(Stm::declares).collect();
    body.retain(|stm| !matches!(stm, Stm::Free { name } if names.contains(name)));
    lifted
}
