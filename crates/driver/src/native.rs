//! What the C compiler of the machine makes of a program, and how that is called: in this process ([`module`]) or as a
//! server in one of its own ([`server`]). What it made is kept from one run to the next ([`cache`]).

pub mod build;
pub mod cache;
mod load;
pub mod module;
pub mod server;

pub use build::{BuildError, CCompiler};
pub use load::{LoadError, Loaded, Toolchain};
pub use module::CallError;
