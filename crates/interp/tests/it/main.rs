//! The interpreters: operations on scalars at every type, errors, arguments, traces and counts. What programs compute,
//! and what is said about wrong uses of memory, is in tests/ir/interp.

mod arrays;
mod common;
mod control;
mod heap;
mod scalars;
mod vectors;
