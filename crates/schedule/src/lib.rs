//! From the array stage to the parallel stage: what runs where.
//!
//! ```text
//! let b_3: [n_1]f32 = map n_1 (a_2) \(x_4: f32) -> {          let b_3: [n_1]f32 = par (i_6 < n_1) own {
//!   let y_5: f32 = mul x_4 2f32                        ⇒        let x_4: f32 = index a_2[i_6]
//!   in y_5                                                       let y_5: f32 = mul x_4 2f32
//! }                                                              in y_5
//!                                                              }
//! ```
//!
//! Every second-order operator becomes a `par` where that can be said: maps, scans and reductions over scalars,
//! reductions over arrays that go element by element, scatters and histograms over scalars. Other reductions over
//! arrays run in parts on several cores, see [`parts`]. Everything else becomes a `loop` that updates arrays in place:
//! operators over arrays, filters, and whatever accumulators go through. Accumulators become their arrays, handed from
//! update to update, see [`acc`].
//!
//! Everything runs in sequence, as it stands, unless an attribute asks for a level, see [`level`]; for several cores
//! [`cores`] gives levels to the rest, and for a device [`versions`] gives some nests several of them, and [`rows`] has
//! threads copy what they read again and again. Where nothing runs at the same time, [`chain`] makes one loop of scans
//! of what scans yield.
//!
//! Assumes a program that the checker of the array stage accepts. Derivatives stay as they are, with a decision that
//! says so: they have to be expanded before. Nothing is left out when fuel runs out, because there is no way to stop
//! between two stages. Leaves to `simplify`: names for operands, parameters and results that nobody needs. Linear in
//! the size of the program, but for functions with accumulators among their parameters, which are inlined.
//!
//! # Strategies
//!
//! `#[sequential]`, `#[sequential_outer]` and `#[sequential_inner]` are *strategies* (`Attr::is_strategy`): no pass
//! before `cores` treats a statement otherwise because of them. An attribute is about the operator that makes the value
//! of the expression, on a call about all that the function does at its top, and not about arguments. A fused operator
//! has those of its parts, so it runs in sequence if one of them is to; where others need what the first of two
//! operators makes, they are only fused if they have the same. `Log::joins` tells what was fused with what. `kenaz ir
//! --strategies` (`driver::strategies`) reads the loops of the parallel stage and what was decided about them, finds
//! the places in the program text, and compiles the program once more with attributes at these places: only those are
//! shown with which the same loops run in the same way.

mod acc;
mod chain;
mod cores;
mod filter;
mod legal;
mod level;
mod parts;
mod rows;
mod scatter;
mod screma;
mod serial;
mod sink;
mod vector;
mod versions;
mod walk;

pub use chain::CHAIN;
pub use cores::{CORES, DEEPEST};
use kenaz_ir::{Builder, Pass, PassCx, Prog};
pub use legal::illegal;
pub use rows::ROWS;
pub use versions::VERSIONS;

pub const SCHEDULE: Pass = Pass {
    name: "schedule",
    about: "say what runs where: from the array stage to the parallel stage",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: schedule,
};

/// All passes of this crate.
pub const PASSES: &[Pass] = &[SCHEDULE, CHAIN, CORES, VERSIONS, ROWS];

pub fn schedule(prog: &mut Prog, cx: &mut PassCx) {
    let (fresh, locs) = (std::mem::take(&mut prog.fresh), std::mem::take(&mut prog.locs));
    let mut walk = walk::Walk::new(Builder::with(fresh, locs), cx);
    for fun in std::mem::take(&mut prog.funs) {
        prog.funs.extend(walk.fun(fun));
    }
    (prog.fresh, prog.locs) = walk.finish();
}
