//! The reference interpreter: runs the array stage by value, and the later ones by [`heap`].
//!
//! [`compile`] turns a program into instructions, [`Compiled::run`] runs one of its functions. Start with `code` for
//! the instructions, `compile` for how they come about and `machine` for what they do; the meaning of the operations on
//! scalars is in `scalar` and `math`.

mod array;
mod code;
mod compile;
mod constant;
mod coverage;
mod error;
pub mod heap;
mod machine;
mod math;
mod ready;
mod run;
mod scalar;
mod values;
mod vector;

pub use code::Compiled;
pub use compile::{Options, compile};
pub use constant::constant;
pub use error::{Kind, Rule, RunError};
pub use ready::Ready;
pub use run::{Environment, check_arguments};
pub use scalar::{binary, compare, convert, unary};
