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
