//! What runs programs, as the options of subcommands name it.

use clap::ValueEnum;
use kenaz_driver::Target;

/// Something that runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Backend {
    Interpreter,
    /// Compiled to sequential C
    C,
    /// Compiled to C that uses all cores
    Multicore,
}

impl Backend {
    /// What `kenaz run` uses unless it is told otherwise.
    pub const OF_RUN: Backend = Backend::C;

    /// What programs are compiled for, if they are.
    pub fn target(self) -> Option<Target> {
        match self {
            Backend::Interpreter => None,
            Backend::C => Some(Target::C),
            Backend::Multicore => Some(Target::Multicore),
        }
    }
}

/// A [`Target`] as an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Compiled {
    /// Sequential C
    C,
    /// C that uses all cores
    Multicore,
}

impl Compiled {
    pub fn target(self) -> Target {
        match self {
            Compiled::C => Target::C,
            Compiled::Multicore => Target::Multicore,
        }
    }
}
