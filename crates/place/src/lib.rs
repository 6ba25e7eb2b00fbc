//! Parallel stage → memory stage: blocks, layouts, destinations.
//!
//! [`mod@place`] gives every array a place, as far as possible the one where it is needed in the end; [`merge`] makes one
//! block out of those that are not needed at the same time; [`buffer`] gives loops that make a new array in each iteration
//! two blocks to alternate between; [`hoist`] moves allocations out of loops; [`expand`] gives iterations that run at the
//! same time their parts of one block; [`release`] settles who owns which block and frees it after its last use.

pub mod buffer;
pub mod expand;
pub mod hoist;
pub mod merge;
mod moves;
pub mod place;
pub mod release;

use kenaz_ir::Pass;

/// The passes, in the order in which they first run.
pub const PASSES: &[Pass] = &[place::PASS, merge::PASS, buffer::PASS, hoist::PASS, expand::PASS, release::PASS];
