//! Programs mean the same after every pass.

mod effects;
mod programs;
mod random;
