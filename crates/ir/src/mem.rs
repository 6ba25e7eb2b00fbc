//! The memory stage: blocks, and the places of arrays in them.
//!
//! # Note \[Ownership\]
//! A variable of type `mem` that is bound by a statement or is a parameter of a loop owns one reference to its block.
//! It gives it up exactly once: to `free`, as the initial value of a loop's parameter, or as a result of the body that
//! bound it. A parameter of a function does not own its block; whoever yields it, or any block bound outside the body
//! that yields it, takes a reference first, with `share`. All other uses, such as places and arguments of calls,
//! borrow. When control leaves a body, whatever is bound in it has been given up. A block goes away with its last
//! reference.
//!
//! # Note \[Slots\]
//! A block that `alloc_each` makes has a part of the same size, a *slot*, for each worker that may run iterations of a
//! `par` at its level at the same time; how many these are is known only when the program runs. Nothing is in such a
//! block but in its slots: it is used by one `slot` and by `free`. A `slot` stands in a `par` at the level and is the
//! part of the worker that runs the iteration. To the iteration it is like a block of its own, of which nothing is
//! written yet; it is borrowed, is never given up, and is named only by places.

use crate::layout::Layout;
use crate::name::Name;
use crate::par::Level;
use crate::prog::Operand;
use crate::target::WorkerOrder;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum MemExp {
    /// `alloc host n`: a new block of so many bytes, an `i64` that is not negative.
    Alloc(Space, Operand),
    /// `free m`: gives up a reference; no result.
    Free(Name),
    /// `share m`: one more reference to the same block.
    Share(Name),
    /// `alloc_each core outermost host n most k`: a new block with so many bytes for each worker of a level, see Note
    /// \[Slots\].
    AllocEach(Slots),
    /// `slot m`: the part of the worker that runs this.
    Slot(Name),
}

/// A block with a part for each worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Slots {
    pub level: Level,
    pub order: WorkerOrder,
    pub space: Space,
    /// Of each part, an `i64` that is not negative.
    pub bytes: Operand,
    /// No more workers than this have anything to do, or only one; an `i64`.
    pub most: Option<Operand>,
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// The memory of the host.
    Host,
    /// The memory of a device.
    Device,
    /// On-chip memory of a thread block.
    Shared,
    /// Of one thread: registers or its stack.
    Private,
}

/// Where the elements of an array are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub block: Name,
    /// In elements, from the beginning of the block.
    pub layout: Layout,
}

impl Space {
    pub const ALL: [Space; 4] = [Space::Host, Space::Device, Space::Shared, Space::Private];

    pub fn name(self) -> &'static str {
        match self {
            Space::Host => "host",
            Space::Device => "device",
            Space::Shared => "shared",
            Space::Private => "private",
        }
    }

    /// Whether code at a level, or host code, can read and write the elements of blocks in this space.
    pub fn is_reached_from(self, level: Option<Level>) -> bool {
        match level {
            None | Some(Level::Core | Level::Simd(_)) => matches!(self, Space::Host | Space::Private),
            Some(Level::Grid) => matches!(self, Space::Device | Space::Private),
            Some(Level::Block | Level::Lane) => matches!(self, Space::Device | Space::Shared | Space::Private),
        }
    }

    pub fn from_name(name: &str) -> Option<Space> {
        Space::ALL.into_iter().find(|space| space.name() == name)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.block, self.layout)
    }
}
