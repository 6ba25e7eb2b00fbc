//! From the array stage to the array stage: what makes programs fast while they are still functional.
//!
//! Each module is a pass, or several that belong together, and opens with what it does to a program. A pass asks
//! [`Log::fire`](kenaz_ir::Log::fire) before each rewrite. Which passes run in which order is said in the crate `driver`.

pub mod fuse;
pub mod hoist;
pub mod in_place;
pub mod inline;
pub mod simplify;
pub mod slice;
pub mod unroll;

use kenaz_ir::Pass;

/// All passes, in alphabetical order.
pub const PASSES: &[Pass] =
    &[fuse::PASS, hoist::PASS, in_place::PASS, inline::PASS, simplify::PASS, slice::PASS, unroll::PASS];

/// The names of the rules of all passes.
pub fn rules() -> Vec<&'static str> {
    let book = simplify::RULES.iter().copied().flatten().map(|rule| rule.name);
    let lists =
        [inline::RULES, simplify::OTHERS, hoist::RULES, slice::RULES, unroll::RULES, fuse::RULES, in_place::RULES];
    book.chain(lists.into_iter().flatten().copied()).collect()
}
