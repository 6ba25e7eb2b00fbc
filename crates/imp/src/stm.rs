//! Programs, functions and statements.

use crate::Exp;
use kenaz_base::{Prim, Symbol};
use kenaz_ir::{Entry, Fresh, Level, LocId, Locs, Name, Scalar, Space, Tunable};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Functions call only those before them, and launch only regions that are theirs.
#[derive(Clone, Debug, Default)]
pub struct Prog {
    pub funs: Vec<Fun>,
    /// A region launches only those before it.
    pub regions: Vec<Region>,
    pub locs: Locs,
    pub fresh: Fresh,
    /// What is known of some variables of type `i64`.
    pub indices: FxHashMap<Name, Index>,
}

/// A variable that says which iteration of a loop it is, or comes next. Where its loop has an iteration, it is not
/// negative and less than the bound, and perhaps less than the number of iterations of its launch, or after the last of
/// them less than that and the number of threads together.
#[derive(Clone, Debug)]
pub struct Index {
    pub bound: Exp,
    pub is_of_launch: bool,
}

/// A function yields an error code; its results go to variables of the caller.
#[derive(Clone, Debug)]
pub struct Fun {
    pub name: Symbol,
    /// How the outside sees it, if it does.
    pub entry: Option<EntryFun>,
    pub params: Vec<Param>,
    /// Assigned by the body before it ends.
    pub results: Vec<Param>,
    pub body: Vec<Stm>,
    pub loc: LocId,
}

/// Code that [`Stm::Launch`] starts several times over, all of them perhaps at the same time or on another machine: a
/// chunk of a loop for the cores of a CPU, a kernel of a GPU.
///
/// Of the function around it, it sees only what is handed to its parameters. It changes nothing there but elements of
/// blocks, and gives up none of these blocks. What one of those that are launched together writes, no other of them
/// reads or writes, but for [`Stm::Race`] and what they leave in a [`Stm::Slot`].
#[derive(Clone, Debug)]
pub struct Region {
    pub name: Symbol,
    /// The function that launches it, itself or from another of its regions.
    pub fun: Symbol,
    /// Who runs it.
    pub level: Level,
    /// What it gets from around it.
    pub params: Vec<Param>,
    /// What tells it from those launched with it, in the order of [`Region::ids`]; each is an `i64`.
    pub ids: Vec<Name>,
    pub body: Vec<Stm>,
    pub loc: LocId,
}

impl Region {
    /// The ids of a region at a level, by what they are usually called; nothing for a level that has no regions of its
    /// own, since its iterations are a loop inside of one.
    pub fn ids(level: Level) -> Option<&'static [&'static str]> {
        match level {
            // The number of the chunk, its first iteration, how many it has, and who runs it.
            Level::Core => Some(&["chunk", "start", "len", "worker"]),
            // The number of the thread, which is that of the worker as well, and how many there are.
            Level::Grid => Some(&["thread", "threads"]),
            Level::Block => Some(&["block", "blocks"]),
            Level::Simd(_) | Level::Lane => None,
        }
    }
}

