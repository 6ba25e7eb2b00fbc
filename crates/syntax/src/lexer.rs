//! Text to tokens. Comments are set aside; documentation comments remember which token follows them.

use crate::ast::{Comment, Doc};
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic, Diagnostics, FileId, Span};

/// After this many errors nothing more is said about a file.
pub(crate) const MAX_ERRORS: usize = 200;

pub struct Lexed {
    /// Ends with one [`Tok::Eof`].
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    pub docs: Vec<LexedDoc>,
    /// Where the errors are, in order.
    pub errors: Vec<u32>,
}

pub struct LexedDoc {
    /// The index of the token after the comment.
    pub before: usize,
    pub doc: Doc,
}

pub fn lex(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        pos: 0,
        unqualified_until: 0,
        unknown: None,
        semicolon: false,
        out: Lexed {
            tokens: Vec::with_capacity(text.len() / 4 + 1),
            comments: Vec::new(),
            docs: Vec::new(),
            errors: Vec::new(),
        },
        diagnostics,
    };
    lexer.run();
    // A run of unknown characters is reported once it has ended.
    lexer.out.errors.sort_unstable();
    lexer.out
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    /// No name that starts before this place qualifies a symbol.
    unqualified_until: usize,
    /// A run of characters that start no token.
    unknown: Option<(usize, usize)>,
    /// Whether a `;` was reported.
    semicolon: bool,
    out: Lexed,
    diagnostics: &'a mut Diagnostics,
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_name_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'\''
}

fn is_symbol_start(b: u8) -> bool {
    matches!(b, b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'!' | b'>' | b'<' | b'|' | b'&' | b'^')
}

