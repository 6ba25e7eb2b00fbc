//! Typed programs to the array stage of the IR.
//!
//! Three steps, each with its own module: [`translate`] goes from the syntax tree to the [`core`], expanding modules
//! ([`resolve`]) and making everything monomorphic.

pub mod core;
pub mod defunctionalise;
mod free;
pub mod lower;
pub mod resolve;
pub mod translate;
