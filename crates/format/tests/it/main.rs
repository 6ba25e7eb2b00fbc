//! Programs are laid out as docs/format.md says, once and for all, and stay the same programs.

mod cases;
mod limits;
mod lines;
mod page;
mod programs;

use kenaz_base::source::first_file;
use kenaz_base::{Diagnostics, FileId};
use kenaz_format::{Refusal, format};
use kenaz_syntax::ast::Ast;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::{dump, parse_file};

fn file() -> FileId {
    first_file()
}

/// Formats a program that has no syntax errors.
#[track_caller]
fn formatted(text: &str) -> String {
    match format(file(), text) {
        Ok(formatted) => formatted,
        Err(Refusal::Rejected(diagnostics)) => panic!("{}\n{text}", diagnostics[0].message),
        Err(Refusal::Fault(difference)) => panic!("{difference}\n{text}"),
    }
}

/// What must not change: the texts of tokens and comments, and the tree.
fn essence(text: &str) -> (Vec<String>, Vec<String>, String) {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    let lexed = lex(file(), text, &mut diagnostics);
    let piece = |lo: u32, hi: u32| text[lo as usize..hi as usize].trim_end().to_string();
    let tokens = lexed.tokens.iter().map(|token| piece(token.lo, token.hi)).collect();
    let comments = lexed.comments.iter().map(|comment| piece(comment.span.lo, comment.span.hi)).collect();
    let parsed = parse_file(&mut ast, file(), text, &mut diagnostics);
    (tokens, comments, dump::file(&ast, &parsed))
}

/// Formats a program, and again, and compares.
fn check(name: &str, text: &str) -> Result<(), String> {
    let once = match format(file(), text) {
        Ok(once) => once,
        Err(Refusal::Rejected(_)) => return Ok(()),
        Err(Refusal::Fault(difference)) => return Err(format!("{name}: {difference}")),
    };
    if essence(text) != essence(&once) {
        return Err(format!("{name}: it is another program"));
    }
    if let Some(line) = once.lines().find(|line| line.ends_with([' ', '\t'])) {
        return Err(format!("{name}: blanks at the end of the line `{line}`"));
    }
    if once.contains("\n\n\n") || once.starts_with('\n') || once.ends_with("\n\n") {
        return Err(format!("{name}: empty lines"));
    }
    match format(file(), &once) {
        Ok(twice) if twice == once => Ok(()),
        Ok(twice) => {
            let differs = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
            Err(format!("{name}: the second time it is laid out otherwise: {differs:?}"))
        }
        Err(refusal) => Err(format!("{name}: what was laid out is refused: {refusal:?}")),
    }
}
