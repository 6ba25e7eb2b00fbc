//! Parallel stage → memory stage: blocks, layouts, destinations.
//!
//! [`mod@place`] gives every array a place, as far as possible the one where it is needed in the end; [`merge`] makes
//! one block out of those that are not needed at the same time; [`buffer`] gives loops that make a new array in each
//! iteration two blocks to alternate between, or on a device one to come back to; [`hoist`] moves allocations out of
//! loops; [`expand`] gives iterations that run at the same time their parts of one block; [`release`] settles who owns
//! which block and frees it after its last use.
//!
//! # How arrays are placed
//!
//! `schedule` leaves `par` over scalars and loops that update in place. `place` then works in two walks over each
//! function: backwards it plans what each array will become part of (`plan`; `watch` says whether a slice may be
//! written before the `update` that replaces it), and forwards it gives each array a place, allocating the block of a
//! destination early where its size and the slot are known (`frames`; branches, loops, `par` and calls in `control`).
//! Where all branches make their result, its block is allocated in front of them (`fresh`). What could not be made
//! where it is needed is copied, and the log says why. The checker has the last word on each function: an array of
//! which it cannot prove that nothing else is overwritten where it was built gets a block of its own, and the function
//! is placed anew. The passes `merge-blocks`, `double-buffer` and `hoist-allocations` then change blocks only,
//! `expand` makes one block with a slot for each worker of what iterations on the cores would allocate for themselves
//! (Note \[Slots\] in `ir::mem`), and `release` gives each block its owner.
//!
//! What a thread of a device uses often is in memory of its own and copied to its place at the end (`often`).
//!
//! What differs from the design document: the ownership of blocks is linear in the IR itself (Note \[Ownership\] in
//! `ir::mem`), and reference counts exist only behind `share`. A loop that may not overwrite its first array alternates
//! between two other blocks, of which the one that is read has two owners: the current array, and the parameter that
//! will be written to in the iteration after the next. Sizes of blocks are products that saturate (`size_mul`).
//! Functions take arrays row-major from an offset, and yield them so unless they are at the beginning of their blocks.

pub mod buffer;
pub mod expand;
pub mod hoist;
pub mod merge;
mod most;
mod moves;
pub mod place;
pub mod release;

use kenaz_ir::Pass;

/// The passes, in the order in which they first run.
pub const PASSES: &[Pass] = &[place::PASS, merge::PASS, buffer::PASS, hoist::PASS, expand::PASS, release::PASS];
