//! Programs mean the same after every pass.

mod programs;
mod random;
