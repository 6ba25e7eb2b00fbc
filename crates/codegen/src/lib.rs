//! Imperative IR → C, sequential or with threads: executables, servers, libraries and modules, each as one file.
//!
//! | module | |
//! |---|---|
//! | [`host`] | functions, entry points, the C API, artefacts: C everywhere |
//! | `multicore` | regions for the cores of a CPU |
//! | `gpu` | regions for a device, as kernels |
//! | `dialect` | what expressions and statements look like in a language like C |
//! | `uses` | what a function does with its variables, found before anything is written |
//! | `parts` | the text of rts/, and which parts of it a program needs |
//!
//! `host`, `multicore` and `gpu` have the same files, `fun` for functions and `stm` for statements. Which of them are
//! used is asked of the target by its levels, never by its name.
//!
//! # What C compilers are told
//!
//! Generated C never looks at `errno` or at exceptions of floating-point arithmetic, and compilers are told so in front
//! of `$CFLAGS` (`codegen::FLAGS`): that alone lets gcc make vectors of square roots and of what is computed under a
//! condition. Products and sums may be fused, which `-std=c99` would forbid. Nothing else that changes results is
//! added. The index of an element is written as one sum in the access itself (`imp::reach`): there it cannot overflow,
//! and so the C compiler sees which elements are neighbours.

mod dialect;
mod gpu;
mod host;
mod multicore;
mod parts;
mod uses;

pub use host::{CFile, FLAGS, Options, executable, is_generated, library, module, region_names, server};
