//! Programs of the data-parallel language Futhark as typed, safe functions of your crate. They are compiled to C and
//! that by the C compiler when your crate is built; your program needs no compiler and no file when it runs. To compile
//! programs while yours runs, see the crate `kenaz-lib`.
//!
//! With this in `Cargo.toml`:
//!
//! ```toml
//! [build-dependencies]
//! kenaz-build = { … }
//! ```
//!
//! and this in `build.rs`:
//!
//! ```no_run
//! kenaz_build::Program::new("src/stats.fut").backend(kenaz_build::Backend::Multicore).build();
//! ```
//!
//! a program `src/stats.fut`
//!
//! ```text
//! type summary = {least: f64, greatest: f64}
//! -- | What the numbers lie between.
//! entry summary (xs: []f64): summary = {least = f64.minimum xs, greatest = f64.maximum xs}
//! entry outer [n] [m] (xs: [n]f64) (ys: [m]f64): [n][m]f64 = map (\x -> map (* x) ys) xs
//! ```
//!
//! is a module of your crate:
//!
//! ```text
//! mod stats {
//!     include!(concat!(env!("OUT_DIR"), "/stats.rs"));
//! }
//!
//! fn main() -> Result<(), stats::Error> {
//!     let context = stats::Context::new()?;
//!     let summary = context.summary(&[3.0, 1.0, 2.0])?;
//!     assert_eq!((summary.least, summary.greatest), (1.0, 3.0));
//!     let table = context.outer(&[1.0, 2.0], &[3.0, 4.0, 5.0])?;
//!     assert_eq!((table.shape(), table[5]), ([2, 3], 10.0));
//!     Ok(())
//! }
//! ```
//!
//! # What is generated
//!
//! A `Context` is where the program keeps its memory and threads. It can be sent to another thread, but it is not
//! `Sync`: for calls at the same time, make several. Each entry point is a method of it, with the same comment.
//!
//! | type of the language | as an argument | as a result |
//! |---|---|---|
//! | `i32`, `f64`, `bool`, … | the same type of Rust; `f16` is the struct `F16` of its bits | the same |
//! | `[]f32` | `&[f32]`, `&[f32; N]`, `&Vec<f32>`, `&Array<f32, 1>` | `Array<f32, 1>` |
//! | `[][]f32` | `View::new(&elements, [rows, columns])`, `&Array<f32, 2>` | `Array<f32, 2>` |
//! | `*[]f32`, which is consumed | all of these, and `Array<f32, 1>` itself, which is updated where it is | |
//! | a tuple, a record, a sum | a reference to a tuple, to a struct, to an enum | the same |
//! | an array of records | a reference to a struct of arrays, one for each field | the same |
//! | any other | a reference to a struct that only entry points can make and use | the same |
//!
//! An array stays where the program has put it: on a CPU it derefs to a slice, and arguments are read where they are.
//! It borrows the context. With a back end for devices, [`Backend::OpenCl`] or [`Backend::Cuda`], an array is copied by
//! `to_vec` instead.
//!
//! # Features of Cargo as back ends
//!
//! The back end is an argument, so a feature can choose it:
//!
//! ```no_run
//! use kenaz_build::{Backend, Program};
//!
//! let backend = if cfg!(feature = "opencl") { Backend::OpenCl } else { Backend::Multicore };
//! Program::new("src/stats.fut").backend(backend).build();
//! // Several in one crate: each has a name and a module of its own.
//! Program::new("src/stats.fut").backend(Backend::C).name("stats_on_one_core").build();
//! ```
//!
//! # What Cargo is told
//!
//! The build is repeated when the program or a file that it imports changes. Warnings about the program are warnings of
//! the build. If the program is not right, the build fails with its diagnostics:
//!
//! ```text
//! error[unknown-name]: `ys` is not defined
//!  --> src/stats.fut:3:40
//!   |
//! 3 | entry sum (xs: []f64): f64 = f64.sum ys
//!   |                                      ^^ not found in this scope
//! ```
//!
//! The C compiler is the one of the crate `cc`, with its variables `CC` and `CFLAGS`. Unless they say so, it makes code
//! for any processor of the kind; `CFLAGS=-march=native` makes faster code for the one at hand.

mod names;
mod program;
mod write;

pub use program::{Backend, Error, Program};
