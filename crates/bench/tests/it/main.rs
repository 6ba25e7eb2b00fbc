//! The harness as users run it, and the programs it times.

mod comparison;
mod programs;
