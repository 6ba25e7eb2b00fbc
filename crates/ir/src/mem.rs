//! The memory stage: blocks, and the places of arrays in them.
//!
//! # Note \[Ownership\]
//! A variable of type `mem` that is bound by a statement or is a parameter of a loop owns one reference to its block.
//! It gives it up exactly once: to `free`, as the initial value of a loop's parameter, or as a result of the body that
//! bound it. A parameter of a function does not own its block; whoever yields it, or any block bound outside the body
//! that yields it, takes a reference first, with `share`. All other uses, such as places and arguments of calls,
//! borrow. When control leaves a body, whatever is bound in it has been given up. A block goes away with its last
//! reference.

use crate::layout::Layout;
use crate::name::Name;
use crate::par::Level;
use crate::prog::Operand;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum MemExp {
    /// `alloc host n`: a new block of so many bytes, an `i64` that is not negative.
    Alloc(Space, Operand),
    /// `free m`: gives up a reference; no result.
    Free(Name),
    /// `share m`: one more reference to the same block.
    Share(Name),
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
