//! Which passes run in which order.

use kenaz_ir::{Space, Target};

/// The passes of a program with derivatives, before all others: nothing can run derivatives, not even the interpreter.
pub const DERIVATIVES: &[&str] = &["inline", "simplify", "differentiate"];

/// The passes of the array stage, with which every back end begins.
///
/// The second `inline` finds functions that have become small. `slice` and `hoist` move checks out of operators; the
/// second `slice` hands checks that `hoist` has brought to the top of a function to its callers. Loops are unrolled
/// after they have lost the values that they need not carry, and before checks leave them. Fusion runs when no check
/// stands between operators any more, and once more when hoisting has brought operators side by side. `sums` comes
/// before it, so that what accumulators become is fused like anything else, and `windows`, so that sources are computed
/// where a window takes them; `concats` follows, since fusion needs
/// arrays as operands.
pub const OPTIMISE: &[&str] = &[
    "inline", "simplify", "inline", "branches", "slice", "unroll", "simplify", "blanks", "hoist", "simplify", "slice",
    "simplify", "sums", "simplify", "windows", "fuse", "simplify", "hoist", "simplify", "fuse", "simplify", "concats",
    "simplify", "in-place", "simplify",
];

/// From the array stage, optimised or not, to the parallel stage. `simplify` follows because scheduling leaves dead
/// names for operands and results; `chain` leaves names for elements.
pub const SCHEDULE: &[&str] = &["schedule", "simplify", "chain", "simplify"];

/// The same where several cores of a CPU run it.
pub const SCHEDULE_CORES: &[&str] = &["schedule", "simplify", "cores"];

/// The same for the threads of a device.
pub const SCHEDULE_DEVICE: &[&str] = &["schedule", "simplify", "cores", "versions", "own-rows"];

/// The passes to the parallel stage for a target.
pub fn schedule(target: &Target) -> &'static [&'static str] {
    match target.host_space {
        Space::Device => SCHEDULE_DEVICE,
        _ if target.is_parallel() => SCHEDULE_CORES,
        _ => SCHEDULE,
    }
}

/// From the parallel stage to the memory stage. Arrays are made where they become parts before they get places. Blocks
/// are merged before allocations leave loops, and again after that. Loops get their second block before allocations
/// leave them. Allocations that are left in iterations on the cores become slots. Blocks are released last, when
/// nothing moves any more.
pub const PLACE: &[&str] =
    &["parts", "place", "merge-blocks", "double-buffer", "hoist-allocations", "merge-blocks", "expand", "release"];

/// How each `par` of the memory stage becomes loops. The outer pieces of a plan are set first: see `kenaz_ir::plan`.
/// Blocks have been released before, since a plan counts statements.
pub const PLAN: &[&str] = &["chunks", "collapse", "tile", "strips", "order-loops", "guard", "cuts", "lanes", "stream"];

/// The same for the threads of a device, each of which runs its iterations in sequence.
pub const PLAN_DEVICE: &[&str] = &["collapse", "chunks", "tile"];

/// The passes that plan loops for a target.
pub fn plan(target: &Target) -> &'static [&'static str] {
    if target.host_space == Space::Device { PLAN_DEVICE } else { PLAN }
}
