//! Parallel stage → memory stage: blocks, layouts, destinations.
//!
//! [`mod@place`] gives every array a place, as far as possible the one where it is needed in the end; [`hoist`] moves
//! allocations out of loops; [`buffer`] gives loops that make a new array in each iteration two blocks to alternate
//! between; [`release`] settles who owns which block and frees it after its last use.

pub mod buffer;
pub mod hoist;
mod moves;
pub mod place;
pub mod release;

use kenaz_ir::Pass;
pub use place::ATTRIBUTE_REFUSED;

/// The passes, in the order in which they run.
pub const PASSES: &[Pass] = &[place::PASS, buffer::PASS, hoist::PASS, release::PASS];
