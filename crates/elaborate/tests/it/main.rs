//! The rules of elaboration one by one, and what programs elaborate to.

mod common;
mod defunctionalise;
mod dispatch;
mod entry_types;
mod places;
mod programs;
