//! Puts sums of indices into the accesses that they are for.
//!
//! ```text
//! for l_1: i64 < 32 {                             for l_1: i64 < 32 {
//!   let i_2: i64 = b_3 + l_1                 →      let x_6: f32 = mul(a_4.f32[b_3 + l_1], c_5.f32[b_3 + l_1])
//!   let x_6: f32 = mul(a_4.f32[i_2], c_5.f32[i_2])
//! ```
//!
//! A sum by itself may wrap around, but not on the way to an element, and so the C compiler sees neighbours only in the
//! second form: of the first one it makes a gather. Sums go no further than the loop they are in, where they change
//! with its index; what is bound in front of a loop is the same for all its accesses. A loop that is to be written out
//! is none: its sums go on into the loops in it, so that the C compiler sees how far they are apart. Cost: linear.

use crate::{Exp, Fun, Hint, Stm, Ty};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums of more names and constants than this stay where they are.
const MOST: usize = 6;

pub(crate) fn sums_into_accesses(fun: &mut Fun) {
    let mut variables: FxHashSet<Name> = fun.results.iter().map(|result| result.name).collect();
    crate::visit::for_each_stm(&fun.body, &mut |stm| {
        if let Stm::Declare { name, ty: Ty::Scalar(_) } = stm {
            variables.insert(*name);
        }
    });
    in_loop(&mut fun.body, &variables, &mut FxHashMap::default(), false);
}

/// Goes through a block of statements, with the sums of the loop around it, which may be one that is to be written out.
fn in_loop(stms: &mut [Stm], variables: &FxHashSet<Name>, sums: &mut FxHashMap<Name, Exp>, is_written_out: bool) {
    with_stack(|| {
        for stm in stms {
            stm.for_each_exp_mut(|x| accesses(x, sums));
            match stm {
                Stm::Store { index, .. } | Stm::Stream { index, .. } | Stm::Race { index, .. } => fill_in(index, sums),
                Stm::Let { name, prim: Prim::I64, value } if !matches!(value, Exp::Var(..) | Exp::Const(_)) => {
                    let mut size = 0;
                    if is_sum(value, variables, &mut size) {
                        let mut whole = value.clone();
                        fill_in(&mut whole, sums);
                        let mut size = 0;
                        let short = is_sum(&whole, variables, &mut size);
                        sums.insert(*name, if short { whole } else { value.clone() });
                    }
                }
                _ => {}
            }
            let is_loop = matches!(stm, Stm::For { .. } | Stm::While { .. } | Stm::Parallel { .. } | Stm::Lanes { .. });
            let unroll = matches!(stm, Stm::For { hint: Hint { unroll: true, .. }, .. });
            stm.for_each_body_mut(|body| match is_loop {
                true if is_written_out => in_loop(body, variables, &mut sums.clone(), unroll),
                true => in_loop(body, variables, &mut FxHashMap::default(), unroll),
                false => in_loop(body, variables, sums, is_written_out),
            });
        }
    });
}

/// The indices of the loads in an expression.
fn accesses(x: &mut Exp, sums: &FxHashMap<Name, Exp>) {
    if !sums.is_empty() {
        x.walk_mut(&mut |x| {
            if let Exp::Load { index, .. } = x {
                fill_in(index, sums);
            }
        });
    }
}

/// Replaces the names of sums that an index is the sum of.
fn fill_in(index: &mut Exp, sums: &FxHashMap<Name, Exp>) {
    match index {
        Exp::Var(name, _) => {
            if let Some(sum) = sums.get(name) {
                *index = sum.clone();
            }
        }
        Exp::Add(x, y) | Exp::Sub(x, y) | Exp::Mul(x, y) => {
            fill_in(x, sums);
            fill_in(y, sums);
        }
        _ => {}
    }
}

/// Whether an expression is made of few names, which never change, and constants by the arithmetic of indices.
fn is_sum(x: &Exp, variables: &FxHashSet<Name>, size: &mut usize) -> bool {
    match x {
        Exp::Var(name, Prim::I64) if variables.contains(name) => false,
        Exp::Var(_, Prim::I64) | Exp::Const(_) => {
            *size += 1;
            *size <= MOST
        }
        Exp::Add(x, y) | Exp::Sub(x, y) | Exp::Mul(x, y) => is_sum(x, variables, size) && is_sum(y, variables, size),
        _ => false,
    }
}
