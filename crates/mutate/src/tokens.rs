//! A program as tokens, with what mutations need to know about them.

use kenaz_base::{Diagnostics, source::first_file};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::{Tok, Token};
use std::ops::Range;

pub struct Tokens<'a> {
    pub text: &'a str,
    /// Ends with one [`Tok::Eof`].
    pub list: Vec<Token>,
    /// For an opening bracket, the token that closes it.
    close: Vec<Option<usize>>,
    /// The number of brackets around a token.
    pub depth: Vec<usize>,
}

/// One replacement in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub range: Range<usize>,
    pub with: String,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Tokens<'a> {
        let list = lex(first_file(), text, &mut Diagnostics::new()).tokens;
        let mut close = vec![None; list.len()];
        let mut depth = Vec::with_capacity(list.len());
        let mut open: Vec<usize> = Vec::new();
        for (i, token) in list.iter().enumerate() {
            if token.kind.is_closer()
                && let Some(start) = open.pop()
            {
                close[start] = Some(i);
            }
            depth.push(open.len());
            if token.kind.is_opener() {
                open.push(i);
            }
        }
        Tokens { text, list, close, depth }
    }

    /// The number of tokens without the last, which is the end.
    pub fn len(&self) -> usize {
        self.list.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kind of a token, the end behind the last one.
    pub fn kind(&self, i: usize) -> Tok {
        self.list.get(i).map_or(Tok::Eof, |token| token.kind)
    }

    /// The kind of the token before, the end when there is none.
    pub fn before(&self, i: usize) -> Tok {
        i.checked_sub(1).map_or(Tok::Eof, |i| self.kind(i))
    }

    pub fn word(&self, i: usize) -> &'a str {
        self.list.get(i).map_or("", |token| &self.text[token.lo as usize..token.hi as usize])
    }

    pub fn range(&self, i: usize) -> Range<usize> {
        self.list.get(i).map_or(self.text.len()..self.text.len(), |token| token.lo as usize..token.hi as usize)
    }

    /// The bytes from the start of one token to the end of another.
    pub fn span(&self, first: usize, last: usize) -> Range<usize> {
        self.range(first).start..self.range(last).end.max(self.range(first).start)
    }

    pub fn slice(&self, first: usize, last: usize) -> &'a str {
        &self.text[self.span(first, last)]
    }

    /// The token that closes the bracket.
    pub fn close(&self, i: usize) -> Option<usize> {
        self.close.get(i).copied().flatten()
    }

    /// All positions of tokens that satisfy a condition.
    pub fn sites(&self, accept: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.len()).filter(|&i| accept(i)).collect()
    }

    /// The different words of a kind, in the order of their first occurrence.
    pub fn words(&self, accept: impl Fn(usize) -> bool) -> Vec<&'a str> {
        let mut words: Vec<&str> = Vec::new();
        for i in self.sites(accept) {
            if !words.contains(&self.word(i)) {
                words.push(self.word(i));
            }
        }
        words
    }

    /// The last token of the operand that starts here, if one does: a name, a literal, something in brackets; with
    /// fields and indices.
    pub fn atom_end(&self, i: usize) -> Option<usize> {
        let mut end = match self.kind(i) {
            Tok::Name | Tok::Constructor | Tok::Int | Tok::Nat | Tok::Float | Tok::Char | Tok::String => i,
            Tok::True | Tok::False | Tok::Hole => i,
            Tok::LParen | Tok::LBracket | Tok::LBrace => self.close(i)?,
            _ => return None,
        };
        loop {
            match self.kind(end + 1) {
                Tok::Dot if matches!(self.kind(end + 2), Tok::Name | Tok::Nat) => end += 2,
                Tok::Index => end = self.close(end + 1)?,
                _ => return Some(end),
            }
        }
    }

    pub fn line(&self, offset: usize) -> usize {
        line(self.text.as_bytes(), offset)
    }
}

/// The line of an offset, from 1.
pub fn line(text: &[u8], offset: usize) -> usize {
    text[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count() + 1
}

impl Edit {
    pub fn replace(range: Range<usize>, with: impl Into<String>) -> Edit {
        Edit { range, with: with.into() }
    }

    pub fn delete(range: Range<usize>) -> Edit {
        Edit::replace(range, "")
    }

    pub fn insert(at: usize, with: impl Into<String>) -> Edit {
        Edit::replace(at..at, with)
    }

    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.with, &text[self.range.end..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands() {
        let tokens = Tokens::new("f x.y[i].0 (a, b) -1");
        let end = |i| tokens.atom_end(i).map(|end| tokens.slice(i, end));
        assert_eq!(end(0), Some("f"));
        assert_eq!(end(1), Some("x.y[i].0"));
        let open = tokens.sites(|i| tokens.kind(i) == Tok::LParen)[0];
        assert_eq!(end(open), Some("(a, b)"));
        assert_eq!(end(tokens.len() - 2), None);
        assert_eq!(tokens.depth[open + 1], 1);
    }

    #[test]
    fn unbalanced_brackets_do_no_harm() {
        let tokens = Tokens::new(")](");
        assert_eq!((tokens.close(2), tokens.atom_end(2), tokens.len()), (None, None, 3));
        assert!(Tokens::new("").is_empty());
    }
}
