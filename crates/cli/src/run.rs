//! `kenaz run`: a program on values from files and standard input.

mod arguments;
mod progress;
mod results;

pub use arguments::{InputArgs, read};
pub use progress::with as with_progress;

use crate::backend::{Backend, ThreadArgs};
use crate::program::mistake;
use crate::warn::WarnArgs;
use crate::{Outcome, c, output, passes, program};
use kenaz_base::memory::without_limit;
use kenaz_driver::native::{CallError, FailureKind, LoadError, Loaded, Toolchain};
use kenaz_driver::{ArgumentsError, Compilation, function, message};
use kenaz_interp::{Environment, Kind, Ready, RunError};
use kenaz_runtime::{EntryPoint, Value};
use results::{OutputArgs, Outputs};
use std::path::PathBuf;

/// Run a program on values from files or standard input
///
/// The program is compiled by the C compiler, `$CC` or `cc`, with the flags `$CFLAGS` or `-O3 -march=native`, or `-O1`
/// for devices, after `-fno-math-errno -fno-trapping-math -ffp-contract=fast`, and `-pthread`; the result is kept in
/// `$KENAZ_CACHE`, or the folder `kenaz` for caches of the user.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The entry point to run
    #[arg(short, long, default_value = "main")]
    entry_point: String,

    /// What runs the program; multicore if not given
    #[arg(long, value_parser = Backend::parser())]
    backend: Option<Backend>,

    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    outputs: OutputArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    /// The same as --backend interpreter. Implied by --stage, --after, --passes and --fuel
    #[arg(long)]
    interpret: bool,

    #[command(flatten)]
    passes: passes::PassArgs,

    /// Do not print warnings
    #[arg(short = 'w', long)]
    no_warnings: bool,

    #[command(flatten)]
    warn: WarnArgs,
}

pub fn run(args: &Args) -> Outcome {
    if let Err(message) = args.passes.must_be_ir() {
        return mistake(&message);
    }
    let backend = args.backend.unwrap_or(Backend::OF_RUN);
    let backend = if args.interpret || args.passes.is_partial() { Backend::Interpreter } else { backend };
    let target = match backend.target() {
        Ok(target) => target,
        Err(outcome) => return outcome,
    };
    if let Err(message) = args.threads.must_suit(target) {
        return mistake(&message);
    }
    let passes = target.map_or_else(|| args.passes.clone(), |target| args.passes.to_memory(target));
    let compilation = match program::load(&args.file, &passes, !args.no_warnings) {
        Ok(compilation) => compilation,
        Err(outcome) => return outcome,
    };
    if !args.no_warnings {
        program::print(&compilation.sources, &args.warn.about(&compilation));
    }
    let points = compilation.entry_points();
    let Some(entry) = points.iter().find(|point| point.name == args.entry_point) else {
        return mistake(&no_entry(&compilation, &points, &args.entry_point));
    };
    let outputs = match Outputs::new(&args.outputs, entry, &compilation.sources) {
        Ok(outputs) => outputs,
        Err(message) => return mistake(&message),
    };
    let values = match without_limit(|| read(&compilation.prog, entry, &args.inputs)) {
        Ok(values) => values,
        Err(message) => return mistake(&message),
    };
    let results = if target.is_some() {
        run_compiled(args, &compilation, &entry.name, values)
    } else {
        let ready = Ready::new(&compilation.prog, compilation.pipeline.heap_options());
        let call = || ready.run_entry(&function(&entry.name), values, &mut Environment::default());
        let results = without_limit(call);
        results.map_err(|error| fails(&error))
    };
    let written = results.and_then(|results| without_limit(|| outputs.write(&results)));
    written.map_or_else(|outcome| outcome, |()| Outcome::Right)
}

/// Runs an entry point of a program of the memory stage.
fn run_compiled(
    args: &Args,
    compilation: &Compilation,
    entry: &str,
    values: Vec<Value>,
) -> Result<Vec<Value>, Outcome> {
    compilation.check_arguments(entry, &values).map_err(|error| match error {
        ArgumentsError::Broken(what) => broken(&what),
        ArgumentsError::Shapes(error) => fails(&error),
    })?;
    let loaded = load(compilation, args.threads.num_threads).map_err(|error| not_loaded(args, &error))?;
    without_limit(|| loaded.call(entry, values)).map_err(|error| called(&error))
}

fn load(compilation: &Compilation, threads: Option<u32>) -> Result<Loaded, LoadError> {
    let tools = Toolchain::from_env(compilation.pipeline.target)?;
    let what = format!("compiling {} …", compilation.path.display());
    progress::with(&what, || compilation.load(&tools, threads))
}

/// Says why the program was not loaded.
fn not_loaded(args: &Args, error: &LoadError) -> Outcome {
    match error {
        LoadError::Build(error) => {
            let no_compiler = "`--interpret` runs the program without one";
            c::not_built(&args.file, error, Some(no_compiler))
        }
        LoadError::Start(error) => called(error),
    }
}

/// Says how a compiled program failed, as the interpreter says it.
fn called(error: &CallError) -> Outcome {
    match error {
        CallError::Failed(failure) => {
            if failure.kind == FailureKind::Device {
                return mistake(failure.said());
            }
            let _ = output::to_stderr(&failure.message);
            if failure.kind == FailureKind::Arguments { Outcome::Mistake } else { Outcome::Failure }
        }
        CallError::Broken(what) => broken(what),
    }
}

/// Our own fault.
fn broken(what: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: internal error: {what}\n"));
    Outcome::Fault
}

/// Says how a program failed.
fn fails(error: &RunError) -> Outcome {
    let _ = output::to_stderr(&message(error));
    outcome(error)
}

/// How a command ends whose program failed.
pub fn outcome(error: &RunError) -> Outcome {
    match error.kind {
        Kind::Arguments => Outcome::Mistake,
        Kind::Limitation | Kind::Memory(_) | Kind::Fault => Outcome::Fault,
        Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Interrupted => Outcome::Failure,
    }
}

pub fn no_entry(compilation: &Compilation, points: &[EntryPoint], wanted: &str) -> String {
    let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
    let is_definition = |line: &str| {
        let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("let ")).unwrap_or("");
        let rest = rest.trim_start().strip_prefix(wanted).filter(|_| !wanted.is_empty());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\''))
    };
    let sources = &compilation.sources;
    let file = sources.ids().map(|id| sources.file(id)).find(|file| file.path == compilation.path);
    if file.is_some_and(|file| file.text.lines().any(is_definition)) {
        return format!("`{wanted}` is no entry point; define it with `entry` instead of `def`");
    }
    let hint = match kenaz_base::similar(wanted, names.iter().copied()).first() {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.is_empty() => "; the program has none".to_string(),
        None => format!("; there are: {}", names.join(", ")),
    };
    format!("there is no entry point `{wanted}`{hint}")
}
