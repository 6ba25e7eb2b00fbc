//! What runs programs, as the options of subcommands name it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kenaz_ir::{Level, Target, target};

/// Something that runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    Interpreter,
    /// A C compiler, of what the program is compiled to.
    Compiled(&'static Target),
}

impl Backend {
    /// What `kenaz run` uses unless it is told otherwise.
    pub const OF_RUN: Backend = Backend::Compiled(&target::MULTICORE);

    pub const INTERPRETER: &str = "interpreter";

    /// What programs are compiled for, if they are.
    pub fn target(self) -> Option<&'static Target> {
        match self {
            Backend::Interpreter => None,
            Backend::Compiled(target) => Some(target),
        }
    }

    /// Reads the value of `--backend`.
    pub fn parser() -> impl TypedValueParser<Value = Backend> {
        let values = std::iter::once(PossibleValue::new(Backend::INTERPRETER)).chain(targets());
        PossibleValuesParser::new(values)
            .map(|name| Target::from_name(&name).map_or(Backend::Interpreter, Backend::Compiled))
    }
}

/// Reads the value of `--target`.
pub fn target() -> impl TypedValueParser<Value = &'static Target> {
    PossibleValuesParser::new(targets()).try_map(|name| Target::from_name(&name).ok_or("there is no such target"))
}

fn targets() -> impl Iterator<Item = PossibleValue> {
    Target::ALL.iter().map(|target| PossibleValue::new(target.name).help(target.about))
}

/// On how many threads programs run.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct ThreadArgs {
    /// Run on this many threads, for the back end multicore; by default on as many as there are processors, or as
    /// `$OMP_NUM_THREADS` says
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=MOST_THREADS))]
    pub num_threads: Option<u32>,
}

/// As many as the run-time system of compiled programs allows, which is `KZ_MOST_THREADS` there.
const MOST_THREADS: i64 = 1 << 16;

impl ThreadArgs {
    /// Whether a back end has threads to count; or what is wrong.
    pub fn must_suit(self, target: Option<&Target>) -> Result<(), String> {
        let has_threads = target.is_some_and(|target| target.runs(Level::Core));
        match self.num_threads {
            Some(_) if !has_threads => Err("`--num-threads` is for `--backend multicore`".to_string()),
            _ => Ok(()),
        }
    }
}
