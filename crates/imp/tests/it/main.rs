//! Lowering to loops and blocks: what programs become, what that computes, and what its checker refuses.

mod check;
mod chunks;
mod common;
mod eval;
mod hist;
mod lower;
mod nests;
mod placed;
mod random;
mod tile;
