//! Targets: what a program is compiled for, as data.
//!
//! A pass that has to know asks [`PassCx::target`](crate::PassCx) for a capability: which levels run at the same time,
//! where their memory is, how wide vectors are. No pass asks for a target by name, and this is the only list of
//! targets.

use crate::mem::Space;
use crate::par::Level;

/// Who runs a program, and with what.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// As users call it: `kenaz c`, `--backend multicore`.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// The language of what runs at its levels. Host code is C everywhere.
    pub dialect: Dialect,
    /// The levels whose iterations may run at the same time. A `par` at any other level runs in sequence.
    pub levels: &'static [Level],
    /// Whether code at these levels can call functions. Otherwise what it calls is written out in its place.
    pub calls: bool,
    /// Where the arrays of host code are.
    pub host_space: Space,
    /// Where a block stands that has a slot for each worker of a level.
    pub worker_order: WorkerOrder,
    /// The bytes of a vector of the widest kind that generated code is made for.
    pub vector_bytes: u64,
    /// The most bytes of a block that is put on the stack of whoever uses it.
    pub stack_bytes: u64,
    /// The bytes of a cache line: workers do not write to the same one more than they have to.
    pub line_bytes: u64,
    /// How far apart the slots of workers are, in whole lines. Prefetchers fetch lines next to those that are used, but
    /// not beyond a page: without the gap workers take lines of their slots from each other.
    pub gap_bytes: u64,
}

/// The bins of a histogram that a block makes on chip have several copies, as long as these have no more bytes.
pub const BYTES_OF_COPIES: i64 = 4096;

/// The language that code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    C,
    OpenCl,
    Cuda,
}

/// The order of the slots of workers in a block that all of them share ([mem] §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerOrder {
    /// Each worker has a contiguous part of the block.
    Outermost,
    /// Neighbours in a slot belong to neighbouring workers.
    Innermost,
}

impl WorkerOrder {
    pub const ALL: [WorkerOrder; 2] = [WorkerOrder::Outermost, WorkerOrder::Innermost];

    pub fn name(self) -> &'static str {
        match self {
            WorkerOrder::Outermost => "outermost",
            WorkerOrder::Innermost => "innermost",
        }
    }
}

/// One thread of a CPU.
pub static C: Target = SEQUENTIAL;

/// All cores of a CPU.
pub static MULTICORE: Target =
    Target { name: "multicore", about: "C that uses all cores", levels: &[Level::Core], ..SEQUENTIAL };

/// The threads of a device, by way of OpenCL.
pub static OPENCL: Target = DEVICE;

/// The threads of a device of NVIDIA's.
pub static CUDA: Target =
    Target { name: "cuda", about: "C with kernels for a GPU, by way of CUDA", dialect: Dialect::Cuda, ..DEVICE };

const DEVICE: Target = Target {
    name: "opencl",
    about: "C with kernels for a device, by way of OpenCL",
    dialect: Dialect::OpenCl,
    levels: &[Level::Grid, Level::Block, Level::Lane],
    calls: false,
    host_space: Space::Device,
    worker_order: WorkerOrder::Innermost,
    ..SEQUENTIAL
};

const SEQUENTIAL: Target = Target {
    name: "c",
    about: "sequential C",
    dialect: Dialect::C,
    levels: &[],
    calls: true,
    host_space: Space::Host,
    worker_order: WorkerOrder::Outermost,
    vector_bytes: 32,
    stack_bytes: 256,
    line_bytes: 64,
    gap_bytes: 4096,
};

impl Target {
    /// All targets.
    pub const ALL: &[&Target] = &[&C, &MULTICORE, &OPENCL, &CUDA];

    pub fn from_name(name: &str) -> Option<&'static Target> {
        Target::ALL.iter().copied().find(|target| target.name == name)
    }

    /// Whether the iterations of a `par` at a level may run at the same time.
    pub fn runs(&self, level: Level) -> bool {
        self.levels.contains(&level)
    }

    /// Whether anything runs at the same time.
    pub fn is_parallel(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Where the blocks are that code at a level allocates for itself.
    pub fn space(&self, level: Option<Level>) -> Space {
        match level {
            None | Some(Level::Core | Level::Simd(_)) => self.host_space,
            Some(Level::Grid) => Space::Device,
            Some(Level::Block) => Space::Shared,
            Some(Level::Lane) => Space::Private,
        }
    }
}
