//! Programs in the usual layout: the text is laid out anew, the tokens, the comments and the meaning stay.
//!
//! Where the author has broken a line it stays broken, if the layout allows a break there; lines that are too long
//! are broken. docs/format.md tells the rules.

mod layout;
mod print;
mod source;
mod tape;
mod verify;

use kenaz_base::{Diagnostic, Diagnostics, FileId};
use kenaz_syntax::ast::Ast;
use kenaz_syntax::parse_file;
use source::Source;

/// Why a program was not formatted.
#[derive(Debug)]
pub enum Refusal {
    /// It has syntax errors.
    Rejected(Vec<Diagnostic>),
    /// The result would have been another program, which is our fault.
    Fault(String),
}

/// The text of a file in the usual layout.
pub fn format(file: FileId, text: &str) -> Result<String, Refusal> {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    let parsed = parse_file(&mut ast, file, text, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(Refusal::Rejected(diagnostics.into_sorted()));
    }
    let source = Source::new(file, text);
    let tape = layout::declarations(&ast, &source, &parsed.decs, 0..source.tokens.len() - 1);
    let formatted = print::print(text, &tape.ops);
    match verify::difference(&ast, &parsed, text, &formatted) {
        None => Ok(formatted),
        Some(difference) => Err(Refusal::Fault(difference)),
    }
}
