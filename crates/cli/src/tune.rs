//! `kenaz tune`: which attributes make a program faster?

use crate::backend::{Backend, ThreadArgs};
use crate::program::mistake;
use crate::{Outcome, output};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_driver::native::cache::user_folder;
use kenaz_driver::native::{DeviceError, device};
use kenaz_ir::{Space, target};
use kenaz_runtime::{Reader, Tolerance};
use kenaz_testing::{CompileError, DataSet};
use kenaz_tune::{Options, Progress, Report, TuneError, page};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Search for attributes that make a program faster
///
/// Attributes at the operators of the program (docs/strategies.md) are tried alone and together, on the data of its
/// test blocks. What the compiler refuses is not built, and the results of each candidate are compared with those of
/// the program as it is before it may win. The result is the program with the best attributes, NAME.tuned.fut, and a
/// page with all that was tried, NAME.tuned.html. What was measured is kept: a search that was interrupted goes on
/// where it was, and one with more time adds to it.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// For what the program is tuned
    #[arg(long, value_parser = Backend::parser(), default_value = target::MULTICORE.name)]
    backend: Backend,

    #[command(flatten)]
    threads: ThreadArgs,

    /// How long to search: `90s`, `2m`, `1h`
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    budget: Duration,

    /// Measure with the values in this file, instead of the data of the test blocks; may be given several times
    #[arg(long, value_name = "FILE")]
    input: Vec<PathBuf>,

    /// The entry point that takes them
    #[arg(short, long, default_value = "main")]
    entry_point: String,

    /// Where the program with attributes goes; the page goes beside it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Measure everything anew
    #[arg(long)]
    fresh: bool,

    /// What chance begins with
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How far floats may be from those of the untuned program, relative to the largest of an array
    #[arg(long, value_name = "NUMBER")]
    tolerance: Option<f64>,
}

pub fn run(args: &Args) -> Outcome {
    let target = match args.backend.target() {
        Ok(Some(target)) => target,
        Ok(None) => return mistake("the interpreter cannot be tuned; `--backend c` or another one can"),
        Err(outcome) => return outcome,
    };
    if let Err(message) = args.threads.must_suit(Some(target)) {
        return mistake(&message);
    }
    if target.host_space == Space::Device
        && args.backend != Backend::Gpu
        && let Err(DeviceError::Missing(what)) = device::probe(target)
    {
        return mistake(&what);
    }
    let tuned = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(args.file.file_stem().unwrap_or_default()).with_extension("tuned.fut"));
    if output::same_file(&tuned, &args.file) {
        return mistake(&format!("`{}` is the program itself; `-o` names another file", tuned.display()));
    }
    let data = match args.input.iter().map(|file| read(file, &args.entry_point)).collect::<Result<Vec<_>, _>>() {
        Ok(data) => data,
        Err(message) => return mistake(&message),
    };
    let folder = user_folder().map(|folder| folder.join("tuned"));
    let options = Options {
        target,
        budget: args.budget,
        threads: args.threads.num_threads,
        seed: args.seed,
        tolerance: args.tolerance.map_or(TOLERANCE, |t| Tolerance {
            f16: t,
            f32: t,
            f64: t,
            absolute: t,
            to_array: true,
        }),
        record: folder.filter(|_| !args.fresh),
        data,
    };
    let mut bar = Bar::default();
    let report = kenaz_tune::tune(&args.file, &options, &mut bar);
    bar.0.finish_and_clear();
    match report {
        Ok(report) => finish(args, &report, &tuned),
        Err(TuneError::Mistake(message)) => mistake(&message),
        Err(TuneError::Run(message)) => {
            let _ = output::to_stderr(&format!("error: the program cannot be measured: {}\n", message.trim_end()));
            Outcome::Failure
        }
        Err(TuneError::Compile(CompileError::Rejected(text))) => {
            let _ = output::to_stderr(&text);
            Outcome::Mistake
        }
        Err(TuneError::Compile(CompileError::Failed(text))) => {
            let _ = output::to_stderr(&text);
            Outcome::Fault
        }
    }
}

/// Only the order of sums may differ, also of long ones.
const TOLERANCE: Tolerance = Tolerance { f16: 2e-2, f32: 1e-3, f64: 1e-6, absolute: 0.0, to_array: true };

/// Writes what was found, and says what it is.
fn finish(args: &Args, report: &Report, tuned: &Path) -> Outcome {
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    let drawn = tuned.with_extension("html");
    let mut files = vec![(drawn.clone(), page::page(report, &name))];
    let mut text = format!("{} candidates tried\n", report.trials.len());
    if report.best.0.is_empty() {
        text.push_str("none is faster than the program as it is\n");
    } else {
        files.push((tuned.to_path_buf(), report.program.clone()));
        text.push_str(&format!("{:.2} times as fast with\n", 1.0 / report.ratio));
        for i in &report.best.0 {
            let choice = &report.choices[*i];
            text.push_str(&format!("  {}: #[{}] {}\n", choice.position, choice.attribute, short(&choice.text)));
        }
        text.push_str(&format!("the program with these attributes is in {}\n", tuned.display()));
    }
    text.push_str(&format!("all that was tried is in {}\n", drawn.display()));
    for ((program, message), number) in report.wrong.iter().zip(1..) {
        let path = tuned.with_extension(format!("wrong{number}.fut"));
        text.push_str(&format!(
            "our fault: {} does not do what the program does: {}\n",
            path.display(),
            message.lines().next().unwrap_or_default()
        ));
        files.push((path, program.clone()));
    }
    for (path, contents) in files {
        if let Err(failure) = output::to_file(&path, &contents) {
            return failure;
        }
    }
    let outcome = if report.wrong.is_empty() { Outcome::Right } else { Outcome::Fault };
    output::to_stdout(&text).map_or_else(|failure| failure, |()| outcome)
}

fn short(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_string(),
    }
}

fn read(file: &Path, entry: &str) -> Result<DataSet, String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut reader = Reader::open(file, None).map_err(|error| said(&error))?;
    let arguments = reader.rest().map_err(|error| said(&error))?;
    Ok(DataSet { entry: entry.to_string(), name: file.display().to_string(), arguments, expected: None })
}

/// `90`, `90s`, `2m`, `1h`
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a number of seconds, or one with `s`, `m` or `h` behind it, is expected".to_string();
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 1),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    if number == 0 { Err(wrong()) } else { Ok(Duration::from_secs(u64::from(number) * unit)) }
}

/// How far the search is, on a terminal.
struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Bar {
        let bar = if io::stderr().is_terminal() { ProgressBar::new(1000) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {elapsed}, {msg}") {
            bar.set_style(style);
        }
        bar.set_message("looking for what can be chosen");
        Bar(bar)
    }
}

impl Progress for Bar {
    fn begins(&mut self, choices: usize) {
        self.0.set_message(format!("{choices} choices"));
    }

    fn tried(&mut self, trials: usize, left: f64, best: f64) {
        self.0.set_position(((1.0 - left).clamp(0.0, 1.0) * 1000.0) as u64);
        self.0.set_message(format!("{trials} candidates, the best takes {:.0} % of the time", best * 100.0));
    }
}