/// What the wrapper of an entry point has to serve.
///
/// The parameters and results of the [`Fun`] are those given here without the arrays, in the same order and under the
/// same names. An array is in the block that its place names, row-major from the beginning; its sizes are constants or
/// names of scalars among them.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryFun {
    pub entry: Entry,
    pub params: Vec<kenaz_ir::Param>,
    pub results: Vec<kenaz_ir::Param>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub name: Name,
    pub ty: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Scalar(Prim),
    /// A block in a space, as a pointer to its first byte.
    Block(Space),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stm {
    /// A scalar that is never assigned again.
    Let {
        name: Name,
        prim: Prim,
        value: Exp,
    },
    /// A variable that [`Stm::Set`], [`Stm::SetBlock`] and calls assign.
    Declare {
        name: Name,
        ty: Ty,
    },
    Set {
        name: Name,
        value: Exp,
    },
    /// Moves the reference of another block variable, or borrows it: counts do not change.
    SetBlock {
        name: Name,
        from: Name,
    },
    /// Declares a block of so many bytes and allocates it; leaves the function with an error if there is no memory.
    Alloc {
        name: Name,
        space: Space,
        bytes: Exp,
    },
    /// Declares a block of `len` elements, at least one, on the stack: in [`Space::Private`].
    Local {
        name: Name,
        prim: Prim,
        len: u64,
    },
    /// Declares a block that holds these constants, at least one, and is never written to.
    Table {
        name: Name,
        prim: Prim,
        values: Arc<[Scalar]>,
    },
    /// Gives up a reference.
    Free {
        name: Name,
    },
    /// Declares a block variable with a new reference to a block, in the space where that is.
    Share {
        name: Name,
        from: Name,
    },
    /// Declares an `i64`, at least 1: how many workers there are for the regions that are launched from here.
    Workers {
        name: Name,
    },
    /// Declares an `i64`, at least 1: how many lanes the blocks should have that are launched from here, if those of a
    /// block share about so many iterations.
    Width {
        name: Name,
        shares: Exp,
    },
    /// Declares an `i64` that is set when the program runs.
    Tunable {
        name: Name,
        of: Tunable,
    },
    /// Declares a block in [`Space::Shared`], from so many bytes on in what its launch has of that memory. All lanes
    /// see the same, and nobody uses these bytes otherwise.
    Shared {
        name: Name,
        offset: Exp,
    },
    /// Declares a block variable for the bytes of a block from an offset on, which is a multiple of a cache line.
    /// Nobody uses these bytes otherwise as long as it is in scope; it is borrowed.
    Slot {
        name: Name,
        from: Name,
        offset: Exp,
    },
    /// `block[index] = value`, in elements of the value's type.
    Store {
        block: Name,
        prim: Prim,
        index: Exp,
        value: Exp,
    },
    /// Declares a scalar: the element of a block that is out of reach, and is waited for.
    Read {
        name: Name,
        block: Name,
        prim: Prim,
        index: Exp,
    },
    /// As [`Stm::Store`], to a block that is out of reach.
    Write {
        block: Name,
        prim: Prim,
        index: Exp,
        value: Exp,
    },
    /// Copies an array of these sizes from one place to another, which do not overlap. Host code may copy between
    /// blocks that are out of its reach.
    Copy {
        prim: Prim,
        sizes: Vec<Exp>,
        to: Side,
        from: Side,
    },
    /// For the values of the variable from 0 to below the bound, which the body does not change. The variable has the
    /// integer type `prim`, which is that of the bound.
    For {
        var: Name,
        prim: Prim,
        bound: Exp,
        hint: Hint,
        body: Vec<Stm>,
    },
    /// As long as the condition, a `bool`, holds.
    While {
        cond: Exp,
        body: Vec<Stm>,
    },
    If {
        cond: Exp,
        yes: Vec<Stm>,
        no: Vec<Stm>,
    },
    Switch {
        on: Exp,
        cases: Vec<(Scalar, Vec<Stm>)>,
        default: Vec<Stm>,
    },
    /// Declares an `i64`, at least 1 and at most the number of iterations if that is not less: in how many chunks a
    /// loop should run here and now whose iterations cost about so much each, in operations.
    Chunks {
        name: Name,
        /// Who runs them.
        level: Level,
        iterations: Exp,
        work: Exp,
        /// The iterations may differ in what they cost, so that more and smaller chunks are better.
        uneven: bool,
        /// What the chunks come to is combined one by one, so that there should not be too many.
        combined: bool,
    },
    /// Runs the body once for each chunk, all of them perhaps at the same time, with the [ids](Region::ids) of the
    /// level. The number of the worker that runs one is less than [`Stm::Workers`] says, and another one for chunks
    /// that run at the same time. Together the chunks are the iterations from 0 to below the bound: on the cores in
    /// their order, and as the body says where it gets no more than its number. What a chunk writes no other chunk
    /// reads or writes, but for [`Stm::Race`] and in the [`Stm::Slot`] of its worker. The body assigns no variable from
    /// outside and does not give up a block from there. Lowering makes this statement; in a finished program it is a
    /// [`Stm::Launch`], see `outline`.
    Parallel {
        level: Level,
        ids: Vec<Name>,
        iterations: Exp,
        chunks: Exp,
        /// How many lanes each has, if it is a block.
        lanes: Option<Exp>,
        body: Vec<Stm>,
        loc: LocId,
    },
    /// In a region for a block, which otherwise does one thing at a time: runs the body once for each lane, all of them
    /// perhaps at the same time, as [`Stm::Parallel`] does. Whatever was before is done, and this is done before what
    /// comes behind it.
    Lanes {
        lane: Name,
        /// That of the launch.
        count: Exp,
        body: Vec<Stm>,
    },
    /// In the code of a block: declares a block of `len` elements, at least one, on the stack of each lane. Only what
    /// lanes do reaches it, and each its own.
    PerLane {
        name: Name,
        prim: Prim,
        len: u64,
    },
    /// In the code of a block: combines what its lanes have, in their order.
    Combine {
        values: Vec<Combined>,
        /// How many lanes have something, the first ones.
        busy: Exp,
        /// Whether each of them gets what those before it come to, in place of what it has; but the first keeps that.
        prefixes: bool,
        /// What makes the results from the left and right operands. It changes nothing around it.
        body: Vec<Stm>,
    },
    /// Declares a block of so many words of eight bytes in device memory, for what the blocks of one launch tell each
    /// other. Only [`Stm::Take`], [`Stm::Publish`] and [`Stm::Await`] touch it, which find nothing of earlier launches
    /// there. It is borrowed.
    Board {
        name: Name,
        words: Exp,
    },
    /// In the code of a block, once: declares its number among those of the launch, an `i64`, in the order in which
    /// they begin, and a `u32` that tells this launch from others with the same board. The first words of a board,
    /// [`Board::HEAD`] many, are for this.
    Take {
        number: Name,
        turn: Name,
        board: Name,
    },
    /// In the code of a block: tells the other blocks these values, from a word of the board on that is nobody else's.
    Publish {
        board: Name,
        turn: Exp,
        at: Exp,
        values: Vec<Exp>,
    },
    /// In the code of lanes: declares what a block tells with [`Stm::Publish`], and waits for it. That block has begun.
    Await {
        names: Vec<(Name, Prim)>,
        board: Name,
        turn: Exp,
        at: Exp,
    },
    /// Runs a region `count` times, which share the iterations from 0 to below the bound among them. The arguments are
    /// for its parameters; the ids are given by whoever runs it. Leaves the function when one of them fails.
    Launch {
        region: Symbol,
        args: Vec<Arg>,
        iterations: Exp,
        count: Exp,
        lanes: Option<Lanes>,
    },
    /// Declares a `bool`: whether a result of so many bytes should be written past the caches.
    Streams {
        name: Name,
        bytes: Exp,
    },
    /// Copies the `len` elements of a block on the stack to an index of another block, past the caches. There they are
    /// whole cache lines.
    Stream {
        block: Name,
        prim: Prim,
        index: Exp,
        from: Name,
        len: u64,
    },
    /// As [`Stm::Store`], where another chunk may store to the same element: one of the values stays.
    Race {
        block: Name,
        prim: Prim,
        index: Exp,
        value: Exp,
    },
    /// Replaces elements by values that are made from them, where others may do the same at the same time: each of them
    /// sees the values of another, or what was there. The body runs at least once, and changes nothing around it. The
    /// operator that it stands for is associative and commutative: an update that changes nothing may be left out.
    Update {
        cells: Vec<Cell>,
        /// Several elements change together only for those who hold the same lock.
        lock: Option<Lock>,
        body: Vec<Stm>,
    },
    /// The results go to variables declared before. Leaves the function when the callee fails.
    Call {
        fun: Symbol,
        args: Vec<Arg>,
        results: Vec<Name>,
    },
    /// Leaves the function with an error unless the condition holds.
    Assert {
        cond: Exp,
        message: Vec<MessagePart>,
        loc: LocId,
    },
    /// Prints a scalar, or an array that is row-major.
    Trace {
        tag: Symbol,
        value: Traced,
    },
}

