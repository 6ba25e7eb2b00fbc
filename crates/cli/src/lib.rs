//! The command `kenaz`: one module per subcommand, each thin; the work is done by the crates below.

pub mod autotune;
pub mod backend;
pub mod bench;
pub mod bisect;
pub mod c;
pub mod check;
pub mod data;
pub mod dataset;
pub mod devices;
pub mod doc;
pub mod examples;
pub mod executor;
pub mod explain;
pub mod explain_error;
pub mod fmt;
pub mod hash;
pub mod interrupt;
pub mod ir;
pub mod literate;
pub mod lsp;
pub mod memory;
pub mod new;
pub mod output;
pub mod passes;
pub mod pkg;
pub mod program;
pub mod repl;
pub mod run;
pub mod shell;
pub mod test;
pub mod tune;
pub mod warn;

use std::process::ExitCode;

/// How a command ended. The numbers are part of the interface of every subcommand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Outcome {
    #[default]
    Right = 0,
    /// A program failed at run time, or a test did, or the machine did not let us do our work.
    Failure = 1,
    /// The user's mistake: in a program, on the command line, in the name of a file, in `$CFLAGS`. So is a file that
    /// cannot be written, since it can be another one.
    Mistake = 2,
    /// Our own fault, or something that is not supported yet.
    Fault = 3,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(outcome as u8)
    }
}
