//! From the memory stage to C.

use crate::Compilation;
use kenaz_base::in_pass;
use kenaz_codegen::CFile;
use kenaz_ir::{Prog, Target};
use std::path::Path;

/// What a program becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Artefact {
    /// A program that runs an entry point on the values on its standard input.
    Executable,
    /// A program that obeys the commands on its standard input.
    Server,
    /// C to be linked with other code, with a header and a description of what is in it.
    Library,
    /// A shared library that this compiler can load and call.
    Module,
}

/// From the memory stage to loops. In debug builds the checker is asked.
pub fn lower(prog: &Prog, target: &Target) -> kenaz_imp::Prog {
    lower_checked(prog, target, cfg!(debug_assertions))
}

/// From the memory stage to loops. If the checker is asked and does not accept them, that is our fault.
pub fn lower_checked(prog: &Prog, target: &Target, check: bool) -> kenaz_imp::Prog {
    in_pass("lower", || {
        let lowered = kenaz_imp::lower(prog, target);
        if check && let Err(error) = kenaz_imp::check(&lowered) {
            panic!("the imperative stage is not right: {error}");
        }
        lowered
    })
}

impl Compilation {
    /// The loops of a program of the memory stage.
    pub fn lower(&self) -> kenaz_imp::Prog {
        lower_checked(&self.prog, self.pipeline.target, self.is_checked)
    }

    /// A program of the memory stage as C.
    pub fn emit(&self, artefact: Artefact) -> CFile {
        self.emit_lowered(&self.lower(), artefact)
    }

    /// The same from what [`Compilation::lower`] gave.
    pub fn emit_lowered(&self, lowered: &kenaz_imp::Prog, artefact: Artefact) -> CFile {
        let options = kenaz_codegen::Options { source: source_name(&self.path), target: self.pipeline.target };
        in_pass("codegen", || match artefact {
            Artefact::Executable => kenaz_codegen::executable(lowered, &options),
            Artefact::Server => kenaz_codegen::server(lowered, &options),
            Artefact::Library => kenaz_codegen::library(lowered, &options),
            Artefact::Module => kenaz_codegen::module(lowered, &options),
        })
    }
}

/// What the C calls the file that it was made from, in a comment.
fn source_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().replace(['\n', '\\'], " ")
}