/// An element that an [`Stm::Update`] replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    pub block: Name,
    pub prim: Prim,
    pub index: Exp,
    /// What the element is, for the body and the values.
    pub old: Name,
    pub value: Exp,
}

/// An element of a block of `i32`, which is 0 as long as nobody holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lock {
    pub block: Name,
    pub index: Exp,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Scalar(Exp),
    Block(Name),
}

/// One of the values that lanes combine.
#[derive(Clone, Debug, PartialEq)]
pub struct Combined {
    /// What each lane has: the first element of a [`Stm::PerLane`].
    pub own: Name,
    pub prim: Prim,
    /// A block in [`Space::Shared`] with an element for each lane, for the time being.
    pub room: Name,
    /// The operands, for the body.
    pub left: Name,
    pub right: Name,
    pub result: Exp,
    /// What all come to, declared for what follows; zero where no lane has anything.
    pub all: Name,
}

/// How values are told on a [`Stm::Board`]: in pieces of four bytes, each with the turn in the upper half of its word.
#[derive(Clone, Copy, Debug)]
pub struct Board;

impl Board {
    /// The words that [`Stm::Take`] uses, which are a cache line.
    pub const HEAD: i64 = 16;

    /// How many words a value takes.
    pub fn words(prim: Prim) -> i64 {
        if prim.bytes() > 4 { 2 } else { 1 }
    }
}

/// The lanes of a block that is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    pub count: Exp,
    /// How many bytes of memory they share.
    pub shared: Exp,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Traced {
    Scalar(Exp),
    Array { block: Name, prim: Prim, offset: Exp, sizes: Vec<Exp> },
}

#[derive(Clone, Debug, PartialEq)]
pub enum MessagePart {
    Text(String),
    Value(Exp),
}

/// One side of a copy: an offset and a stride for each dimension, in elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    pub block: Name,
    pub offset: Exp,
    pub strides: Vec<Exp>,
}

/// What is known about a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// The iterations are independent of each other, but for reductions spelled with several accumulators.
    pub independent: bool,
    /// The loop should become straight-line code, so that what it keeps in a block on the stack is kept in registers.
    pub unroll: bool,
    /// The iterations are the lanes of vectors: the loop should become straight-line code with vectors, not scalars.
    pub lanes: bool,
    /// There are so few iterations that vectors and the care for what is left of them cost more than they save.
    pub few: bool,
}
