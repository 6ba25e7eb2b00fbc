//! `kenaz explain`: what became of a program.

use crate::output::same_file;
use crate::passes::{PassArgs, Stage};
use crate::{Outcome, output, program};
use clap::ValueEnum;
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
    #[arg(long, value_enum, value_name = "TOPIC", value_delimiter = ',')]
    only: Vec<Only>,

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Which loops there are, who runs them and how
    Loop,
    /// Which operators became one
    Fusion,
    /// Where arrays are, and why they have memory of their own
    Memory,
    /// Which arrays are copied
    Copy,
    /// Which checks are left
    Check,
    /// What else was decided
    Decision,
    /// What to change
    Advice,
}

impl Only {
    fn topic(self) -> Topic {
        match self {
            Only::Loop => Topic::Loop,
            Only::Fusion => Topic::Fusion,
            Only::Memory => Topic::Memory,
            Only::Copy => Topic::Copy,
            Only::Check => Topic::Check,
            Only::Decision => Topic::Decision,
            Only::Advice => Topic::Advice,
        }
    }
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
        Format::Text => {
            let topics: Vec<Topic> = args.only.iter().map(|only| only.topic()).collect();
            output::to_stdout(&text(&explanation, &topics))
        }
        Format::Json => output::to_stdout(&format!("{}\n", kenaz_explain::json(&explanation))),
    };
    written.map_or_else(|failure| failure, |()| Outcome::Right)
}
