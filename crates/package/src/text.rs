//! The words of `futhark.pkg` and `futhark.lock`.

use std::ops::Range;
use thiserror::Error;

/// The most bytes of such a file.
pub(crate) const LONGEST: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    /// `#` and what follows.
    Hash,
    Open,
    Close,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Range<usize>,
}

/// What is wrong in such a file, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    pub line: usize,
    pub message: String,
}

impl TextError {
    pub(crate) fn at(text: &str, position: usize, message: impl Into<String>) -> TextError {
        let line = text.as_bytes()[..position].iter().filter(|&&byte| byte == b'\n').count() + 1;
        TextError { line, message: message.into() }
    }
}

/// The words of a text without its comments, which reach from `--` at the beginning of a word to the end of the line.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = text[position..].chars().next() {
        let rest = &text[position..];
        let length =
            |stop: fn(char) -> bool| rest.char_indices().skip(1).find(|(_, c)| stop(*c)).map_or(rest.len(), |(i, _)| i);
        let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '#');
        let (kind, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            _ if rest.starts_with("--") => (None, length(|c| c == '\n')),
            '{' => (Some(Kind::Open), 1),
            '}' => (Some(Kind::Close), 1),
            '#' => (Some(Kind::Hash), length(ends)),
            _ => (Some(Kind::Word), length(ends)),
        };
        let span = position..position + length;
        position = span.end;
        tokens.extend(kind.map(|kind| Token { kind, span }));
    }
    tokens
}
