//! `kenaz explain`: what became of a program.

mod run;

use crate::output::same_file;
use crate::passes::{PassArgs, Stage};
use crate::{Outcome, output, program};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kenaz_explain::{Topic, page, text};
use kenaz_ir::Target;
use std::path::PathBuf;

/// Explain what became of a program: its loops, memory, copies and checks, at its source lines
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// For which target
    #[arg(long, value_parser = crate::backend::target(), value_name = "TARGET", default_value = "multicore")]
    target: &'static Target,

    /// Only say what is about these: all, if none is given
    #[arg(long, value_parser = topic(), value_name = "TOPIC", value_delimiter = ',')]
    only: Vec<Topic>,

    /// How to write it, on standard output
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    output: Format,

    /// Write a page of HTML to this file instead, which needs nothing else
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["output", "only"])]
    html: Option<PathBuf>,

    #[command(flatten)]
    run: run::RunArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The source with notes under its lines
    Text,
    /// One JSON object with all facts
    Json,
}

/// Reads the values of `--only`.
fn topic() -> impl TypedValueParser<Value = Topic> {
    let values = Topic::ALL.map(|topic| PossibleValue::new(topic.name()).help(topic.about()));
    PossibleValuesParser::new(values).try_map(|name| Topic::from_name(&name).ok_or("there is no such topic"))
}

pub fn run(args: &Args) -> Outcome {
    if args.html.as_ref().is_some_and(|path| same_file(path, &args.file)) {
        return program::mistake("the page would replace the program: choose another name with --html");
    }
    if let Err(message) = args.run.must_be_for_a_run() {
        return program::mistake(&message);
    }
    let passes = PassArgs { target: args.target, stage: Stage::Memory, ..PassArgs::default() };
    let compilation = match program::load(&args.file, &passes, false) {
        Ok(compilation) => compilation,
        Err(failure) => return failure,
    };
    let mut explanation = kenaz_explain::explain(&compilation);
    if args.run.run {
        match run::of(&args.run, &args.file, args.target, &compilation, &explanation) {
            Ok(run) => explanation.run = Some(run),
            Err(failure) => return failure,
        }
    }
    if let Some(path) = &args.html {
        return output::to_file(path, &page(&explanation)).map_or_else(|failure| failure, |()| Outcome::Right);
    }
    let written = match args.output {
        Format::Text => output::to_stdout(&text(&explanation, &args.only)),
        Format::Json => output::to_stdout(&format!("{}\n", kenaz_explain::json(&explanation))),
    };
    written.map_or_else(|failure| failure, |()| Outcome::Right)
}