fn is_symbol_part(b: u8) -> bool {
    is_symbol_start(b) || b == b'.'
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(b) = self.peek(0) {
            match b {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.pos += 1,
                b'-' if self.peek(1) == Some(b'-') => self.comment(),
                _ => self.token(b),
            }
        }
        self.report_unknown();
        self.push(Tok::Eof, self.pos);
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    /// The end of the longest run from `at` of bytes that satisfy `accept`.
    fn run_end(&self, at: usize, accept: impl Fn(u8) -> bool) -> usize {
        self.bytes[at..].iter().position(|&b| !accept(b)).map_or(self.bytes.len(), |n| at + n)
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.file, lo as u32, hi as u32)
    }

    fn push(&mut self, kind: Tok, hi: usize) {
        self.out.tokens.push(Token { kind, lo: self.pos as u32, hi: hi as u32 });
        self.pos = hi;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.out.errors.len() < MAX_ERRORS {
            self.out.errors.push(diagnostic.primary.span.lo);
            self.diagnostics.push(diagnostic);
        }
    }

    fn token(&mut self, b: u8) {
        if is_name_start(b) {
            return self.name();
        }
        if b.is_ascii_digit() {
            return self.number();
        }
        if is_symbol_start(b) {
            return self.symbol();
        }
        let one = |kind| (kind, 1);
        let (kind, len) = match b {
            b'(' => one(Tok::LParen),
            b')' => one(Tok::RParen),
            b'[' => one(if self.indexes() { Tok::Index } else { Tok::LBracket }),
            b']' => one(Tok::RBracket),
            b'{' => one(Tok::LBrace),
            b'}' => one(Tok::RBrace),
            b',' => one(Tok::Comma),
            b'\\' => one(Tok::Backslash),
            b'`' => one(Tok::Backtick),
            b'~' => one(Tok::Tilde),
            b':' if self.peek(1) == Some(b'>') => (Tok::Coerce, 2),
            b':' => one(Tok::Colon),
            b'.' => match (self.peek(1), self.peek(2)) {
                (Some(b'.'), Some(b'.')) => (Tok::Ellipsis, 3),
                (Some(b'.'), Some(b'<')) => (Tok::UpTo, 3),
                (Some(b'.'), Some(b'>')) => (Tok::DownTo, 3),
                (Some(b'.'), _) => (Tok::DotDot, 2),
                _ => one(Tok::Dot),
            },
            b'?' if self.bytes[self.pos..].starts_with(b"???") => (Tok::Hole, 3),
            b'?' => one(Tok::Question),
            b'#' if self.peek(1) == Some(b'[') => (Tok::AttrOpen, 2),
            b'#' if self.peek(1).is_some_and(is_name_start) => {
                (Tok::Constructor, self.run_end(self.pos + 1, is_name_part) - self.pos)
            }
            b'\'' => return self.character(),
            b'"' => return self.string(),
            _ => return self.unknown_character(),
        };
        self.push(kind, self.pos + len);
    }

    /// Whether the `[` here directly follows something that can be indexed.
    fn indexes(&self) -> bool {
        self.pos > 0
            && matches!(self.bytes[self.pos - 1], b if is_name_part(b) || b == b')' || b == b']')
            && !self.out.tokens.last().is_some_and(|t| t.kind.is_keyword() && !matches!(t.kind, Tok::True | Tok::False))
    }

    fn name(&mut self) {
        let end = self.run_end(self.pos, is_name_part);
        let name = &self.bytes[self.pos..end];
        if name == b"_" {
            return self.push(Tok::Underscore, end);
        }
        if let Some(keyword) = Tok::keyword(name) {
            return self.push(keyword, end);
        }
        if self.peek(end - self.pos) == Some(b'.') && self.pos >= self.unqualified_until {
            let mut at = end;
            while self.bytes.get(at) == Some(&b'.') && self.bytes.get(at + 1).copied().is_some_and(is_name_start) {
                at = self.run_end(at + 1, is_name_part);
            }
            if self.bytes.get(at) == Some(&b'.') && self.bytes.get(at + 1).copied().is_some_and(is_symbol_start) {
                let end = self.run_end(at + 1, is_symbol_part);
                return self.push(Tok::QualSymbol, end);
            }
            self.unqualified_until = at;
        }
        self.push(Tok::Name, end);
    }

    fn symbol(&mut self) {
        let end = self.run_end(self.pos, is_symbol_part);
        let kind = match &self.bytes[self.pos..end] {
            b"=" => Tok::Equals,
            b"->" => Tok::Arrow,
            b"*" => Tok::Star,
            b"-" => Tok::Minus,
            b"!" => Tok::Bang,
            b"<" => Tok::Less,
            b"^" => Tok::Caret,
            b"|" => Tok::Pipe,
            _ => Tok::Symbol,
        };
        self.push(kind, end);
    }

    fn number(&mut self) {
        let start = self.pos;
        let digit_or_line = |b: u8| b.is_ascii_digit() || b == b'_';
        let digit_at = |this: &Self, at: usize| this.bytes.get(at).is_some_and(u8::is_ascii_digit);
        // `x.0.1` has two fields, no float.
        let is_field = self.out.tokens.last().is_some_and(|t| t.kind == Tok::Dot && t.hi as usize == start);
        let mut end = self.run_end(start, digit_or_line);
        let mut kind = Tok::Nat;
        let mut suffixes: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"];
        const INTS: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
        const FLOATS: &[&str] = &["f16", "f32", "f64"];
        let mut problem = None;
        let radix = if self.bytes[start] == b'0' && !is_field { self.peek(1) } else { None };
        match (radix, self.peek(2)) {
            (Some(b'x' | b'X'), Some(b)) if b.is_ascii_hexdigit() => {
                let hex = |b: u8| b.is_ascii_hexdigit() || b == b'_';
                end = self.run_end(start + 2, hex);
                (kind, suffixes) = (Tok::Int, INTS);
                if self.bytes.get(end) == Some(&b'.') && self.bytes.get(end + 1).is_some_and(u8::is_ascii_hexdigit) {
                    end = self.run_end(end + 1, hex);
                    (kind, suffixes) = (Tok::Float, FLOATS);
                    let exponent = matches!(self.bytes.get(end), Some(b'p' | b'P'))
                        .then(|| end + 1 + usize::from(matches!(self.bytes.get(end + 1), Some(b'+' | b'-'))));
                    match exponent {
                        Some(at) if digit_at(self, at) => end = self.run_end(at, digit_or_line),
                        _ => problem = Some("a hexadecimal number with a fraction needs an exponent, as in `0x1.8p3`"),
                    }
                }
            }
            (Some(b'b' | b'B'), Some(b'0' | b'1')) => {
                end = self.run_end(start + 2, |b| matches!(b, b'0' | b'1' | b'_'));
                (kind, suffixes) = (Tok::Int, INTS);
            }
            (Some(b'r' | b'R'), Some(b)) if is_roman(b) => {
                end = self.run_end(start + 2, is_roman);
                (kind, suffixes) = (Tok::Int, INTS);
            }
            _ if is_field => suffixes = &[],
            _ => {
                if self.bytes.get(end) == Some(&b'.') && digit_at(self, end + 1) {
                    end = self.run_end(end + 1, digit_or_line);
                    (kind, suffixes) = (Tok::Float, FLOATS);
                }
                if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
                    let at = end + 1 + usize::from(matches!(self.bytes.get(end + 1), Some(b'+' | b'-')));
                    if digit_at(self, at) {
                        end = self.run_end(at, |b| b.is_ascii_digit());
                        (kind, suffixes) = (Tok::Float, FLOATS);
                    }
                }
            }
        }
        let mut rest = self.run_end(end, |b| b.is_ascii_alphanumeric() || b == b'_');
        let suffix = &self.text[end..rest];
        if suffixes.contains(&suffix) {
            if kind == Tok::Nat {
                kind = Tok::Int;
            }
        } else if problem.is_some() || !suffix.is_empty() {
            // What follows a point belongs to the same mistake.
            while self.bytes.get(rest) == Some(&b'.') && digit_at(self, rest + 1) {
                rest = self.run_end(rest + 1, |b| b.is_ascii_alphanumeric() || b == b'_');
            }
            let text = &self.text[start..rest];
            let message = if is_field {
                format!("`{text}` is neither a field name nor a field number")
            } else {
                format!("`{text}` is not a number")
            };
            let span = self.span(start, rest);
            let mut diagnostic = Diagnostic::error(Code::BadLiteral, span, message);
            diagnostic = match problem {
                Some(problem) => diagnostic.hint(problem),
                None if kind == Tok::Float => diagnostic
                    .label(format!("`{suffix}` is no suffix of a number with a fraction or exponent"))
                    .hint("the suffixes are `f16`, `f32` and `f64`"),
                None if is_field => diagnostic,
                None => diagnostic.label(format!("`{suffix}` is no suffix of a number")).hint(
                    "a number may end in its type, such as `i32`, `u8` or `f64`; a name starts with a letter or `_`",
                ),
            };
            self.report(diagnostic);
        }
        self.push(kind, rest);
    }

    /// A character literal, or the quote in front of a type parameter.
    fn character(&mut self) {
        let start = self.pos;
        let rest = &self.text[start + 1..];
        let mut chars = rest.char_indices();
        let end = match chars.next() {
            Some((_, '\\')) => match chars.next() {
                Some((_, c)) if c.is_ascii_digit() => Some(self.run_end(start + 2, |b| b.is_ascii_digit())),
                Some((at, c)) if c != '\n' => Some(start + 1 + at + c.len_utf8()),
                _ => None,
            },
            Some((_, c)) if c != '\'' && c != '\n' => Some(start + 1 + c.len_utf8()),
            _ => None,
        };
        match end {
            Some(end) if self.bytes.get(end) == Some(&b'\'') => self.push(Tok::Char, end + 1),
            _ => self.push(Tok::Apostrophe, start + 1),
        }
    }

    fn string(&mut self) {
        let start = self.pos;
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                Some(b'"') => return self.push(Tok::String, at + 1),
                Some(b'\\') if self.bytes.get(at + 1).is_some_and(|&b| b != b'\n') => at += 2,
                None | Some(b'\n') => break,
                Some(_) => at += 1,
            }
        }
        let at = self.text.floor_char_boundary(at.min(self.bytes.len()));
        let span = self.span(start, at);
        self.report(
            Diagnostic::error(Code::UnterminatedString, span, "this string does not end on its line")
                .hint("end it with `\"`; a line break inside a string is written `\\n`"),
        );
        self.push(Tok::String, at);
    }

    fn unknown_character(&mut self) {
        let len = self.text[self.pos..].chars().next().map_or(1, char::len_utf8);
        let (lo, hi) = (self.pos, self.pos + len);
        match &mut self.unknown {
            Some((_, end)) if *end == lo => *end = hi,
            _ => {
                self.report_unknown();
                self.unknown = Some((lo, hi));
            }
        }
        self.pos = hi;
    }

    fn report_unknown(&mut self) {
        let Some((lo, hi)) = self.unknown.take() else { return };
        let text: String = self.text[lo..hi].chars().take(20).collect();
        // Who ends one line with `;` ends all of them so.
        if text == ";" && std::mem::replace(&mut self.semicolon, true) {
            self.out.errors.push(lo as u32);
            return;
        }
        let hint = match text.as_bytes() {
            b";" => "nothing is separated by `;`: a `let` is followed by `in`, elements are separated by `,`",
            b"$" => "a function is applied to all that follows by `<|`: `f <| g x`",
            b"@" if self.starts_line(lo) => "an attribute is written `#[name]`",
            b"@" => "there is no operator `@`; a product of matrices is made with `map`, `map2` and `reduce`",
            b"#" => {
                "a constructor is written `#name` and an attribute `#[name]`, both without a space; comments start with `--`"
            }
            _ if text.chars().all(char::is_alphabetic) => {
                "names consist of the letters a–z and A–Z, digits, `_` and `'`"
            }
            _ => "",
        };
        let shown: String = text.chars().flat_map(char::escape_debug).collect();
        let span = self.span(lo, hi);
        let mut diagnostic = Diagnostic::error(Code::UnknownCharacter, span, format!("`{shown}` has no meaning here"));
        if !hint.is_empty() {
            diagnostic = diagnostic.hint(hint);
        }
        match text.as_bytes() {
            b"$" => diagnostic = diagnostic.fix(span, "<|"),
            b"#" if self.text[hi..].starts_with([' ', '\t', '#']) => diagnostic = diagnostic.fix(span, "--"),
            _ => {}
        }
        self.report(diagnostic);
    }

    fn starts_line(&self, at: usize) -> bool {
        self.text[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty())
    }

    fn line_end(&self, at: usize) -> usize {
        let end = self.run_end(at, |b| b != b'\n');
        if end > at && self.bytes[end - 1] == b'\r' { end - 1 } else { end }
    }

    fn comment(&mut self) {
        let start = self.pos;
        let end = self.line_end(start);
        let Some(first) = self.text[start..end].strip_prefix("-- |") else {
            self.out.comments.push(Comment { span: self.span(start, end), is_doc: false });
            self.pos = end;
            return;
        };
        let mut text = first.strip_prefix(' ').unwrap_or(first).to_string();
        let mut last = end;
        self.out.comments.push(Comment { span: self.span(start, end), is_doc: true });
        // The block goes on while the next line holds nothing but a comment.
        loop {
            let newline = self.run_end(last, |b| b == b'\r');
            if self.bytes.get(newline) != Some(&b'\n') {
                break;
            }
            let lo = self.run_end(newline + 1, |b| matches!(b, b' ' | b'\t'));
            let hi = self.line_end(lo);
            let Some(line) = self.text[lo..hi].strip_prefix("--") else { break };
            text.push('\n');
            text.push_str(line.strip_prefix(' ').unwrap_or(line));
            self.out.comments.push(Comment { span: self.span(lo, hi), is_doc: true });
            last = hi;
        }
        let doc = Doc { span: self.span(start, last), text };
        self.out.docs.push(LexedDoc { before: self.out.tokens.len(), doc });
        self.pos = last;
    }
}

fn is_roman(b: u8) -> bool {
    matches!(b, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M')
}
