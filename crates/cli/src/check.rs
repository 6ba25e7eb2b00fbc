//! `kenaz check`: is the program right?
//!
//! Diagnostics for people go to stderr, like those of other compilers; the formats for programs go to stdout, where
//! programs look. A program without errors and warnings is answered with silence.

use crate::warn::WarnArgs;
use crate::{Outcome, output};
use clap::ValueEnum;
use kenaz_base::{Code, Diagnostic, FileSystem, RealFileSystem, Severity, SourceMap, render};
use kenaz_driver::{CompileError, Compiler, fault};
use kenaz_ir::{Ownership, Stage, Target, target};
use std::path::{Path, PathBuf};

/// Check programs for errors
#[derive(clap::Args)]
pub struct Args {
    /// The programs to check, each on its own with the files it imports
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Do not print warnings
    #[arg(short = 'w', long)]
    no_warnings: bool,

    /// Check also that all attributes can be obeyed in programs for this target
    #[arg(long, value_parser = crate::backend::target(), value_name = "TARGET")]
    target: Option<&'static Target>,

    #[command(flatten)]
    warn: WarnArgs,

    /// How to print diagnostics: `terminal` on stderr, the others on stdout
    #[arg(long, value_enum, default_value_t = Output::Terminal, value_name = "FORMAT")]
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people, with the source
    Terminal,
    /// One line for each: `path:line:column: error[id]: message`
    Concise,
    /// One JSON object per line for each
    Json,
}

pub fn run(args: &Args) -> Outcome {
    let mut outcome = Outcome::Right;
    let mut tally = render::Tally::default();
    for path in &args.files {
        let (sources, mut diagnostics) =
            fault::guard(|| asked(path, args.target, &args.warn)).unwrap_or_else(|fault| {
                let (sources, diagnostic) = fault.about(path);
                (sources, vec![diagnostic])
            });
        if args.no_warnings {
            diagnostics.retain(|d| d.severity != Severity::Warning);
        }
        outcome = outcome.max(outcome_of(&diagnostics));
        tally.add(&diagnostics);
        if let Err(failure) = print(args.output, &sources, &diagnostics) {
            return failure;
        }
    }
    if args.output == Output::Terminal && !tally.is_empty() && output::to_stderr(&format!("{tally}\n")).is_err() {
        return Outcome::Failure;
    }
    outcome
}

fn print(output: Output, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), Outcome> {
    match output {
        Output::Terminal => output::to_stderr(&render::terminal(sources, diagnostics, output::stderr_style()))
            .map_err(|_| Outcome::Failure),
        Output::Concise => output::to_stdout(&render::concise(sources, diagnostics)),
        Output::Json => output::to_stdout(&render::json(sources, diagnostics)),
    }
}

/// Checks one program, and compiles it if something is asked for that is not known before.
fn asked(path: &Path, target: Option<&'static Target>, warn: &WarnArgs) -> (SourceMap, Vec<Diagnostic>) {
    let (sources, mut diagnostics) = match target {
        Some(target) => check_for(path, &RealFileSystem, target),
        None => check(path, &RealFileSystem),
    };
    if !warn.needs_compilation() || diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return (sources, diagnostics);
    }
    match Compiler::new(&RealFileSystem, &target::C).elaborate(path) {
        Ok(compilation) => {
            diagnostics.extend(warn.about(&compilation));
            diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
            (compilation.sources, diagnostics)
        }
        Err(rejected) => (rejected.sources, rejected.diagnostics),
    }
}

/// Checks one program; what there is to say about it is sorted by position.
pub fn check(path: &Path, fs: &dyn FileSystem) -> (SourceMap, Vec<Diagnostic>) {
    // Whether a program is right does not depend on the target.
    Compiler::new(fs, &target::C).check_with_strategies(path)
}

/// The same for a target: also whether all attributes can be obeyed there.
pub fn check_for(path: &Path, fs: &dyn FileSystem, target: &'static Target) -> (SourceMap, Vec<Diagnostic>) {
    let (sources, diagnostics) = check(path, fs);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return (sources, diagnostics);
    }
    match Compiler::new(fs, target).to(path, Stage::Memory(Ownership::Settled)) {
        Ok(compilation) => {
            let found = compilation.warnings();
            (compilation.sources, found)
        }
        Err(CompileError::Rejected(rejected)) => (rejected.sources, rejected.diagnostics),
        Err(_) => (sources, diagnostics),
    }
}

pub fn outcome_of(diagnostics: &[Diagnostic]) -> Outcome {
    let of = |diagnostic: &Diagnostic| match (diagnostic.severity, diagnostic.code) {
        (Severity::Warning, _) => Outcome::Right,
        (Severity::Error, Code::Bug | Code::Limitation) => Outcome::Fault,
        (Severity::Error, _) => Outcome::Mistake,
    };
    diagnostics.iter().map(of).max().unwrap_or(Outcome::Right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::{MemoryFileSystem, Span, source::first_file};

    #[test]
    fn the_worst_decides() {
        let span = Span::new(first_file(), 0, 0);
        let warning = Diagnostic::warning(Code::NoEffect, span, "");
        let mistake = Diagnostic::error(Code::UnknownName, span, "");
        let limitation = Diagnostic::error(Code::Limitation, span, "");
        assert_eq!(outcome_of(&[]), Outcome::Right);
        assert_eq!(outcome_of(std::slice::from_ref(&warning)), Outcome::Right);
        assert_eq!(outcome_of(&[warning, mistake.clone()]), Outcome::Mistake);
        assert_eq!(outcome_of(&[limitation, mistake]), Outcome::Fault);
    }

    #[test]
    fn files_that_cannot_be_read() {
        let fs = MemoryFileSystem::new().with("dir/bad.fut", b"\xff");
        let codes = |path: &str| -> Vec<Code> { check(Path::new(path), &fs).1.iter().map(|d| d.code).collect() };
        assert_eq!(codes("dir"), [Code::FileNotFound]);
        assert_eq!(codes("none.fut"), [Code::FileNotFound]);
        assert_eq!(codes("dir/bad.fut"), [Code::InvalidUtf8]);
    }
}
