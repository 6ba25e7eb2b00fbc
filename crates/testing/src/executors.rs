//! The interpreter and compiled programs as executors.

mod foreign;
mod interpreter;
mod served;

pub use foreign::Foreign;
pub use interpreter::Interpreter;
pub use served::{CompiledByC, Translated};

use crate::{CompileError, Compiled};
use kenaz_base::{Diagnostic, SourceMap, render};
use kenaz_driver::{Compilation, fault};
use std::path::Path;
use std::sync::Arc;

/// Sees each program after its passes.
pub type Watch = Arc<dyn Fn(&Compilation) + Send + Sync>;

/// Compiles a program; that we panic on it is no reason to leave out the others.
pub fn guarded(
    path: &Path,
    compile: impl FnOnce() -> Result<Compiled, CompileError>,
) -> Result<Compiled, CompileError> {
    fault::guard(compile).unwrap_or_else(|fault| Err(CompileError::Failed(fault.text_about(path))))
}

/// Diagnostics as the user would see them, without colours.
pub fn shown(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    render::terminal(sources, diagnostics, render::Style::PLAIN)
}

impl From<kenaz_driver::CompileError> for CompileError {
    fn from(error: kenaz_driver::CompileError) -> CompileError {
        let text = error.to_string();
        match error {
            kenaz_driver::CompileError::Rejected(rejected) if !rejected.is_ours() => CompileError::Rejected(text),
            _ => CompileError::Failed(text),
        }
    }
}
