//! The levels that attributes ask for: `#[core]`, `#[simd]`, `#[simd(8)]`, `#[grid]`, `#[block]`, `#[lane]`.

use kenaz_ir::{Attr, Attrs, Level};

/// The level that the attributes of an operator ask for; the last one counts.
pub(crate) fn forced(attrs: &Attrs) -> Option<Level> {
    attrs.0.iter().rev().find_map(|attr| of(*attr))
}

/// The level that an attribute asks for.
pub(crate) fn of(attr: Attr) -> Option<Level> {
    match attr.wanted() {
        Attr::Core => Some(Level::Core),
        Attr::Simd(width) => Some(Level::Simd(width)),
        Attr::Grid => Some(Level::Grid),
        Attr::Block => Some(Level::Block),
        Attr::Lane => Some(Level::Lane),
        // Others are about something else.
        _ => None,
    }
}
