//! What the optimiser makes of programs that are generated: random, long and deep ones. The cases by hand, of what each
//! pass does and does not do, are in tests/ir.

mod common;
mod hoist_random;
mod in_place_random;
mod large;
mod simplify_stress;
