//! The imperative IR: memory stage → loops, loads and stores.
//!
//! A program is a list of functions over scalars and blocks, and of regions: what runs at the same time, or on another
//! machine, than the function that launches it. Arrays are gone: what is left of them are blocks, each in a space of
//! memory, and index expressions. There is one name space, that of the IR; a name is declared once in a function or
//! region, in the block of statements where it is used or around it.
//!
//! [`lower`] makes such programs, the last step of which is [`mod@outline`]; [`check`](mod@check) says what holds of
//! them,
//! [`print`](mod@print) is their text form and [`eval`] runs them.
//!
//! # How loops are written
//!
//! A body that is written more than once is lowered where it stands, under new names, so that what is fixed in a loop
//! is bound in front of it and the index of every access is a sum of that and of what the loop counts. C compilers need
//! to see this: with an index that is computed in wrapping arithmetic inside the loop, GCC gathers single elements.
//!
//! For several cores (`kenaz multicore`) `schedule` makes `par`s of filters, and the pass `cores` says which `par`s run
//! on the cores of the CPU. `core` may stand in `core`, which the design document does not have: the inner one runs in
//! parallel where the outer one has fewer iterations than there are cores, and both are checked for races. `imp` lowers
//! such a `par` to `chunks`, `parallel` and what combines the results of chunks (`lower::chunks`), and the last step
//! makes a region of each parallel loop (`imp::outline`). A chunk is the same `par` over a part of its space, in
//! sequence, with the rest of its plan. How many chunks there are depends on the sizes and the number of threads alone,
//! and chunks are combined in their order, so that results are the same from run to run. What an iteration allocates
//! for itself is a slot of its worker (`place::expand`), or, where its block is handed to a function, allocated once
//! for each chunk (`lower::lift`). `codegen` makes functions of each region; rts/parallel.h runs them.
//!
//! | on several cores | how |
//! |---|---|
//! | when | where a loop has enough operations, as estimated by `plan::work` in terms of sizes: loops that become vectors are fast, and others are said to have more |
//! | scans | chunks are reduced, and then scanned from where those before them end; operands that take long to compute are computed before, by a `par` of their own (`schedule::screma`) |
//! | histograms | each chunk has destinations of its own, if these are not more than its operands; rows are combined element by element |
//! | results larger than the last cache | are written past it, in whole lines that are computed in registers (`lower::stream`, rts/stream.h); a loop has a second version for that |

pub mod check;
mod device;
pub mod eval;
mod exp;
mod inline;
mod local;
mod lower;
mod metrics;
pub mod outline;
pub mod print;
mod reach;
mod sink;
mod stm;
pub mod symbolic;
mod table;
pub mod visit;

pub use check::{CheckError, check};
pub use exp::Exp;
pub use lower::lower;
pub use metrics::Metrics;
pub use stm::{
    Arg, Board, Cell, Combined, EntryFun, Fun, Hint, Index, Lanes, Lock, MessagePart, Param, Prog, Region, Side, Stm,
    Traced, Ty,
};
