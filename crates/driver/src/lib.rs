//! The compiler as a library: [`Compiler`] leads a program from its text to any stage and to C. It returns values and
//! diagnostics, and prints nothing.
//!
//! Below it are the pipelines of passes ([`pipeline`], [`pipelines`], [`Selection`]), what the passes have found out
//! ([`warn`], [`strategies`]), and the search for a wrong rewrite ([`compare`], [`bisect`]). What needs processes and
//! dynamic loading is in [`native`], behind a feature of the same name.

pub mod bisect;
pub mod compare;
mod compiler;
mod emit;
mod entries;
pub mod fault;
mod lowered;
#[cfg(feature = "native")]
pub mod native;
pub mod pipeline;
pub mod pipelines;
mod select;
pub mod strategies;
pub mod warn;

pub use compiler::{Compilation, CompileError, Compiler, ReadError, Rejected, Settings};
pub use emit::{Artefact, lower, lower_checked};
pub use entries::{ArgumentsError, entry_points, function, message};
pub use pipeline::{BrokenPass, Options, Pipeline, Report, all_passes, optimise, pass, passes, run, step};
pub use select::{Selection, SelectionError};
