//! Programs in the usual layout: the text is laid out anew, the tokens, the comments and the meaning stay.
//!
//! Where the author has broken a line it stays broken, if the layout allows a break there; lines that are too long
//! are broken. docs/format.md tells the rules. The way of a text:
//!
//! | module | |
//! |---|---|
//! | `source` | the tokens and comments, and what is between them |
//! | `layout` | the syntax tree and the tokens become a document: text, places where lines may end, groups of these |
//! | `tape` | what a document is |
//! | `print` | a document becomes text |
//! | `verify` | is it the same program? |
//! | `lines` | only the declarations of some lines are replaced |
//! | `diff` | what has changed, for people |

mod diff;
mod layout;
mod lines;
mod print;
mod source;
mod tape;
mod verify;

pub use diff::diff;

use kenaz_base::{Diagnostic, Diagnostics, FileId};
use kenaz_syntax::ast::Ast;
use kenaz_syntax::parse_file;
use source::Source;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Why a program was not formatted.
#[derive(Debug)]
pub enum Refusal {
    /// It has syntax errors.
    Rejected(Vec<Diagnostic>),
    /// The result would have been another program, which is our fault: what differs.
    Fault(String),
}

/// The text of a file in the usual layout.
pub fn format(file: FileId, text: &str) -> Result<String, Refusal> {
    format_some(file, text, None)
}

/// The text of a file in which the declarations that have something in some lines, counted from 1, are in the usual
/// layout, with the comments before them.
pub fn format_lines(file: FileId, text: &str, lines: RangeInclusive<usize>) -> Result<String, Refusal> {
    format_some(file, text, Some(lines))
}

fn format_some(file: FileId, text: &str, lines: Option<RangeInclusive<usize>>) -> Result<String, Refusal> {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    let parsed = parse_file(&mut ast, file, text, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(Refusal::Rejected(diagnostics.into_sorted()));
    }
    let source = Source::new(file, text);
    let formatted = match lines {
        None => {
            let tape = layout::declarations(&ast, &source, &parsed.decs, 0..source.tokens.len() - 1);
            with_line_ends_of(text, &print::print(text, &tape.ops)).into_owned()
        }
        Some(lines) => {
            let Some(part) = lines::widen(&ast, &source, &parsed.decs, &lines) else { return Ok(text.to_string()) };
            let tape = layout::declarations(&ast, &source, &parsed.decs[part.decs], part.tokens);
            let new = print::print(text, &tape.ops);
            [&text[..part.text.start], &with_line_ends_of(text, &new), &text[part.text.end..]].concat()
        }
    };
    match verify::difference(&ast, &parsed, text, &formatted) {
        None => Ok(formatted),
        Some(difference) => Err(Refusal::Fault(difference)),
    }
}

/// Lines end as the first one of the source.
fn with_line_ends_of<'a>(source: &str, text: &'a str) -> Cow<'a, str> {
    let is_crlf = source.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    if is_crlf { Cow::Owned(text.replace('\n', "\r\n")) } else { Cow::Borrowed(text) }
}
