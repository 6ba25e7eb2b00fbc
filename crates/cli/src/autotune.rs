//! `kenaz autotune`: from which sizes on is which version of a nest the fastest?

use crate::backend::Backend;
use crate::program::mistake;
use crate::{Outcome, output};
use kenaz_driver::native::{DeviceError, device};
use kenaz_ir::{Space, target};
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::CompiledByC;
use kenaz_testing::{CompileError, Executor, data_sets, tuning_file, write_tuning};
use kenaz_tune::TuneError;
use kenaz_tune::thresholds::{Watch, thresholds};
use std::path::PathBuf;
use std::time::Duration;

/// Find the thresholds with which a program is fastest on its data
///
/// The result goes to FILE.tuning, where `kenaz test` and `futhark bench` find it; executables take it with `--tuning`.
/// The options are those of the command of Futhark of the same name. `kenaz tune` looks for attributes instead.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// For what the program is tuned
    #[arg(long, value_parser = Backend::parser(), default_value = target::OPENCL.name)]
    backend: Backend,

    /// Accepted, but ignored: this program compiles
    #[arg(long, value_name = "PROGRAM")]
    futhark: Option<String>,

    /// Start compiled programs with this option; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pass_option: Vec<String>,

    /// How often each data set is run
    #[arg(short, long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Say what is measured; twice, also what makes no difference
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,

    /// Accepted, but ignored: nothing is compiled twice
    #[arg(long)]
    skip_compilation: bool,

    /// Take the test blocks of this file, which stand in no comment, instead of those of the program
    #[arg(long, value_name = "FILE")]
    spec_file: Option<PathBuf>,

    /// The extension of the file that is written
    #[arg(long, value_name = "EXTENSION", default_value = "tuning")]
    tuning: String,

    /// How many seconds a data set may take; negative for any time
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true)]
    timeout: i64,
}

pub fn run(args: &Args) -> Outcome {
    let target = match args.backend.target() {
        Ok(Some(target)) => target,
        Ok(None) => return mistake("the interpreter has no thresholds; `--backend opencl` or another one has"),
        Err(outcome) => return outcome,
    };
    if target.host_space == Space::Device
        && args.backend != Backend::Gpu
        && let Err(DeviceError::Missing(what)) = device::probe(target)
    {
        return mistake(&what);
    }
    let for_ever = Duration::from_secs(u64::from(u32::MAX));
    let limit = u64::try_from(args.timeout).map_or(for_ever, Duration::from_secs);
    // All runs of a data set are one request.
    let limit = limit.saturating_mul(args.runs + 1);
    let mut executor = match CompiledByC::new(target, limit) {
        Ok(executor) => executor,
        Err(error) => return mistake(&error.to_string()),
    };
    executor.options.clone_from(&args.pass_option);
    let compiled = match executor.compile(&args.file) {
        Ok(compiled) => compiled,
        Err(CompileError::Rejected(text)) => {
            let _ = output::to_stderr(&text);
            return Outcome::Mistake;
        }
        Err(CompileError::Failed(text)) => {
            let _ = output::to_stderr(&text);
            return Outcome::Fault;
        }
    };
    let program = &*compiled.program;
    let data = match data_sets(&args.file, args.spec_file.as_deref(), program) {
        Ok(data) if data.is_empty() => return mistake("there is nothing to measure: no test block has an `input`"),
        Ok(data) => data,
        Err(message) => return mistake(&message),
    };
    let tolerance = Tolerance { f16: 2e-2, f32: 1e-3, f64: 1e-6, absolute: 0.0, to_array: true };
    let mut teller = Teller { verbosity: args.verbose };
    let tuned = match thresholds(&compiled, data, args.runs as usize, &tolerance, &mut teller) {
        Ok(tuned) => tuned,
        Err(TuneError::Mistake(message)) => return mistake(&message),
        Err(TuneError::Run(message)) => {
            let _ = output::to_stderr(&format!("error: the program cannot be measured: {}\n", message.trim_end()));
            return Outcome::Failure;
        }
        Err(TuneError::Compile(CompileError::Rejected(text) | CompileError::Failed(text))) => {
            let _ = output::to_stderr(&text);
            return Outcome::Fault;
        }
    };
    let file = tuning_file(&args.file, &args.tuning);
    if let Err(error) = write_tuning(&file, &tuned.tuning) {
        return mistake(&format!("`{}` cannot be written: {error}", file.display()));
    }
    let mut text = match tuned.thresholds {
        0 => "the program has no thresholds\n".to_string(),
        _ if tuned.tuning.is_empty() => "the defaults are as good as anything else\n".to_string(),
        _ => format!("{:.2} times as fast with\n", 1.0 / tuned.ratio),
    };
    text.extend(tuned.tuning.iter().map(|(name, value)| format!("  {name}={value}\n")));
    text.push_str(&format!("this is in {}\n", file.display()));
    for message in &tuned.wrong {
        text.push_str(&format!("our fault: other results with {message}\n"));
    }
    let outcome = if tuned.wrong.is_empty() { Outcome::Right } else { Outcome::Fault };
    output::to_stdout(&text).map_or_else(|failure| failure, |()| outcome)
}

/// Says how far the search is, as far as anybody wants to know.
struct Teller {
    verbosity: u8,
}

impl Watch for Teller {
    fn tell(&mut self, importance: u8, text: &str) {
        if importance < self.verbosity {
            let _ = output::to_stderr(&format!("{text}\n"));
        }
    }
}
