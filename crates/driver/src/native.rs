//! What the C compiler of the machine makes of a program, and how that is called: in this process ([`module`]) or as a
//! server in one of its own ([`server`]); what it says when it fails is read in [`failure`]. What it made is kept from one run to the next ([`cache`]).

pub mod build;
pub mod cache;
pub mod failure;
mod load;
pub mod module;
pub mod server;

pub use build::{BuildError, CCompiler};
pub use failure::{Failure, FailureKind};
pub use load::{LoadError, Loaded, Toolchain};
pub use module::CallError;
