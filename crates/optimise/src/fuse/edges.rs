//! Maps with edges: what an iteration computes depends on where it is, such as at the border of a grid, or where a
//! rotation begins anew.
//!
//! ```text
//! let i_1: [n_2]i64 = iota n_2
//! let y_3: [n_2]f32 = map n_2 (i_1) \(k_4: i64) -> { let c_5: bool = lt k_4 m_6 let x_7 = if c_5 then … in x_7 }
//! ```
//!
//! A loop that does nothing else is cut at such places (`cuts` of the plan) and runs in vectors between them. One that
//! reduces as well is not: it has branches, or fetches elements one by one. Where the array is made anyway, reading it
//! again in a loop that reduces in vectors takes less time than that: with three neighbours in a rotation and a sum of
//! what is made, half of it. Where the array is not needed otherwise, writing and reading it would take longer than
//! what is saved.

use kenaz_ir::{Exp, Name, Operand, Soac, Stm};
use rustc_hash::FxHashSet;

/// Whether a map of scalars has a branch that depends on the number of its iteration. `counters` are the arrays that
/// only count.
pub(super) fn has_edges(stm: &Stm, counters: &FxHashSet<Name>) -> bool {
    let Exp::Soac(Soac::Screma { arrays, map, scans, reduces, .. }) = &stm.exp else { return false };
    if !scans.is_empty() || !reduces.is_empty() || map.ret.iter().any(|ty| ty.rank() > 0) {
        return false;
    }
    let counting = arrays.iter().zip(&map.params).filter(|(array, _)| counters.contains(array));
    let mut known: FxHashSet<Name> = counting.map(|(_, param)| param.name).collect();
    let depends = |x: &Operand, known: &FxHashSet<Name>| x.name().is_some_and(|name| known.contains(&name));
    !known.is_empty()
        && map.body.stms.iter().any(|stm| {
            let follows = match &stm.exp {
                Exp::Bin(_, x, y) | Exp::Cmp(_, x, y) => depends(x, &known) || depends(y, &known),
                Exp::Un(_, x) => depends(x, &known),
                Exp::If(cond, ..) => return depends(cond, &known),
                _ => false,
            };
            if follows {
                known.extend(stm.pat.iter().map(|p| p.name));
            }
            false
        })
}
