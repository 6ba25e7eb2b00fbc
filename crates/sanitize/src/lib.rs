//! Test programs as C under the sanitizers or valgrind, and without memory.
//!
//! Every program is compiled as a server with all warnings as errors and with rts/tests/checked.h, which marks the end
//! of every block and keeps no freed ones. Each test case has a process of its own, which must end without a report and
//! leave no block behind. With [`Checks::faults`] every request for memory that a case makes fails once: the server
//! must say so or do without, and give the right result afterwards.
//!
//! With [`Tool::Threads`] it is programs for several cores under ThreadSanitizer instead, with rts/tests/counted.h,
//! which lets every loop run on several threads and counts them.
//!
//! With [`Tool::Device`] it is programs for a device, where requests are also all buffers, transfers, launches and
//! programs that a driver may have no memory for, and no buffer may be left at the end.

mod case;
mod compile;
mod loops;
mod requests;

pub use compile::{Checked, Checks, Driver, Tool, Totals};
pub use loops::{LoopName, Loops, Record};
