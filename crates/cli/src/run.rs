//! `kenaz run`: a program on the values on standard input.

use crate::backend::{Backend, ThreadArgs};
use crate::compiled::NotLoaded;
use crate::interpreter::{self, entry_points, function};
use crate::{Outcome, compiled, output, passes, program};
use kenaz_driver::build::BuildError;
use kenaz_interp::{Environment, Ready, RunError};
use kenaz_ir::{Prog, Target, target};
use kenaz_runtime::{Reader, Value};
use kenaz_testing::EntryPoint;
use std::io;
use std::path::PathBuf;

/// Run a program on the values on standard input
///
/// The program is compiled by the C compiler, `$CC` or `cc`, with the flags `$CFLAGS` or `-O3 -march=native`,
/// behind `-fno-math-errno -fno-trapping-math -ffp-contract=fast`, and `-fopenmp`; the result is kept in `$KENAZ_CACHE`, or the
/// folder `kenaz` for caches of the user.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The entry point to run
    #[arg(short, long, default_value = "main")]
    entry_point: String,

    /// What runs the program; multicore if not given, or c if the C compiler has no OpenMP
    #[arg(long, value_parser = Backend::parser())]
    backend: Option<Backend>,

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
}

pub fn run(args: &Args) -> Outcome {
    if let Err(message) = args.passes.must_be_ir() {
        return mistake(&message);
    }
    let backend = args.backend.unwrap_or(Backend::OF_RUN);
    let target = backend.target().filter(|_| !args.interpret && !args.passes.is_partial());
    if let Err(message) = args.threads.must_suit(target) {
        return mistake(&message);
    }
    let passes = target.map_or_else(|| args.passes.clone(), |target| args.passes.to_memory(target));
    let prog = match program::load(&args.file, &passes, !args.no_warnings) {
        Ok(prog) => prog,
        Err(outcome) => return outcome,
    };
    let points = entry_points(&prog);
    let Some(entry) = points.iter().find(|point| point.name == args.entry_point) else {
        return mistake(&no_entry(&points, &args.entry_point));
    };
    let values = match read(&prog, entry) {
        Ok(values) => values,
        Err(message) => return mistake(&message),
    };
    let results = if let Some(target) = target {
        run_compiled(args, prog, target, &entry.name, values)
    } else {
        let ready = Ready::new(&prog, args.passes.heap_options());
        let results = ready.run_entry(&function(&entry.name), values, &mut Environment::default());
        results.map_err(|error| fails(&error))
    };
    match results {
        Ok(results) => {
            let text: String = results.iter().map(|v| format!("{v}\n")).collect();
            if output::to_stdout(&text).is_err() { Outcome::Failure } else { Outcome::Right }
        }
        Err(outcome) => outcome,
    }
}

/// Runs an entry point of a program of the memory stage. Who has not asked for several cores gets one where the C compiler
/// knows nothing else.
fn run_compiled(
    args: &Args,
    prog: Prog,
    target: &'static Target,
    entry: &str,
    values: Vec<Value>,
) -> Result<Vec<Value>, Outcome> {
    compiled::check_shapes(&prog, entry, &values)?;
    let is_free = args.backend.is_none() && args.threads.num_threads.is_none();
    let (module, prog) = match compiled::load(&args.file, &prog, target, args.threads.num_threads) {
        Ok(module) => (module, prog),
        Err(NotLoaded::Build(error @ BuildError::NoOpenMp { .. })) if is_free => {
            if !args.no_warnings {
                let hint =
                    "the program runs on one core; `--backend c` asks for that, and `$CC` says which compiler to use";
                let _ = output::to_stderr(&format!("warning: {error}\nhint: {hint}\n"));
            }
            let prog = program::load(&args.file, &args.passes.to_memory(&target::C), false)?;
            let loaded = compiled::load(&args.file, &prog, &target::C, None);
            (loaded.map_err(|error| compiled::not_loaded(&args.file, error))?, prog)
        }
        Err(error) => return Err(compiled::not_loaded(&args.file, error)),
    };
    compiled::call(&module, &prog, entry, values)
}

/// Says how a program failed.
pub fn fails(error: &RunError) -> Outcome {
    let _ = output::to_stderr(&interpreter::message(error));
    interpreter::outcome(error)
}

/// Reads the values of an entry point's parameters.
pub fn read(prog: &Prog, entry: &EntryPoint) -> Result<Vec<Value>, String> {
    let mut reader = Reader::new(io::stdin().lock());
    let names = prog.funs.iter().find(|fun| fun.name.as_str() == function(&entry.name));
    let names = names.and_then(|fun| fun.entry.as_ref()).map_or(&[][..], |described| &described.params);
    let mut values = Vec::new();
    for (i, (param, described)) in entry.parameters.iter().zip(names).enumerate() {
        for part in &param.parts {
            let value = reader.next_of(*part);
            values.push(value.map_err(|e| format!("argument {} (`{}`: {}): {e}", i + 1, described.name, param.name))?);
        }
    }
    reader.finish().map_err(|e| format!("after the last argument: {e}"))?;
    Ok(values)
}

pub fn no_entry(points: &[EntryPoint], wanted: &str) -> String {
    let names: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
    let hint = match kenaz_base::similar(wanted, names.iter().copied()).first() {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.is_empty() => "; the program has none".to_string(),
        None => format!("; there are: {}", names.join(", ")),
    };
    format!("there is no entry point `{wanted}`{hint}")
}

pub fn mistake(message: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: {message}\n"));
    Outcome::Mistake
}
