//! `kenaz ir`: the program as the compiler sees it.

use crate::{
    Outcome, backend, output,
    passes::{PassArgs, Stage},
    program,
    warn::WarnArgs,
};
use clap::ValueEnum;
use kenaz_driver::kernels::{self, Access, AccessKind, Bound, Kernel, Many, RunsOn};
use kenaz_driver::strategies::{Row, Strategies};
use kenaz_ir::metrics::Metrics;
use kenaz_ir::{Target, target};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Print the intermediate representation of programs
#[derive(clap::Args)]
pub struct Args {
    /// The programs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Check the program instead of printing it
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    passes: PassArgs,

    #[command(flatten)]
    warn: WarnArgs,

    /// What the program is for, from the parallel stage on; `multicore` for --strategies, and otherwise `c` unless
    /// given
    #[arg(long, value_name = "TARGET", value_parser = backend::target())]
    target: Option<&'static Target>,

    /// Print how many of each operator there are, and how deeply nested, instead of the program
    #[arg(long)]
    metrics: bool,

    /// Say how each operator runs, and which attribute at its place in the program says so, instead of printing the
    /// program, and for a device when each kernel runs, on how many threads, and how much it reads and writes;
    /// `--strategies=annotated` prints the file with these attributes in it
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "list",
        conflicts_with_all = ["check", "metrics", "stage", "after", "passes", "fuel", "time_passes", "decisions"],
    )]
    strategies: Option<Shown>,
}

/// What is printed about strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Shown {
    /// One line for each place: the attribute that says what was chosen, and why that was
    List,
    /// The file with these attributes in it
    Annotated,
}

pub fn run(args: &Args) -> Outcome {
    if let Some(shown) = args.strategies {
        return run_strategies(args, shown);
    }
    let mut outcome = Outcome::Right;
    let target = args.target.unwrap_or(&target::C);
    let passes = PassArgs { target, ..args.passes.clone() };
    for path in &args.files {
        let compilation = match program::load(path, &passes, false) {
            Ok(compilation) => compilation,
            Err(failure) => {
                outcome = outcome.max(failure);
                continue;
            }
        };
        program::print(&compilation.sources, &args.warn.about(&compilation));
        if args.check
            && let Err(error) = compilation.check()
        {
            let stage = passes.stage.name();
            let _ = output::to_stderr(&format!("{}: the {stage} stage is not right: {error}\n", path.display()));
            outcome = outcome.max(Outcome::Fault);
        }
        let mut text = String::new();
        if passes.stage == Stage::Imp {
            outcome = outcome.max(imperative(args, path, &compilation.lower(), &mut text));
        } else if args.metrics {
            let _ = writeln!(text, "{}", Metrics::of(&compilation.prog));
        } else if !args.check {
            let _ = writeln!(text, "{}", compilation.prog);
        }
        if let Err(failure) = output::to_stdout(&text) {
            return failure;
        }
    }
    outcome
}

fn run_strategies(args: &Args, shown: Shown) -> Outcome {
    let target = args.target.unwrap_or(&target::MULTICORE);
    let compiler = PassArgs { target, ..PassArgs::default() }.compiler();
    let mut outcome = Outcome::Right;
    for path in &args.files {
        let strategies = match Strategies::of(&compiler, path, shown == Shown::Annotated) {
            Ok(strategies) => strategies,
            Err(error) => {
                outcome = outcome.max(program::failed(error, false));
                continue;
            }
        };
        let text = match shown {
            Shown::List => match kernels::of_file(&compiler, path) {
                Ok(kernels) => list(&strategies.rows()) + &kernel_list(&kernels),
                Err(error) => {
                    outcome = outcome.max(program::failed(error, false));
                    continue;
                }
            },
            Shown::Annotated => strategies.annotated(path).unwrap_or_default(),
        };
        if let Err(failure) = output::to_stdout(&text) {
            return failure;
        }
    }
    outcome
}

