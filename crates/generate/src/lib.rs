//! Random programs of the language, well-typed and with inputs, for comparing what they compute before and after a
//! pass, or on two back ends.
//!
//! A program is made from a sequence of choices ([`Choices`]), and 0 always stands for the simplest alternative. So a
//! program is made smaller by making its choices fewer and lower ([`shrink`]), which gives well-typed programs again.
//!
//! What is made terminates after little work and nearly always succeeds; now and then it fails on purpose, since
//! failures are to be compared too. Operators of reductions are associative with the right neutral element, and sums of
//! floating-point numbers are sums of small whole numbers, so that results do not depend on the order of evaluation.

mod arrays;
mod checks;
mod choices;
mod closures;
mod compound;
mod functions;
mod gen_state;
mod hidden;
mod idioms;
mod inputs;
mod modules;
mod opaque;
mod operators;
mod pieces;
mod program;
mod scalars;
mod shrink;
mod statements;
mod strategies;
mod types;
mod wrapped;

pub use choices::{Choices, Span};
pub use modules::{Case, ModuleProgram, generate_modules, replay_modules};
pub use program::{Entry, Program, Size, generate, replay};
pub use shrink::{MOST_ATTEMPTS, shrink};
