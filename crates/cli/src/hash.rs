//! `kenaz hash`: what a program says, as a number, for tools that keep what they have made of it.

use crate::check::outcome_of;
use crate::{Outcome, output, program};
use kenaz_base::{RealFileSystem, Severity};
use kenaz_driver::Compiler;
use kenaz_ir::target;
use kenaz_runtime::Fingerprint;
use kenaz_syntax::dump;
use std::path::PathBuf;

/// Print a hash of a program and the files it imports
///
/// Layout and plain comments make no difference, nor do the names of files and folders.
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn run(args: &Args) -> Outcome {
    let checked = Compiler::new(&RealFileSystem, &target::C).check(&args.file);
    if checked.diagnostics.has_errors() {
        let mut diagnostics = checked.diagnostics.into_sorted();
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        program::print(&checked.sources, &diagnostics);
        return outcome_of(&diagnostics);
    }
    let mut hash = Fingerprint::new();
    for file in checked.files.iter().filter(|file| !checked.sources.file(file.file).builtin) {
        hash.add(dump::file(&checked.ast, file).as_bytes());
    }
    output::to_stdout(&format!("{hash}\n")).map_or_else(|failure| failure, |()| Outcome::Right)
}
