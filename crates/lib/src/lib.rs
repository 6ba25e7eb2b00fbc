//! Programs of the data-parallel language Futhark, called from Rust: compiled while your program runs, by the compiler
//! that is this library, and loaded into it. To compile them with your program instead, see the crate `kenaz-build`.
//!
//! ```
//! use kenaz::{Backend, Program};
//!
//! let program = Program::from_text(
//!     "entry dot (xs: []f64) (ys: []f64): f64 = f64.sum (map2 (*) xs ys)
//!      entry outer [n] [m] (xs: [n]f64) (ys: [m]f64): [n][m]f64 = map (\\x -> map (* x) ys) xs",
//!     Backend::Multicore,
//! )?;
//! let context = program.start()?;
//! let dot: f64 = context.call("dot", (&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]))?;
//! assert_eq!(dot, 32.0);
//!
//! // An array stays where the program has put it. Nothing is copied to look at it, or to pass it on.
//! let table: kenaz::Array = context.call("outer", (&[1.0, 2.0], &[3.0, 4.0, 5.0]))?;
//! assert_eq!(table.shape(), [2, 3]);
//! assert_eq!(table.as_slice::<f64>(), Some(&[3.0, 4.0, 5.0, 6.0, 8.0, 10.0][..]));
//! # Ok::<(), kenaz::Error>(())
//! ```
//!
//! # Arguments
//!
//! Anything that is an [`Argument`] is one, and a tuple of them is what an entry point takes:
//!
//! | type of the parameter | what can be passed |
//! |---|---|
//! | `i32`, `f64`, `bool`, … | the same type of Rust; `f16` is that of the crate `half` |
//! | `[]f32` | `&[f32]`, `&Vec<f32>`, `&[f32; N]` |
//! | `[][]f32`, `[][][]f32`, … | a [`View`] of a slice; with the feature `ndarray`, a reference to one of its arrays |
//! | any array | `&Array`, or an [`Array`] that is not needed any more |
//! | anything | [`Value`] or `&Value` |
//!
//! On a CPU the program reads slices, views and arrays where they are. They are copied only if the entry point consumes
//! the parameter (`*[]f32`), and a layout other than row by row is copied first. An [`Array`] that is passed by value
//! is consumed without a copy where nobody else has it.
//!
//! # Results
//!
//! What a call returns says what is wanted: scalars, `Vec`s of arrays with one dimension, [`Array`]s, with the feature
//! `ndarray` its `ArrayD`, `Array1`, `Array2`, …, [`Value`]s, and tuples of these where there are several results.
//!
//! Records, tuples, sums and opaque values are [`Value`]s:
//!
//! ```
//! use kenaz::{Backend, Program, Value};
//!
//! let program = Program::from_text(
//!     "type shape = #circle f32 | #square f32
//!      entry area (s: shape): f32 = match s case #circle r -> 3 * r * r case #square a -> a * a
//!      entry moved (p: {x: f32, y: f32}) (by: (f32, f32)): {x: f32, y: f32} = {x = p.x + by.0, y = p.y + by.1}",
//!     Backend::C,
//! )?;
//! let context = program.start()?;
//! assert_eq!(context.call::<_, f32>("area", (Value::variant("square", [3f32.into()]),))?, 9.0);
//!
//! let point = Value::record([("x", 1f32.into()), ("y", 2f32.into())]);
//! let moved: Value = context.call("moved", (point, Value::tuple([10f32.into(), 20f32.into()])))?;
//! assert_eq!(moved.field("y").and_then(Value::to_scalar::<f32>), Some(22.0));
//! # Ok::<(), kenaz::Error>(())
//! ```
//!
//! # Errors
//!
//! A program that is not right gives [`Error::Compile`], which has the diagnostics and the text that the command line
//! prints. What does not suit a parameter is [`Error::Type`], which names it and its type, before anything runs. An
//! index out of bounds, a failed `assert` and the like are [`Error::Run`]; the context can be used afterwards.
//!
//! # Threads
//!
//! [`Program`], [`Context`], [`Function`], [`Array`] and [`Value`] are `Send` and `Sync`. Calls of one context take
//! turns, each on as many threads as [`Options`] say; for calls at the same time, start several contexts.
//!
//! Compiling needs a C compiler: `$CC` or `cc`, with `$CFLAGS` or `-O3 -march=native`. What it makes is kept in the
//! cache of `kenaz run`, so that the next start of your program takes milliseconds.

mod argument;
mod array;
mod error;
#[cfg(feature = "ndarray")]
mod ndarray;
mod program;
mod results;
mod types;
mod value;

pub use argument::{Argument, Arguments, Mismatch, Slot, Slots, View};
pub use array::Array;
pub use error::{CompileError, Diagnostic, Error, RunError, TypeError};
pub use kenaz_base::{Prim, Severity};
pub use kenaz_embed::Options;
pub use kenaz_ir::Scalar;
pub use kenaz_runtime::Element;
pub use program::{Backend, Context, EntryPoint, Function, Param, Program};
pub use results::{FromResult, Parts, Results};
pub use types::{Field, Kind, Type, Variant};
pub use value::{Opaque, Value};
