//! What the C compiler of the machine makes of a program, and how that is called: in this process ([`module`]) or as a
//! server in one of its own ([`server`]); what it says when it fails is read in [`failure`]. What it made is kept from
//! one run to the next ([`cache`]).
//!
//! # How compiled programs are run
//!
//! `kenaz run` makes a shared library of a program (`codegen::module`), which exports one table of functions
//! (rts/module.h), and loads it: values cross as pointers and shapes, never as text. What the C compiler makes is kept
//! under the fingerprint of the C, the version of Kenaz, the compiler's file and flags, and the processor if the flags
//! say `native`, and under the hash of what it made (`driver::native::cache`): at most 512 MiB and 2000 files, of which
//! those go first that were not used for longest. A folder that cannot be written to only costs time. Without a C
//! compiler there is an error that names `--interpret`; nothing is interpreted unasked, since that may take a thousand
//! times longer. A crash of the program ends the command, since there is no way back into a process whose memory may be
//! damaged; it is said to be our fault, and which signal it was.
//!
//! A program for several cores (`kenaz multicore`, `--backend multicore`) is made by the same writer. Each region of
//! level `core` becomes a function that gets the number of a chunk, its first iteration and how many it has, and its
//! other parameters as a struct (`codegen::multicore`); rts/parallel.h splits the loop and rts/threads.h has
//! the threads that run the chunks, which end with the context. How many chunks there are depends on the sizes and on
//! the number of threads alone, so that sums of floats are the same in every run. This is what `kenaz run` does unless
//! it is told otherwise. Copies outside of parallel loops are split among the threads, too, if they are large
//! (rts/copies.h); those larger than the last cache bypass it (rts/stream.h), on one thread or several.
//!
//! `kenaz test --backend c` makes servers instead (`driver::native::server`), each a process that lives through all
//! cases of its program: one that crashes or takes too long fails that case and is started anew for the next. Those for
//! a device take turns in a few processes (`driver::native::host`), since to set one up takes longer than most tests.

pub mod build;
pub mod cache;
pub mod device;
pub mod failure;
pub mod host;
mod load;
pub mod module;
mod outputs;
pub mod server;
mod words;

pub use build::{BuildError, CCompiler};
pub use device::DeviceError;
pub use failure::{Failure, FailureKind};
pub use load::{LoadError, Loaded, Toolchain};
pub use module::CallError;
pub use outputs::Occupant;
pub use words::WordsError;
