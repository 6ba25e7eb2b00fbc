//! The words of the text form.

use super::ParseError;
use crate::print::{is_ident_char, is_ident_start};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// An identifier: a keyword, a name with its number, a symbol.
    Word(&'a str),
    /// A symbol in backquotes and, when it is a name, its number.
    Quote(String, Option<u32>),
    /// A number, also one of the special floats that is not a word.
    Number(&'a str),
    /// What stands between the quotes, and where it starts.
    Str(&'a str, usize),
    Punct(&'static str),
    End,
}

/// Longer ones first, so that the first that fits is the right one.
const PUNCTUATION: [&str; 18] =
    ["->", ":+", "#[", "@", "+", "(", ")", "[", "]", "{", "}", ",", ":", "=", "<", ">", "*", "\\"];

/// The text from `pos` to `end`, read one token at a time.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    pub text: &'a str,
    pub pos: usize,
    pub end: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.pos..self.end).unwrap_or("")
    }

    /// Skips white space and comments.
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            self.pos += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("--") {
                return;
            }
            self.pos += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.pos += len;
        taken
    }

    /// The length of the longest prefix made of such characters.
    fn run(&self, from: usize, is_part: impl Fn(char) -> bool) -> usize {
        let rest = &self.rest()[from..];
        from + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
    }

    pub(super) fn token(&mut self) -> Result<Token<'a>, ParseError> {
        self.skip();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if let Some(len) = number(rest) {
            return Ok(Token::Number(self.take(len)));
        }
        match first {
            '"' => self.string(),
            '`' => self.quote(),
            c if is_ident_start(c) => {
                let len = self.run(0, is_ident_char);
                Ok(Token::Word(self.take(len)))
            }
            _ => match PUNCTUATION.into_iter().find(|p| rest.starts_with(p)) {
                Some(p) => {
                    self.take(p.len());
                    Ok(Token::Punct(p))
                }
                None => Err(self.error(self.pos, format!("the character {first:?} has no meaning here"))),
            },
        }
    }

    fn string(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.pos;
        let len = self.closing('"').ok_or_else(|| self.error(start, "this text has no closing quote".to_string()))?;
        let quoted = self.take(len);
        Ok(Token::Str(&quoted[1..len - 1], start + 1))
    }

    fn quote(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.pos;
        let len = self.closing('`').ok_or_else(|| self.error(start, "this name has no closing quote".to_string()))?;
        let quoted = self.take(len);
        let symbol = self.unescape(&quoted[1..len - 1], start + 1)?;
        let digits = self.run(usize::from(self.rest().starts_with('_')), |c| c.is_ascii_digit());
        if digits < 2 || !self.rest().starts_with('_') {
            return Ok(Token::Quote(symbol, None));
        }
        let id = self.take(digits)[1..].parse();
        let id = id.map_err(|_| self.error(start, "the number of this name is too large".to_string()))?;
        Ok(Token::Quote(symbol, Some(id)))
    }

    /// The length of what stands between two of these characters, both included.
    fn closing(&self, quote: char) -> Option<usize> {
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                c if c == quote => return Some(at + c.len_utf8()),
                _ => {}
            }
        }
        None
    }

    /// The source position after `at` or `<`.
    pub(super) fn place(&mut self) -> Result<String, ParseError> {
        self.skip();
        if self.rest().starts_with('"') {
            let Token::Str(raw, start) = self.string()? else { return Ok(String::new()) };
            return self.unescape(raw, start);
        }
        let len = self.run(0, |c| !c.is_whitespace());
        if len == 0 {
            return Err(self.error(self.pos, "expected a source position".to_string()));
        }
        Ok(self.take(len).to_string())
    }

    /// Text whose first character is at `start`, without escapes.
    pub(super) fn unescape(&self, raw: &str, start: usize) -> Result<String, ParseError> {
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = rest.find('\\') {
            out.push_str(&rest[..at]);
            let place = start + (raw.len() - rest.len()) + at;
            let (c, len) = escape(&rest[at + 1..])
                .ok_or_else(|| self.error(place, "there is no such escape in a text".to_string()))?;
            out.push(c);
            rest = &rest[at + 1 + len..];
        }
        out.push_str(rest);
        Ok(out)
    }

    pub(super) fn error(&self, pos: usize, message: String) -> ParseError {
        let before = &self.text[..self.text.floor_char_boundary(pos.min(self.text.len()))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ParseError {
            line: before.bytes().filter(|b| *b == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
        }
    }
}

/// The character that stands for itself after a backslash, or that a letter stands for, and the length of that.
fn escape(rest: &str) -> Option<(char, usize)> {
    match rest.chars().next()? {
        'n' => Some(('\n', 1)),
        't' => Some(('\t', 1)),
        c @ ('\\' | '"' | '{' | '`') => Some((c, 1)),
        'x' => {
            let end = rest.find(';')?;
            let code = u32::from_str_radix(&rest[1..end], 16).ok()?;
            Some((char::from_u32(code)?, end + 1))
        }
        _ => None,
    }
}

/// The length of the number with which the text begins: `-12i32`, `1e-7f32`, `-f32.inf`, `f32.nan:7fc00001`.
fn number(text: &str) -> Option<usize> {
    let digits = |from: usize| from + text[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - from);
    for float in ["f16", "f32", "f64"] {
        if text.strip_prefix('-').is_some_and(|text| text.starts_with(float)) {
            return Some(1 + float.len() + if text[1 + float.len()..].starts_with(".inf") { 4 } else { 0 });
        }
        if text.strip_prefix(float).is_some_and(|text| text.starts_with(".nan:")) {
            let start = float.len() + ".nan:".len();
            let len = text[start..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len() - start);
            return (len > 0).then_some(start + len);
        }
    }
    let start = usize::from(text.starts_with('-'));
    let mut end = digits(start);
    if end == start {
        return None;
    }
    if text[end..].starts_with('.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if text[end..].starts_with('e') {
        let sign = end + 1 + usize::from(text[end + 1..].starts_with(['-', '+']));
        if digits(sign) > sign {
            end = digits(sign);
        }
    }
    Some(end + text[end..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len() - end))
}
