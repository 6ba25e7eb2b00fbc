//! The compiler as a library: [`Compiler`] leads a program from its text to any stage and to C. It returns values and
//! diagnostics, and prints nothing.
//!
//! Below it are the pipelines of passes ([`pipeline`], [`pipelines`], [`Selection`]), what the passes have found out
//! ([`warn`], [`strategies`]), and the search for a wrong rewrite ([`compare`], [`bisect`]). What needs processes and
//! dynamic loading is in [`native`], behind a feature of the same name.
//!
//! # How the compiler is called
//!
//! `Compiler::new(files, target)` is all that the command, the tools and most tests begin with. Its methods and those
//! of the `Compilation` that it returns lead from one row of the first table to the next:
//!
//! | method | gives |
//! |---|---|
//! | `check` | the typed program, with its sources and what there is to say about it |
//! | `elaborate`, `to(stage)` | the IR as elaborated, or at a stage: with warnings, the passes that ran, their log and times |
//! | `lower`, `emit(artefact)` | loops; C for an executable, a server, a library or a module, with header and manifest |
//! | `build`, `load` | files made by the C compiler; a program in this process, whose entry points can be called |
//!
//! `Settings` say how the text is read, which passes run (`Selection`: `--optimise`, `--passes`, `--after`), how many
//! rewrites they may make, and whether the checker runs between them. Errors are types: a program that is `Rejected`,
//! with its diagnostics; a selection of passes that does not exist; a pass that broke a rule; a C compiler that is
//! missing or failed. What of this is a mistake of the user, and which exit code that has, is decided in `cli`.
//!
//! Without the feature `native` there is no `build` and no `load`, and nothing below `driver` needs processes, threads,
//! a clock or dynamic loading: that much is needed for a browser. Recursion is the open question there, since `stacker`
//! on `wasm32` moves only the stack in linear memory, and not the calls of the engine.

pub mod bisect;
pub mod compare;
mod compiler;
mod copies;
mod derivatives;
mod emit;
mod entries;
pub mod fault;
pub mod kernels;
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
pub use entries::{ArgumentsError, entry_points, function, message, result_types};
pub use pipeline::{BrokenPass, Options, Pipeline, Report, all_passes, optimise, pass, passes, run, step};
pub use select::{Selection, SelectionError};
