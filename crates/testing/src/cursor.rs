//! Walking over the text of a test block or script.

use kenaz_runtime::{Reader, Value};
use std::fmt;

/// What is wrong with a test block, and where in the file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SpecError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// A place in a text of which only a part, up to `end`, is looked at. All offsets are those of the whole text.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    pub at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, end: text.len() }
    }

    pub(crate) fn within(self, at: usize, end: usize) -> Cursor<'a> {
        Cursor { text: self.text, at, end }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> SpecError {
        self.error_at(self.at, message)
    }

    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> SpecError {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
        SpecError { line, column, message: message.into() }
    }

    pub(crate) fn line(&self) -> usize {
        self.error("").line
    }

    /// An error about what stands here.
    pub(crate) fn expected(&self, what: &str) -> SpecError {
        let found = match self.rest().chars().next() {
            None => "the end".to_string(),
            Some(first) => {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
                let word: String = self.rest().chars().take_while(|&c| is_word(c)).take(40).collect();
                format!("`{}`", if word.is_empty() { first.to_string() } else { word })
            }
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// Goes past white space and comments.
    pub(crate) fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("--") {
                break;
            }
            self.rest_of_line();
        }
    }

    /// Goes past a piece of text if it is here.
    pub(crate) fn eat(&mut self, piece: &str) -> bool {
        let found = self.rest().starts_with(piece);
        self.at += if found { piece.len() } else { 0 };
        found
    }

    /// Goes past a word if it stands here as a whole, and past the white space after it.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.at += word.len();
            self.skip_space();
        }
        found
    }

    /// The word that begins here: letters, digits, dashes, underscores and quotes as in names.
    pub(crate) fn word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '\'')));
        &rest[..end.unwrap_or(rest.len())]
    }

    pub(crate) fn rest_of_line(&mut self) -> &'a str {
        let line = self.rest().lines().next().unwrap_or("");
        self.at += line.len();
        line
    }

    /// What stands between braces, the first of which is here; the cursor goes past the last one. Braces may be
    /// nested, and do not count in strings and comments.
    pub(crate) fn braces(&mut self, what: &str) -> Result<Cursor<'a>, SpecError> {
        let open = self.at;
        if !self.eat("{") {
            return Err(self.expected(&format!("`{{` {what}")));
        }
        let mut depth = 1;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                '"' => {
                    self.string()?;
                    continue;
                }
                '-' if self.rest().starts_with("--") => {
                    self.rest_of_line();
                    continue;
                }
                _ => {}
            }
            self.at += c.len_utf8();
            if depth == 0 {
                return Ok(self.within(open + 1, self.at - 1));
            }
        }
        Err(self.error_at(open, "this brace is never closed"))
    }

    /// The text of a string with its quotes, the first of which is here.
    pub(crate) fn string(&mut self) -> Result<&'a str, SpecError> {
        let open = self.at;
        let mut escaped = false;
        for (i, c) in self.rest().char_indices().skip(1) {
            if c == '"' && !escaped {
                self.at += i + 1;
                return Ok(&self.text[open..self.at]);
            }
            escaped = c == '\\' && !escaped;
        }
        Err(self.error_at(open, "this string is never closed"))
    }

    /// The value that begins here, or nothing at the end.
    pub(crate) fn value(&mut self) -> Result<Option<Value>, SpecError> {
        let mut reader = Reader::new(self.rest().as_bytes());
        let offset = |byte: u64| self.at + usize::try_from(byte).unwrap_or(0);
        let value =
            reader.next_value().map_err(|error| self.error_at(offset(error.place.byte), error.problem.to_string()))?;
        self.at = offset(reader.place().byte);
        Ok(value)
    }

    pub(crate) fn values(mut self) -> Result<Vec<Value>, SpecError> {
        let mut reader = Reader::new(self.rest().as_bytes());
        let start = self.at;
        let values = reader.rest().map_err(|error| {
            self.at = start + usize::try_from(error.place.byte).unwrap_or(0);
            self.error(error.problem.to_string())
        })?;
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_braces() {
        let mut cursor = Cursor::new(
            r#"{ a {b} "}\"}" -- }
            c } rest"#,
        );
        assert_eq!(cursor.braces("x").unwrap().rest().lines().last().unwrap().trim(), "c");
        assert_eq!(cursor.rest(), " rest");
        assert_eq!(Cursor::new("{\n  \"}").braces("x").err().unwrap().to_string(), "2:3: this string is never closed");
        assert_eq!(Cursor::new("{ {}").braces("x").err().unwrap().to_string(), "1:1: this brace is never closed");
        assert_eq!(
            Cursor::new("foo").braces("after x").err().unwrap().to_string(),
            "1:1: expected `{` after x, found `foo`"
        );
        assert_eq!(Cursor::new(r#""\\" x"#).string().unwrap(), r#""\\""#);
        assert_eq!(Cursor::new(r#""""#).string().unwrap(), r#""""#);
    }

    #[test]
    fn errors_of_values_have_their_place() {
        let whole = Cursor::new("a\nb { 1 [2,\n x] }");
        let mut cursor = whole.within(4, 17);
        let error = cursor.braces("").unwrap().values().unwrap_err();
        assert_eq!(error.to_string(), "3:2: expected a value, found `x`");
    }
}
