//! Which passes run in which order.

use kenaz_ir::{Level, Target};

/// What every back end starts from.
///
/// Checks leave operators by `slice` and `hoist`; what `hoist` has brought to the top of a function, the second `slice`
/// hands to its callers. Loops are unrolled when they have lost what they need not carry and before checks leave them.
/// Fusion comes when no check stands between operators any more, and once more when hoisting has brought operators side
/// by side.
pub const OPTIMISE: &[&str] = &[
    "inline", "simplify", "slice", "unroll", "simplify", "hoist", "simplify", "slice", "simplify", "fuse", "simplify",
    "hoist", "simplify", "fuse", "simplify", "in-place", "simplify",
];

/// From the array stage, optimised or not, to the parallel stage. Scheduling leaves names for operands and results that
/// nobody needs.
pub const SCHEDULE: &[&str] = &["schedule", "simplify"];

/// The same where several cores of a CPU run it.
pub const SCHEDULE_CORES: &[&str] = &["schedule", "simplify", "cores"];

/// The passes to the parallel stage for a target.
pub fn schedule(target: &Target) -> &'static [&'static str] {
    if target.runs(Level::Core) { SCHEDULE_CORES } else { SCHEDULE }
}

/// From the parallel stage to the memory stage. Blocks are merged in loops before those leave them, and again when they
/// have. Loops get their second block before allocations leave them. What is left in iterations that run at the same
/// time becomes slots, and blocks are released when nothing moves any more.
pub const PLACE: &[&str] =
    &["place", "merge-blocks", "double-buffer", "hoist-allocations", "merge-blocks", "expand", "release"];

/// How each `par` of the memory stage becomes loops. What is around stands first: see `kenaz_ir::plan`. Blocks have
/// been released before, since a plan counts statements.
pub const PLAN: &[&str] = &["chunks", "collapse", "tile", "strips", "order-loops", "guard", "lanes", "stream"];
