//! From a file to a program of the IR, with what there is to say about it: the front half of most subcommands.

use crate::check::outcome_of;
use crate::{Outcome, output};
use kenaz_base::{Diagnostic, RealFileSystem, Severity, SourceMap, render};
use kenaz_ir::Prog;
use std::path::Path;

/// The program in a file; what is wrong with it is printed.
pub fn load(path: &Path, warnings: bool) -> Result<Prog, Outcome> {
    let checked = kenaz_sema::check_file(path, &RealFileSystem);
    let mut diagnostics = checked.diagnostics.clone().into_sorted();
    if !warnings {
        diagnostics.retain(|d| d.severity == Severity::Error);
    }
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    show(&checked.sources, &diagnostics);
    if failed {
        return Err(outcome_of(&diagnostics));
    }
    kenaz_elaborate::elaborate(&checked).map_err(|diagnostic| {
        show(&checked.sources, std::slice::from_ref(&diagnostic));
        Outcome::Fault
    })
}

fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        let _ = output::to_stderr(&render::terminal(sources, diagnostics, output::stderr_style()));
    }
}
