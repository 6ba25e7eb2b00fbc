//! The imperative IR: memory stage → loops, loads and stores.
//!
//! A program is a list of functions over scalars and blocks, and of regions: what runs at the same time, or on another
//! machine, than the function that launches it. Arrays are gone: what is left of them are blocks, each in a space of
//! memory, and index expressions. There is one name space, that of the IR; a name is declared once in a function or
//! region, in the block of statements where it is used or around it.
//!
//! [`lower`] makes such programs, the last step of which is [`mod@outline`]; [`check`](mod@check) says what holds of them,
//! [`print`](mod@print) is their text form and [`eval`] runs them.

pub mod check;
pub mod eval;
mod exp;
mod inline;
mod local;
mod lower;
mod metrics;
pub mod outline;
pub mod print;
mod reach;
mod stm;
pub mod visit;

pub use check::{CheckError, check};
pub use exp::Exp;
pub use lower::lower;
pub use metrics::Metrics;
pub use stm::{Arg, EntryFun, Fun, Hint, MessagePart, Param, Prog, Region, Side, Stm, Traced, Ty};
