//! Devices: how regions at level `grid` become kernels, and what host code asks of rts/device.h.

mod block;
mod fun;
mod narrow;
mod stm;
mod tell;
mod update;

pub(crate) use block::BlockCode;
pub(crate) use fun::Kernels;
pub(crate) use stm::Failures;
