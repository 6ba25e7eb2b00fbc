//! The levels that attributes ask for: `#[core]`, `#[simd]`, `#[simd(8)]`, `#[grid]`, `#[block]`, `#[lane]`.

use kenaz_ir::{Attr, Attrs, Level};

/// The level that the attributes of an operator ask for; the last one counts.
pub fn forced(attrs: &Attrs) -> Option<Level> {
    attrs.0.iter().rev().find_map(|attr| match attr {
        Attr::Name(name) => named(name.as_str()),
        Attr::Compound(name, args) => match (name.as_str(), &args[..]) {
            ("simd", [Attr::Number(width)]) => u32::try_from(*width).ok().map(Level::Simd),
            _ => None,
        },
        Attr::Number(_) => None,
    })
}

fn named(name: &str) -> Option<Level> {
    Some(match name {
        "core" => Level::Core,
        "simd" => Level::Simd(0),
        "grid" => Level::Grid,
        "block" => Level::Block,
        "lane" => Level::Lane,
        _ => return None,
    })
}
