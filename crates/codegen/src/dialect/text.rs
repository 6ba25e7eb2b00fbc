//! Text with indentation, and strings as C writes them.

use std::fmt::Write;

/// Lines of C.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub text: String,
    depth: usize,
}

/// Deeper than this nothing is indented further, so that the text stays linear in the program.
const DEEPEST: usize = 40;

impl Lines {
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if !text.is_empty() {
            let _ = write!(self.text, "{:1$}", "", 2 * self.depth.min(DEEPEST));
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line after which everything is indented.
    pub(crate) fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.depth += 1;
    }

    pub(crate) fn close(&mut self, text: impl AsRef<str>) {
        self.depth -= 1;
        self.line(text);
    }

    /// A line between two indented parts, such as `} else {`.
    pub(crate) fn between(&mut self, text: impl AsRef<str>) {
        self.depth -= 1;
        self.open(text);
    }
}

/// A string literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// What stands between the quotes of a string literal.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut last = 0;
    for byte in text.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            // Two of them could begin a trigraph.
            b'?' if last == b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(byte.into()),
            // Three digits, so that a digit after it is not read as part of the escape.
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
        last = byte;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        assert_eq!(quoted("a\"b\\c\nd??)é1"), r#""a\"b\\c\nd?\?)\303\2511""#);
    }
}
