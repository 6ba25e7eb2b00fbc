//! What can go wrong.

use kenaz_base::{Severity, SourceMap, render};
use kenaz_driver::native::FailureKind;
use std::fmt;
use std::path::PathBuf;

/// Why there is no program or no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program is not right, or cannot be read.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// There is no C compiler, or it does not work here.
    #[error("{0}")]
    CCompiler(String),
    /// What was passed to an entry point, or wanted of it, is not of its type.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// The program failed, or cannot run here.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The program has no such entry point.
    #[error("there is no entry point `{name}`; there are: {}", known.join(", "))]
    NoEntryPoint { name: String, known: Vec<String> },
    /// An option or an array that cannot be.
    #[error("{0}")]
    Usage(String),
    /// A fault of the compiler.
    #[error("{0}")]
    Fault(String),
}

/// A program that is not right. It prints as on the command line, with the lines that the diagnostics are about.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// Sorted by position; one at least is an error.
    pub diagnostics: Vec<Diagnostic>,
    text: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CompileError {}

/// One thing to say about a program.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What `kenaz explain-error` explains: `unknown-name`.
    pub id: &'static str,
    pub severity: Severity,
    pub message: String,
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

impl CompileError {
    pub(crate) fn new(sources: &SourceMap, diagnostics: &[kenaz_base::Diagnostic]) -> CompileError {
        let diagnostic = |d: &kenaz_base::Diagnostic| {
            let (file, span) = (sources.file(d.primary.span.file), d.primary.span);
            let (line, column) = file.line_col(span.lo);
            let (path, message) = (file.path().to_path_buf(), d.message.clone());
            Diagnostic { id: d.code.id(), severity: d.severity, message, path, line, column }
        };
        let text = render::terminal(sources, diagnostics, render::Style::PLAIN);
        CompileError { diagnostics: diagnostics.iter().map(diagnostic).collect(), text: text.trim_end().to_string() }
    }
}

/// What does not suit the type of a parameter or result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{entry}`: {place} is of type `{expected}`, and not {found}")]
pub struct TypeError {
    pub entry: String,
    /// The parameter or result: "the parameter `xs`", "the first result".
    pub place: String,
    /// The type of the program.
    pub expected: String,
    /// What was given or wanted: "`[]f64`", "a record without the field `x`".
    pub found: String,
}

/// A program that failed.
#[derive(Clone, Debug)]
pub struct RunError {
    message: String,
    kind: FailureKind,
}

impl RunError {
    /// Whether sizes of arguments do not agree with each other, as in `main [n] (xs: [n]f32) (ys: [n]f32)`.
    pub fn is_about_arguments(&self) -> bool {
        self.kind == FailureKind::Arguments
    }

    /// Whether the program ran out of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.kind == FailureKind::OutOfMemory
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl std::error::Error for RunError {}

impl From<kenaz_embed::Error> for Error {
    fn from(error: kenaz_embed::Error) -> Error {
        match error {
            kenaz_embed::Error::Rejected(text) => CompileError { diagnostics: Vec::new(), text }.into(),
            kenaz_embed::Error::Build(text) => Error::CCompiler(text),
            kenaz_embed::Error::Failed(failure) => RunError { message: failure.message, kind: failure.kind }.into(),
            kenaz_embed::Error::Usage(text) => Error::Usage(text),
            kenaz_embed::Error::Fault(text) => Error::Fault(text),
        }
    }
}
