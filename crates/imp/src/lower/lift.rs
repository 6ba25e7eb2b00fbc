//! Allocations and slots leave the loop of a chunk.
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
//! same to loops that run in sequence, and gives iterations that may run at the same time slots of one block, which are
//! looked up once for each chunk. Left are blocks that are handed to functions, which may share what they are given,
//! and those that lowering makes for itself. What leaves a loop inside the loop of a chunk leaves that as well, if it
//! can.

use crate::visit::for_each_stm;
use crate::{Exp, Fun, Stm};
use kenaz_base::with_stack;
use kenaz_ir::{MathFn, Name};
use rustc_hash::FxHashSet;

pub(crate) fn allocations(fun: &mut Fun) {
    in_chunks(&mut fun.body);
}

fn in_chunks(stms: &mut [Stm]) {
    with_stack(|| {
        for stm in stms {
            match stm {
                Stm::Parallel { body, .. } => out_of_loops(body),
                stm => stm.for_each_body_mut(|body| in_chunks(body)),
            }
        }
    });
}

fn out_of_loops(stms: &mut Vec<Stm>) {
    with_stack(|| {
        let mut out = Vec::with_capacity(stms.len());
        for mut stm in std::mem::take(stms) {
            stm.for_each_body_mut(out_of_loops);
            let lifted = match &mut stm {
                Stm::For { var, body, .. } => lift(*var, body),
                _ => Vec::new(),
            };
            let blocks: Vec<Name> = lifted.iter().filter_map(block).collect();
            out.extend(lifted);
            out.push(stm);
            out.extend(blocks.into_iter().map(|name| Stm::Free { name }));
        }
        *stms = out;
    });
}

fn block(stm: &Stm) -> Option<Name> {
    match stm {
        Stm::Alloc { name, .. } => Some(*name),
        _ => None,
    }
}

/// Takes the allocations that are the same in each iteration out of a body, and the sizes that they need.
fn lift(var: Name, body: &mut Vec<Stm>) -> Vec<Stm> {
    if !body.iter().any(|stm| matches!(stm, Stm::Alloc { .. } | Stm::Slot { .. })) {
        return Vec::new();
    }
    // What differs from one iteration to the next.
    let mut inside = FxHashSet::from_iter([var]);
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
    let mut lifted: FxHashSet<Name> = FxHashSet::default();
    for stm in &*body {
        match stm {
            Stm::Let { name, value, .. } if is_same(value, &inside) => drop(inside.remove(name)),
            Stm::Alloc { name, bytes, .. } if freed.contains(name) && is_same(bytes, &inside) => {
                lifted.insert(*name);
            }
            Stm::Slot { name, from, offset } if !inside.contains(from) && is_same(offset, &inside) => {
                lifted.insert(*name);
            }
            _ => {}
        }
    }
    // And what these need, which stands before them.
    for stm in body.iter().rev() {
        let value = match stm {
            Stm::Let { name, value, .. }
            | Stm::Alloc { name, bytes: value, .. }
            | Stm::Slot { name, offset: value, .. }
                if lifted.contains(name) =>
            {
                value
            }
            _ => continue,
        };
        value.walk(&mut |x| {
            if let Exp::Var(name, _) = x {
                lifted.insert(*name);
            }
        });
    }
    let mut out = Vec::new();
    body.retain(|stm| match stm {
        Stm::Let { name, .. } | Stm::Alloc { name, .. } | Stm::Slot { name, .. } if lifted.contains(name) => {
            out.push(stm.clone());
            false
        }
        Stm::Free { name } => !lifted.contains(name),
        _ => true,
    });
    out
}

/// Whether an expression is the same in each iteration and as good before the first, even if there is none.
fn is_same(exp: &Exp, inside: &FxHashSet<Name>) -> bool {
    let mut is_same = true;
    exp.walk(&mut |x| match x {
        Exp::Var(name, _) => is_same &= !inside.contains(name),
        Exp::Const(_) | Exp::Bin(..) | Exp::Add(..) | Exp::Sub(..) | Exp::Mul(..) => {}
        Exp::Math(MathFn::SizeMul, ..) => {}
        _ => is_same = false,
    });
    is_same
}
