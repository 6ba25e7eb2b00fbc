//! Diagnostics as text: for people ([`terminal`]), for editors that match lines ([`concise`]) and for programs
//! ([`json`]).
//!
//! Every function copes with every diagnostic: spans that are empty, reversed, beyond the end of their file, inside a
//! character or in a file that does not exist; lines of many megabytes; tabs, control characters and wide characters.

mod excerpt;
mod json;
mod terminal;

pub use json::json;
pub use terminal::{Style, terminal};

use crate::{Diagnostic, Id, Severity, SourceFile, SourceMap, Span};
use std::fmt::{self, Write};

/// One line per diagnostic: `path:line:column: error[id]: message`.
pub fn concise(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        if let Some(file) = file_of(sources, diagnostic.primary.span) {
            let (line, column) = file.line_col(bounds(file, diagnostic.primary.span).0);
            let _ = write!(out, "{}:{line}:{column}: ", file.path().display());
        }
        // The message may quote the program, which may contain line breaks and terminal escapes.
        let message = clean(&diagnostic.message).replace('\n', " ");
        let _ = writeln!(out, "{}[{}]: {message}", severity(diagnostic.severity), diagnostic.code);
    }
    out
}

/// How many errors and warnings there were; prints as `2 errors, 1 warning`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    pub errors: usize,
    pub warnings: usize,
}

impl Tally {
    pub fn add(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
        }
    }

    pub fn is_empty(self) -> bool {
        self == Tally::default()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match (self.errors, self.warnings) {
            (errors, 0) => f.write_str(&count(errors, "error")),
            (0, warnings) => f.write_str(&count(warnings, "warning")),
            (errors, warnings) => write!(f, "{}, {}", count(errors, "error"), count(warnings, "warning")),
        }
    }
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn file_of(sources: &SourceMap, span: Span) -> Option<&SourceFile> {
    (span.file.index() < sources.len()).then(|| sources.file(span.file))
}

/// The ends of a span, in order, inside the file and not inside a character.
fn bounds(file: &SourceFile, span: Span) -> (u32, u32) {
    let (lo, hi) = (span.lo.min(span.hi) as usize, span.lo.max(span.hi) as usize);
    let lo = file.text.floor_char_boundary(lo.min(file.text.len()));
    let hi = file.text.ceil_char_boundary(hi.min(file.text.len()));
    // Offsets into a source file fit into 32 bits: that is what spans are made of.
    (lo as u32, hi as u32)
}

/// The text with control characters made visible, so that a program cannot send commands to the user's terminal.
fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => c,
        '\t' => ' ',
        '\u{7f}' => '\u{2421}',
        '\0'..'\u{20}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{80}'..'\u{a0}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn concise_is_one_line_each() {
        let mut sources = SourceMap::new();
        let file = sources.add("p.fut", "def x = 1\ndef y = x z\n".to_string());
        let diagnostics = [
            Diagnostic::error(Code::UnknownName, Span::new(file, 20, 21), "Unknown name\n`z`."),
            Diagnostic::warning(Code::NoEffect, Span::new(file, 999, 4), "\u{1b}[31mNothing."),
        ];
        assert_eq!(
            concise(&sources, &diagnostics),
            "p.fut:2:11: error[unknown-name]: Unknown name `z`.\np.fut:1:5: warning[no-effect]: ␛[31mNothing.\n"
        );
    }

    #[test]
    fn tallies_read_well() {
        let tally = |errors, warnings| Tally { errors, warnings }.to_string();
        assert_eq!(tally(1, 0), "1 error");
        assert_eq!(tally(0, 1), "1 warning");
        assert_eq!(tally(2, 1), "2 errors, 1 warning");
        assert_eq!(tally(1, 3), "1 error, 3 warnings");
    }
}
