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
    pub const OF_RUN: Backend = Backend::Multicore;

    /// What programs are compiled for, if they are.
    pub fn target(self) -> Option<Target> {
        match self {
            Backend::Interpreter => None,
            Backend::C => Some(Target::C),
            Backend::Multicore => Some(Target::Multicore),
        }
    }
}

/// On how many threads programs run.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct ThreadArgs {
    /// Run on so many threads, for the back end multicore; by default on as many as there are processors, or as
    /// `$OMP_NUM_THREADS` says
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=MOST_THREADS))]
    pub num_threads: Option<u32>,
}

/// As many as the run-time system of compiled programs allows, which is `KZ_MOST_THREADS` there.
const MOST_THREADS: i64 = 1 << 16;

impl ThreadArgs {
    /// Whether a back end has threads to count; or what is wrong.
    pub fn must_suit(self, target: Option<Target>) -> Result<(), String> {
        match (self.num_threads, target) {
            (None, _) | (Some(_), Some(Target::Multicore)) => Ok(()),
            (Some(_), Some(Target::C) | None) => Err("`--num-threads` is for `--backend multicore`".to_string()),
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
