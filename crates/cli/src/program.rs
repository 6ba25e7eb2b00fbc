//! From a file to a program of the IR, with what there is to say about it: the front half of most subcommands.

use crate::check::outcome_of;
use crate::passes::PassArgs;
use crate::{Outcome, output};
use kenaz_base::{Diagnostic, FileSystem, RealFileSystem, Severity, SourceMap, render};
use kenaz_ir::Prog;
use kenaz_sema::Reading;
use std::path::Path;

/// A file as far as it could be compiled.
pub struct Elaborated {
    pub sources: SourceMap,
    /// Sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Not there if one of the diagnostics is an error.
    pub prog: Option<Prog>,
}

/// Checks and elaborates the program in a file.
pub fn elaborate(path: &Path, fs: &dyn FileSystem) -> Elaborated {
    elaborate_as(path, fs, &Reading::default())
}

/// The same, read as the command line says.
pub fn elaborate_as(path: &Path, fs: &dyn FileSystem, reading: &Reading) -> Elaborated {
    let checked = kenaz_sema::check_file_as(path, fs, reading);
    let mut diagnostics = checked.diagnostics.clone().into_sorted();
    let mut prog = None;
    if !diagnostics.iter().any(|d| d.severity == Severity::Error) {
        match kenaz_elaborate::elaborate(&checked) {
            Ok(elaborated) => prog = Some(elaborated),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    Elaborated { sources: checked.sources, diagnostics, prog }
}

/// The program in a file after the passes; what is wrong with it is printed.
pub fn load(path: &Path, passes: &PassArgs, warnings: bool) -> Result<Prog, Outcome> {
    let Elaborated { sources, mut diagnostics, mut prog } = elaborate(path, &RealFileSystem);
    if let Some(prog) = &mut prog {
        diagnostics.extend(passes.apply(prog)?);
    }
    if !warnings {
        diagnostics.retain(|d| d.severity == Severity::Error);
    }
    if !diagnostics.is_empty() {
        let _ = output::to_stderr(&render::terminal(&sources, &diagnostics, output::stderr_style()));
    }
    prog.ok_or_else(|| outcome_of(&diagnostics))
}
