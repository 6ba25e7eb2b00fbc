//! `kenaz explain`: what became of a program.

use crate::output::same_file;
use crate::passes::{PassArgs, Stage};
use crate::{Outcome, output, program};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kenaz_explain::{Topic, explain, page, text};
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
    let passes = PassArgs { target: args.target, stage: Stage::Memory, ..PassArgs::default() };
    let compilation = match program::load(&args.file, &passes, false) {
        Ok(compilation) => compilation,
        Err(failure) => return failure,
    };
    let explanation = explain(&compilation);
    if let Some(path) = &args.html {
        if same_file(path, &args.file) {
            return program::mistake("the page would replace the program: choose another name with --html");
        }
        return output::to_file(path, &page(&explanation)).map_or_else(|failure| failure, |()| Outcome::Right);
    }
    let written = match args.output {
        Format::Text => output::to_stdout(&text(&explanation, &args.only)),
        Format::Json => output::to_stdout(&format!("{}\n", kenaz_explain::json(&explanation))),
    };
    written.map_or_else(|failure| failure, |()| Outcome::Right)
}
