//! The imperative IR: memory stage → loops, loads and stores.
//!
//! A program is a list of functions over scalars and blocks. Arrays are gone: what is left of them are blocks and index
//! expressions. There is one name space, that of the IR; a name is declared once in a function, in the block of
//! statements where it is used or around it.
//!
//! [`lower`] makes such programs and [`check`](mod@check) says what holds of them; [`print`](mod@print) is their text
//! form and [`eval`] runs them.

pub mod check;
pub mod eval;
mod exp;
mod inline;
mod local;
mod lower;
mod metrics;
pub mod print;
mod reach;
mod stm;
pub mod visit;

pub use check::{CheckError, check};
pub use exp::Exp;
pub use lower::lower;
pub use metrics::Metrics;
pub use stm::{Arg, EntryFun, Fun, Hint, MessagePart, Param, Prog, Side, Stm, Traced, Ty};
