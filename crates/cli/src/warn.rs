//! `--warn`: what to warn of besides what is always told.

use clap::ValueEnum;
use kenaz_base::{Diagnostic, RealFileSystem};
use kenaz_driver::{Compilation, Compiler};
use kenaz_ir::{Ownership, Stage, target};

#[derive(clap::Args, Clone, Debug, Default)]
pub struct WarnArgs {
    /// Warn of this as well
    #[arg(long, value_enum, value_name = "WHAT")]
    warn: Vec<Topic>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Topic {
    /// Copies and allocations that the compiled program makes in loops: why, and what to change
    Copies,
}

impl WarnArgs {
    /// Whether something is asked for that is known only when a program has been compiled.
    pub fn needs_compilation(&self) -> bool {
        self.warn.contains(&Topic::Copies)
    }

    /// What was asked for about a program. One that is not compiled for a target is looked at as it would be in C.
    pub fn about(&self, compilation: &Compilation) -> Vec<Diagnostic> {
        if !self.needs_compilation() {
            return Vec::new();
        }
        if compilation.pipeline.settles_owners() {
            return compilation.copies();
        }
        // Files are numbered in the order in which they are read, so that the sources are the same ones.
        let compiler = Compiler::new(&RealFileSystem, &target::C);
        let compiled = compiler.to(&compilation.path, Stage::Memory(Ownership::Settled));
        compiled.map(|compiled| compiled.copies()).unwrap_or_default()
    }
}
