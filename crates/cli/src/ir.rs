//! `kenaz ir`: the program as the compiler sees it.

use crate::{
    Outcome, backend, output,
    passes::{PassArgs, Stage},
    program,
    warn::WarnArgs,
};
use clap::ValueEnum;
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
    /// program; `--strategies=annotated` prints the file with these attributes in it
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
            Shown::List => list(&strategies.rows()),
            Shown::Annotated => strategies.annotated(path).unwrap_or_default(),
        };
        if let Err(failure) = output::to_stdout(&text) {
            return failure;
        }
    }
    outcome
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
