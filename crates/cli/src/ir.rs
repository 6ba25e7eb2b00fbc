//! `kenaz ir`: the program as the compiler sees it.

use crate::backend::Compiled;
use crate::{
    Outcome, output,
    passes::{self, Stage},
    program,
};
use kenaz_ir::metrics::Metrics;
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
    passes: passes::PassArgs,

    /// What the program is for, from the parallel stage on
    #[arg(long, value_enum, default_value_t = Compiled::C)]
    target: Compiled,

    /// Print how many of each operator there are, and how deeply nested, instead of the program
    #[arg(long)]
    metrics: bool,
}

pub fn run(args: &Args) -> Outcome {
    let mut outcome = Outcome::Right;
    let passes = passes::PassArgs { target: args.target.target(), ..args.passes.clone() };
    for path in &args.files {
        let prog = match program::load(path, &passes, false) {
            Ok(prog) => prog,
            Err(failure) => {
                outcome = outcome.max(failure);
                continue;
            }
        };
        if args.check
            && let Err(error) = passes.check(&prog)
        {
            let stage = passes.stage.name();
            let _ = output::to_stderr(&format!("{}: the {stage} stage is not right: {error}\n", path.display()));
            outcome = outcome.max(Outcome::Fault);
        }
        let mut text = String::new();
        if passes.stage == Stage::Imp {
            let lowered = kenaz_driver::lower(&prog, passes.target);
            outcome = outcome.max(imperative(args, path, &lowered, &mut text));
        } else if args.metrics {
            let _ = writeln!(text, "{}", Metrics::of(&prog));
        } else if !args.check {
            let _ = writeln!(text, "{prog}");
        }
        if output::to_stdout(&text).is_err() {
            return Outcome::Failure;
        }
    }
    outcome
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
