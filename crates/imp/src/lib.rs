//! The imperative IR: memory stage → loops, loads and stores.
//!
//! A program is a list of functions over scalars and blocks. Arrays are gone: what is left of them are blocks and index
//! expressions. There is one name space, that of the IR; a name is declared once in a function, in the block of
//! statements where it is used or around it.

mod exp;
mod stm;

pub use exp::Exp;
pub use stm::{Arg, Fun, Hint, MessagePart, Param, Prog, Side, Stm, Traced, Ty};
