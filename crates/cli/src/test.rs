//! `kenaz test`: do programs what their test blocks say?

use crate::backend::{Backend, ThreadArgs};
use crate::program::mistake;
use crate::{Outcome, output, passes};
use kenaz_driver::native::cache::user_folder;
use kenaz_driver::native::{DeviceError, device};
use kenaz_ir::Space;
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::{CompiledByC, Interpreter, Watch};
use kenaz_testing::{Executor, Options, find_programs};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Test programs against the test blocks in their comments
#[derive(clap::Args)]
pub struct Args {
    /// Programs, and folders in which to look for programs
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Run the examples in documentation comments instead of test blocks: in blocks of code, `> EXPRESSION` and then
    /// its values
    #[arg(long)]
    doc: bool,

    /// What runs the programs; all but the interpreter run each as a server, compiled by `$CC` with `$CFLAGS` or `-O1`
    #[arg(long, value_parser = Backend::parser(), default_value = Backend::INTERPRETER)]
    pub backend: Backend,

    /// What runs programs to say what is right where they say `auto output`, such as `c`, which is faster than the
    /// interpreter
    #[arg(long, value_parser = Backend::parser(), default_value = Backend::INTERPRETER)]
    reference: Backend,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Start compiled programs with this option, such as `--pass-option=--param=few=0`; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_option: Vec<String>,

    /// The extension of tuning files: a compiled program `a.fut` runs with the parameters in `a.fut.tuning`, if there
    /// is such a file
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,

    /// Do not look for tuning files
    #[arg(long)]
    no_tuning: bool,

    /// How many seconds a compiled program may take for a test
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    #[command(flatten)]
    pub passes: passes::PassArgs,

    /// Leave out programs and cases with this tag
    #[arg(long, value_name = "TAG")]
    exclude: Vec<String>,

    /// How many tests run at a time; as many as there are processors if not given
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,

    /// How far floats may be from what is expected, relative to the largest of an array
    #[arg(long, value_name = "NUMBER")]
    tolerance: Option<f64>,

    /// Where results of the reference are kept; in the folder for caches of the user if not given
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
}

/// Tests as the arguments say.
pub fn command(args: &Args) -> Outcome {
    let limit = Duration::from_secs(args.timeout.into());
    let reference: Box<dyn Executor> = match args.reference.target() {
        Ok(None) => Box::new(Interpreter::default()),
        Ok(Some(target)) => match CompiledByC::new(target, limit) {
            Ok(executor) => Box::new(executor),
            Err(error) => return mistake(&error.to_string()),
        },
        Err(outcome) => return outcome,
    };
    let reference = Some(&*reference);
    let target = match args.backend.target() {
        Ok(target) => target,
        Err(outcome) => return outcome,
    };
    if let Err(message) = args.threads.must_suit(target) {
        return mistake(&message);
    }
    match target {
        None => {
            if let Err(message) = args.passes.must_be_ir() {
                return mistake(&message);
            }
            let passes = &args.passes;
            let executor = Interpreter {
                settings: passes.settings(),
                target: passes.target,
                stage: passes.stage.of_ir(),
                watch: Some(watch(passes)),
                ..Interpreter::default()
            };
            run(args, &executor, reference)
        }
        Some(_) if args.passes.is_partial() => {
            mistake("`--stage`, `--after`, `--passes` and `--fuel` are for `--backend interpreter`")
        }
        Some(target) => {
            // Without a device every program would fail, and in other words. `gpu` has asked.
            if args.backend != Backend::Gpu
                && target.host_space == Space::Device
                && let Err(DeviceError::Missing(what)) = device::probe(target)
            {
                return mistake(&what);
            }
            let mut executor = match CompiledByC::new(target, limit) {
                Ok(executor) => executor,
                Err(error) => return mistake(&error.to_string()),
            };
            executor.settings = args.passes.settings();
            executor.threads = args.threads.num_threads;
            executor.options.clone_from(&args.pass_option);
            executor.tuning = (!args.no_tuning).then(|| args.tuning.clone());
            executor.tools.compiler = executor.tools.compiler.with_default_flags(&["-O1"]);
            executor.watch = Some(watch(&args.passes));
            run(args, &executor, reference)
        }
    }
}

/// Tells of each program what the options want to know.
fn watch(passes: &passes::PassArgs) -> Watch {
    let passes = passes.clone();
    Arc::new(move |compilation| passes.tell(compilation))
}

/// Tests with an executor; `reference` computes what is expected where a program says `auto output`.
pub fn run(args: &Args, executor: &dyn Executor, reference: Option<&dyn Executor>) -> Outcome {
    let mut programs = Vec::new();
    for path in &args.paths {
        match find_programs(path) {
            Ok(found) => programs.extend(found),
            Err(error) => {
                // There is nobody left to tell if this fails.
                let _ = output::to_stderr(&format!("error: `{}` cannot be read: {error}\n", path.display()));
                return Outcome::Mistake;
            }
        }
    }
    let options = Options {
        executor,
        reference,
        cache: args.cache.clone().or_else(|| Some(user_folder()?.join("references"))),
        tolerance: args.tolerance.map_or(Tolerance::SUITE, tolerance),
        exclude: args.exclude.clone(),
        threads: args.concurrency.map(usize::from),
        progress: io::stderr().is_terminal(),
    };
    let report = if args.doc {
        match kenaz_testing::run_examples(&programs, &options) {
            Ok(report) => report,
            Err((path, error)) => return mistake(&format!("`{}` cannot be used: {error}", path.display())),
        }
    } else {
        kenaz_testing::run(&programs, &options)
    };
    let outcome = if report.failed() == 0 { Outcome::Right } else { Outcome::Failure };
    output::to_stdout(&report.to_string()).map_or_else(|failure| failure, |()| outcome)
}

fn tolerance(relative: f64) -> Tolerance {
    Tolerance { f16: relative, f32: relative, f64: relative, absolute: relative, to_array: true }
}
