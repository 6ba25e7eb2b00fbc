//! Which passes run in which order.

/// What every back end starts from.
///
/// Checks leave operators by `slice` and `hoist`; what `hoist` has brought to the top of a function, the second `slice`
/// hands to its callers. Fusion comes when no check stands between operators any more, and once more when hoisting has
/// brought operators side by side.
pub const OPTIMISE: &[&str] = &[
    "inline", "simplify", "slice", "simplify", "hoist", "simplify", "slice", "simplify", "fuse", "simplify", "hoist",
    "simplify", "fuse", "simplify", "in-place", "simplify",
];

/// From the array stage, optimised or not, to the parallel stage. Scheduling leaves names for operands and results that
/// nobody needs.
pub const SCHEDULE: &[&str] = &["schedule", "simplify"];

/// From the parallel stage to the memory stage. Blocks are merged in loops before those leave them, and again when they
/// have. Loops get their second block before allocations leave them, and blocks are released when nothing moves any more.
pub const PLACE: &[&str] = &["place", "merge-blocks", "double-buffer", "hoist-allocations", "merge-blocks", "release"];
