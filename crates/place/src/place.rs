//! Every array gets a place: a block and a layout.
//!
//! ```text
//! let x_3: [n_1]f32 = par (i_4 < n_1) own {…}      let m_9: mem = alloc host b_8
//! let y_5: [m_2]f32 = copy a_6                 →   let x_3: [n_1]f32 @ m_9 -> 0 + {(n_1 : 1)} = par (i_4 < n_1) own {…}
//! let z_7: [k_8]f32 = concat k_8 (x_3, y_5)        let y_5: [m_2]f32 @ m_9 -> n_1 + {(m_2 : 1)} = copy a_6
//!                                                  let z_7: [k_8]f32 @ m_9 -> 0 + {(k_8 : 1)} = concat k_8 (x_3, y_5)
//! ```
//!
//! First a walk backwards ([`plan`]) says for each array what it will become part of: a part of a `concat` goes into
//! the whole, the value of an `update` into its slice, the row that a `par` yields into its slot, what is returned
//! transposed into a transposed block. Then a walk forwards gives each array a place, [`mod@frames`]: a view one that
//! follows from its array's, an array that is made one in its destination if that can be allocated here, or else in a
//! block of its own. Where the destination is not yet there, its block is allocated early, and the scalars that its
//! size and the slot depend on are computed early. Arrays that come out of branches, loops and calls bring their blocks
//! along, and what the branches do not agree on in the layouts.
//!
//! After this pass nothing moves implicitly: when an array is not where it is needed, there is a `copy`, and the reason
//! is in the log. So `concat`, `update` with an array, `array` of arrays, and array results of `own` say what their
//! parts have become, and do nothing at run time, unless a slot is no layout.
//!
//! That nothing is overwritten which is needed, and that iterations keep apart, is what the checker of the memory stage
//! is for. What it cannot prove of an array that was built in its destination is not done: the function is placed anew,
//! and that array has a block of its own.
//!
//! A result that a function has in a block of its own is unique from then on, although it was a view before: that it
//! has become a copy is known here only.
//!
//! The pass assumes the parallel stage. Nobody frees blocks yet, see [`crate::release`]. Its cost is linear in the
//! program but for the statements between an `update` and the making of its value, which are looked at once per
//! `update`.

mod control;
mod frames;
mod fresh;
mod often;
mod plan;
mod signature;
mod step;
mod watch;
mod wishes;

use frames::Placer;
use kenaz_ir::check::{self, Places};
use kenaz_ir::sharing::Signatures;
use kenaz_ir::{Pass, PassCx, Prog};
use plan::Plan;
use signature::Interfaces;
use std::collections::BTreeSet;

pub const PASS: Pass = Pass {
    name: "place",
    about: "gives every array a place in a block, where it is needed in the end if possible",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: place,
};

/// The names of its rules.
pub const RULES: &[&str] = &["into-destination"];

pub fn place(prog: &mut Prog, cx: &mut PassCx) {
    let mut signatures = Signatures::of(prog);
    let mut interfaces = Interfaces::of(prog);
    let mut known = Places::default();
    for i in 0..prog.funs.len() {
        let (before, rest) = prog.funs.split_at_mut(i);
        let fun = &mut rest[0];
        let decided = cx.log.mark();
        let mut original = fun.clone();
        let mut unproved = BTreeSet::new();
        loop {
            let plan = Plan::of(fun, &signatures, &unproved, cx.target);
            signature::consume(fun, &interfaces);
            let built = Placer::new(plan, &mut interfaces, &mut prog.fresh, cx).fun(fun);
            let Err(error) = check::places(before, fun, &prog.fresh, &mut known) else { break };
            let culprits = built.culprits(&error.bound);
            if culprits.is_empty() {
                break;
            }
            unproved.extend(culprits);
            *fun = original.clone();
            cx.log.forget_after(decided);
        }
        if fun.entry.is_none() {
            let is_new = check::new_results(before, fun, &known);
            fun.results.iter_mut().zip(&is_new).for_each(|(result, is_new)| result.unique |= *is_new);
            let arrays = fun.results.iter().filter(|result| result.ty.is_array());
            let before = original.results.iter_mut().filter(|result| result.ty.is_array());
            before.zip(arrays).for_each(|(before, result)| before.unique = result.unique);
            signatures.insert(&original);
        }
    }
}
