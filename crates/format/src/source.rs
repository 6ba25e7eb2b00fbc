//! The text of a program with its tokens and comments, and what stands between them.

use crate::tape::Pin;
use kenaz_base::{Diagnostics, FileId, Span};
use kenaz_syntax::ast::Comment;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::{Tok, Token};

/// What may stand between tokens on a line.
pub(crate) const BLANKS: [char; 5] = [' ', '\t', '\r', '\x0b', '\x0c'];

pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The last one is [`Tok::Eof`].
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
    /// For each comment that stays at the margin or away from it, since a test block is near.
    pub(crate) pins: Vec<Option<Pin>>,
    /// Where the lines end.
    line_ends: Vec<u32>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: FileId, text: &'a str) -> Source<'a> {
        // Errors were reported by the parser.
        let lexed = lex(file, text, &mut Diagnostics::new());
        let pins = pins(text, &lexed.comments);
        let line_ends = text.bytes().zip(0..).filter(|(b, _)| *b == b'\n').map(|(_, at)| at).collect();
        Source { text, tokens: lexed.tokens, comments: lexed.comments, pins, line_ends }
    }

    pub(crate) fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.lo as usize..token.hi as usize]
    }

    /// The number of line breaks in a part of the text.
    pub(crate) fn breaks(&self, lo: u32, hi: u32) -> usize {
        self.text.as_bytes()[lo as usize..hi as usize].iter().filter(|&&b| b == b'\n').count()
    }

    /// Where a line begins, counted from 1, if there is one.
    pub(crate) fn start_of_line(&self, line: usize) -> Option<usize> {
        if line <= 1 { Some(0) } else { self.line_ends.get(line - 2).map(|&end| end as usize + 1) }
    }

    /// Whether a line ends within a part of the text.
    pub(crate) fn has_break(&self, span: Span) -> bool {
        let next = self.line_ends.partition_point(|&end| end < span.lo);
        self.line_ends.get(next).is_some_and(|&end| end < span.hi)
    }

    /// Whether a line ends, or a comment stands, between a place behind a token and the next one.
    pub(crate) fn ends_after(&self, at: u32) -> bool {
        let rest = self.text[at as usize..].trim_start_matches(BLANKS);
        rest.starts_with('\n') || rest.starts_with("--")
    }

    /// Whether a token is the first of its line.
    pub(crate) fn starts_line(&self, at: u32) -> bool {
        starts_line(self.text, at)
    }

    /// The column of a place, counted from 0, with tabulators at every eighth.
    pub(crate) fn column(&self, at: u32) -> usize {
        let text = &self.text[..at as usize];
        let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
        line.chars().fold(0, |column, c| if c == '\t' { column / 8 * 8 + 8 } else { column + 1 })
    }

    /// Whether two tokens would be read as others if nothing stood between them.
    pub(crate) fn must_be_apart(&self, left: Token, right: Token) -> bool {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'';
        let symbol = |b: u8| b"+-*/%=!><|&^".contains(&b);
        let (Some(&a), Some(&b)) = (self.text_of(left).as_bytes().last(), self.text_of(right).as_bytes().first())
        else {
            return false;
        };
        match (left.kind, right.kind) {
            // `'t` and a name `t'` behind it.
            (Tok::Apostrophe, _) => self.text_of(right).as_bytes().get(1) == Some(&b'\''),
            // `1 .0`
            (Tok::Nat | Tok::Int | Tok::Float, Tok::Dot) => true,
            _ => (word(a) && word(b)) || (symbol(a) && symbol(b)),
        }
    }
}

fn starts_line(text: &str, at: u32) -> bool {
    let before = text[..at as usize].trim_end_matches(BLANKS);
    before.is_empty() || before.ends_with('\n')
}

/// Test blocks are comments at the margin that have a line `==`. So that none comes or goes, the comments of a block
/// with such a line stay at the margin or away from it.
fn pins(text: &str, comments: &[Comment]) -> Vec<Option<Pin>> {
    let in_one_block = |a: &Comment, b: &Comment| {
        let between = text[a.span.hi as usize..b.span.lo as usize].trim_matches(BLANKS);
        between == "\n"
    };
    let at_margin = |comment: &Comment| {
        let lo = comment.span.lo as usize;
        lo == 0 || text.as_bytes()[lo - 1] == b'\n'
    };
    let is_rule = |comment: &Comment| text[comment.span.lo as usize + 2..comment.span.hi as usize].trim() == "==";
    let mut pins = Vec::with_capacity(comments.len());
    for block in comments.chunk_by(in_one_block) {
        let pinned = block.iter().any(is_rule);
        pins.extend(block.iter().map(|comment| {
            let pin = if at_margin(comment) { Pin::Margin } else { Pin::Indented };
            pinned.then_some(pin)
        }));
    }
    pins
}