/// A paragraph for each kernel.
pub fn kernel_list(kernels: &[Kernel]) -> String {
    let mut out = String::new();
    for kernel in kernels {
        let place = kernel.places.first().map(|place| format!("  {place}")).unwrap_or_default();
        let _ = writeln!(out, "\nkernel {}{place}", kernel.name);
        for (i, caller) in kernel.places.iter().skip(1).enumerate() {
            put(&mut out, if i == 0 { "called" } else { "" }, &format!("at {caller}"));
        }
        for (i, condition) in kernel.conditions.iter().enumerate() {
            put(&mut out, if i == 0 { "when" } else { "and" }, condition);
        }
        for repeats in &kernel.repeats {
            let text = match repeats {
                Some(count) => format!("{count} times, in a loop of the host"),
                None => "as often as a loop of the host runs".to_string(),
            };
            put(&mut out, "runs", &text);
        }
        match &kernel.runs_on {
            RunsOn::Threads(threads) => put(&mut out, "on", &many(threads, "thread")),
            RunsOn::Blocks { blocks, lanes, bytes } => {
                put(&mut out, "on", &format!("{} of {lanes} lanes", many(blocks, "block")));
                put(&mut out, "on chip", &format!("{bytes} bytes"));
            }
        }
        for (len, prim) in &kernel.private {
            put(&mut out, "private", &format!("{len} {} for each thread", prim.name()));
        }
        kernel.accesses.iter().for_each(|access| put_access(&mut out, access));
        put(&mut out, "checks", if kernel.can_fail { "can fail" } else { "none" });
        for (i, (word, text)) in kernel.legend.iter().enumerate() {
            put(&mut out, if i == 0 { "where" } else { "" }, &format!("{word} = {text}"));
        }
    }
    out
}

fn put(out: &mut String, word: &str, text: &str) {
    let _ = writeln!(out, "  {word:<7}  {text}");
}

/// `one thread`, `16 threads`, `up to n blocks`, and with the name that other lines have for that number if it is not
/// just the word: `up to n blocks (blocks_2)`.
fn many(many: &Many, word: &str) -> String {
    match (&*many.count, &many.at_most) {
        ("1", _) => format!("one {word}"),
        (count, Some(most)) if count.strip_suffix('s') == Some(word) => format!("up to {most} {word}s"),
        (count, Some(most)) => format!("up to {most} {word}s ({count})"),
        (count, None) => format!("{count} {word}s"),
    }
}

fn put_access(out: &mut String, access: &Access) {
    let word = match access.kind {
        AccessKind::Read => "reads",
        AccessKind::Write | AccessKind::Race => "writes",
        AccessKind::Update => "updates",
    };
    let count = match access.bound {
        Bound::Exactly => access.count.clone(),
        Bound::AtMost => format!("at most {}", access.count),
        Bound::AtLeast => format!("at least {}", access.count),
        Bound::Unknown => "an unknown number of".to_string(),
    };
    let how = match access.kind {
        AccessKind::Read | AccessKind::Write => "",
        AccessKind::Race => ", where several may write the same element",
        AccessKind::Update => ", atomically",
    };
    put(out, word, &format!("{}: {count} {}{how}", access.arrays.join(" or "), access.prim.name()));
}

/// One line for each place, in columns; without attributes there is no column for them.
pub fn list(rows: &[Row]) -> String {
    let width = |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    let (first, second) = (width(|row| &row.place), width(|row| &row.attribute));
    let mut out = String::new();
    for Row { place, attribute, text } in rows {
        let attribute = if second == 0 { String::new() } else { format!("{attribute:<second$}  ") };
        let _ = writeln!(out, "{place:<first$}  {attribute}{text}");
    }
    out
}

/// What is said about the last stage, which is no program of the IR.
fn imperative(args: &Args, path: &Path, prog: &kenaz_imp::Prog, text: &mut String) -> Outcome {
    let checked = if args.check { kenaz_imp::check(prog) } else { Ok(()) };
    if args.metrics {
        let _ = writeln!(text, "{}", kenaz_imp::Metrics::of(prog));
    } else if !args.check {
        let _ = writeln!(text, "{}", kenaz_imp::print::prog(prog).trim_end());
    }
    match checked {
        Ok(()) => Outcome::Right,
        Err(error) => {
            let stage = args.passes.stage.name();
            let _ = output::to_stderr(&format!("{}: the {stage} stage is not right: {error}\n", path.display()));
            Outcome::Fault
        }
    }
}
