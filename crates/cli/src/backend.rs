//! What runs programs, as the options of subcommands name it.

use crate::program::mistake;
use crate::{Outcome, output};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kenaz_driver::native::device;
use kenaz_ir::{Level, Target, target};

/// Something that runs programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    Interpreter,
    /// A C compiler, of what the program is compiled to.
    Compiled(&'static Target),
    /// A device, by way of whatever can be used.
    Gpu,
}

impl Backend {
    /// What `kenaz run` uses unless it is told otherwise.
    pub const OF_RUN: Backend = Backend::Compiled(&target::MULTICORE);

    pub const INTERPRETER: &str = "interpreter";
    const GPU: &str = "gpu";

    pub fn name(self) -> &'static str {
        match self {
            Backend::Interpreter => Backend::INTERPRETER,
            Backend::Compiled(target) => target.name,
            Backend::Gpu => Backend::GPU,
        }
    }

    /// What programs are compiled for, if they are; or how the command ends if there is no device. Which one is used is
    /// said where that was left open.
    pub fn target(self) -> Result<Option<&'static Target>, Outcome> {
        match self {
            Backend::Interpreter => Ok(None),
            Backend::Compiled(target) => Ok(Some(target)),
            Backend::Gpu => match device::first() {
                Ok(target) => {
                    let _ = output::to_stderr(&format!("note: running on a device with --backend {}\n", target.name));
                    Ok(Some(target))
                }
                Err(errors) => {
                    let errors = errors.iter().map(|(target, error)| format!("{}: {error}", target.name));
                    Err(mistake(&format!("no device can be used: {}", errors.collect::<Vec<_>>().join(" "))))
                }
            },
        }
    }

    /// Reads the value of `--backend`.
    pub fn parser() -> impl TypedValueParser<Value = Backend> {
        let gpu = PossibleValue::new(Backend::GPU).help("cuda where there is a device for it, else opencl");
        let values = std::iter::once(PossibleValue::new(Backend::INTERPRETER)).chain(targets()).chain([gpu]);
        PossibleValuesParser::new(values).map(|name| match Target::from_name(&name) {
            Some(target) => Backend::Compiled(target),
            None if name == Backend::GPU => Backend::Gpu,
            None => Backend::Interpreter,
        })
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
