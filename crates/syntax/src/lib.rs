//! Text to syntax tree.
//!
//! Parsing never fails: it returns a tree and a list of errors. What could not be understood is an `Error` node, about
//! which later passes stay silent. Comments are kept beside the tree.

pub mod ast;
pub mod dump;
pub mod foreign;
pub mod lexer;
pub mod literal;
mod parser;
pub mod token;

pub use parser::{parse_expr, parse_file};
