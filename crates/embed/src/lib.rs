//! Programs that are compiled while another program runs, and called by it: what bindings to other languages have in
//! common.
//!
//! [`Program::compile`] leads a program through the compiler and the C compiler, which it does not need where the
//! result is in the cache of `kenaz run`, and loads it. A [`Context`] runs its entry points: [`Context::call`] takes
//! scalars and arrays ([`Arg`]) and gives scalars and arrays ([`Value`]), those *parts* of which the values of the
//! language consist. How records, sums and opaque values consist of parts is told by `kenaz_ir::EntryType`: those of a
//! record are those of its fields, one after the other, and the first of a sum is the number of its variant. So nothing
//! of C is needed to take a value apart or to make one, and an opaque value is a list of parts.
//!
//! # Who owns what
//!
//! An [`Array`] owns a reference to a block of its context, and keeps the context alive, which keeps the program alive:
//! there is no order in which things must be dropped. Every method may be called from any thread. Calls of one context
//! take turns; an array that is dropped during one is freed at its end, so that dropping never waits.
//!
//! On a CPU the elements of an argument are read where they are ([`Memory`]), unless it is consumed, and those of a
//! result are written to a block which the caller may read and, once nobody else shares it, write ([`Array::unshare`]).
//! A block has a header and memory of the caller has none; lend.h tells how a program can use both. On a device,
//! arguments are copied to it, or are buffers there ([`Memory::buffer`]).
//!
//! | file | |
//! |---|---|
//! | `program` | from a file to a library in this process |
//! | `context` | contexts and calls |
//! | `array` | arrays of a context |
//! | `raw` | the functions of C |
//! | `embed.h`, `lend.h` | the other side of these |

mod array;
mod context;
mod error;
mod program;
mod raw;

pub use array::{Array, Memory};
pub use context::{Arg, Context, Options, Value};
pub use error::Error;
pub use program::{EntryPoint, Program, Source, text};
