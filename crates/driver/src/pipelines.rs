//! Which passes run in which order.

/// What every back end starts from.
pub const OPTIMISE: &[&str] = &[
    "inline", "simplify", "slice", "simplify", "hoist", "simplify", "fuse", "simplify", "hoist", "simplify", "fuse",
    "simplify", "in-place", "simplify",
];
