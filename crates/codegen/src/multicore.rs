//! Several cores of a CPU: how regions at level `core` become functions and calls of rts/parallel.h.

mod fun;
mod stm;

pub(crate) use fun::{RegionFn, write_run};
