//! `kenaz bisect`: which rewrite of the compiler makes a program wrong?

use crate::passes::PassArgs;
use crate::program::mistake;
use crate::{Outcome, backend, output, program, run};
use kenaz_driver::bisect::Culprit;
use kenaz_driver::compare::{Input, Stages, explain};
use kenaz_driver::{Selection, function};
use kenaz_ir::{Ownership, Stage, Target};
use std::path::PathBuf;

/// Find the first rewrite after which a program gives another answer
///
/// The program is run on the values on standard input before and after every pass, down to the last stage: the
/// optimiser, where arrays are, and how loops run, which is evaluated loop by loop. If an answer differs, or a pass
/// makes a program that is not right, the rewrite that is to blame is shown, with the program before and after it. Exit
/// code 0: all answers are the same; 3: they are not.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The entry point to run
    #[arg(short, long, default_value = "main")]
    entry_point: String,

    /// Run these passes instead of the usual ones, separated by commas
    #[arg(long, value_name = "PASSES", value_delimiter = ',')]
    passes: Vec<String>,

    /// What the program is for
    #[arg(long, value_name = "TARGET", default_value = "c", value_parser = backend::target())]
    target: &'static Target,
}

pub fn run(args: &Args) -> Outcome {
    let compilation = match program::load(&args.file, &PassArgs::default(), false) {
        Ok(compilation) => compilation,
        Err(outcome) => return outcome,
    };
    let points = compilation.entry_points();
    let Some(entry) = points.iter().find(|point| point.name == args.entry_point) else {
        return mistake(&run::no_entry(&compilation, &points, &args.entry_point));
    };
    let wanted = Selection { optimise: true, passes: args.passes.clone(), ..Selection::default() };
    let pipeline = match wanted.pipeline(args.target, Stage::Memory(Ownership::Settled)) {
        Ok(pipeline) => pipeline,
        Err(error) => return mistake(&error.to_string()),
    };
    let prog = compilation.prog;
    let arguments = match run::read(&prog, entry, &run::InputArgs::default()) {
        Ok(values) => values,
        Err(message) => return mistake(&message),
    };
    let input = Input { function: function(&entry.name), arguments };
    let compared = Stages::new(&prog, &pipeline).and_then(|stages| Ok((stages.log.used(), stages.run(&input)?)));
    let (text, outcome) = match compared {
        Ok((rewrites, _)) => (format!("the answer is the same after each of {rewrites} rewrites\n"), Outcome::Right),
        Err(discrepancy) => {
            let found = explain(&prog, &pipeline, &discrepancy, Some(&input));
            let pass = discrepancy.passes.checked_sub(1).map_or("before all passes", |last| pipeline.passes[last].name);
            let what = format!("`{pass}`: {}: {}\n", discrepancy.wrong, discrepancy.message);
            (what + &found.map_or_else(String::new, |culprit| report(&culprit)), Outcome::Fault)
        }
    };
    output::to_stdout(&text).map_or_else(|failure| failure, |()| outcome)
}

fn report(culprit: &Culprit) -> String {
    let Culprit { fuel, rewrite, before, after } = culprit;
    let rewrite = rewrite.map_or_else(
        || "a pass changes the program without a rule".to_string(),
        |rewrite| {
            format!("rewrite {} is to blame: the rule `{}` of the pass `{}`", fuel + 1, rewrite.rule, rewrite.pass)
        },
    );
    format!("{rewrite}\n\nbefore:\n{before}\nafter:\n{after}\n")
}
