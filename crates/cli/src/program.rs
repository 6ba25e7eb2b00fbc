//! The front half of most subcommands: a program of the IR, and what there is to say about it printed.

use crate::check::outcome_of;
use crate::passes::PassArgs;
use crate::{Outcome, output};
use kenaz_base::{Diagnostic, Severity, SourceMap, render};
use kenaz_driver::{Compilation, CompileError};
use std::path::Path;

/// The program in a file after the passes; what is wrong with it is printed.
pub fn load(path: &Path, passes: &PassArgs, warnings: bool) -> Result<Compilation, Outcome> {
    let compilation = passes.compiler().to(path, passes.stage.of_ir()).map_err(|error| failed(error, warnings))?;
    passes.tell(&compilation);
    if warnings {
        print(&compilation.sources, &passes.warnings(&compilation));
    }
    Ok(compilation)
}

/// Says why there is no program.
pub fn failed(error: CompileError, warnings: bool) -> Outcome {
    match error {
        CompileError::Rejected(mut rejected) => {
            if !warnings {
                rejected.diagnostics.retain(|d| d.severity == Severity::Error);
            }
            print(&rejected.sources, &rejected.diagnostics);
            outcome_of(&rejected.diagnostics)
        }
        CompileError::Selection(error) => mistake(&error.to_string()),
        CompileError::Broken(broken) => {
            let _ = output::to_stderr(&format!("error: {broken}\n"));
            Outcome::Fault
        }
    }
}

/// Prints diagnostics for people.
pub fn print(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        let _ = output::to_stderr(&render::terminal(sources, diagnostics, output::stderr_style()));
    }
}

/// Says what the user has done wrong.
pub fn mistake(message: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: {message}\n"));
    Outcome::Mistake
}
