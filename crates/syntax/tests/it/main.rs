//! The parser: what trees programs have, and what is said about those that have none.

mod common;
mod declarations;
mod errors;
mod expressions;
mod limits;
mod literals;
