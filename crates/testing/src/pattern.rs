//! Expectations about messages.

use regex::{Regex, RegexBuilder};
use std::fmt;

/// A regular expression that a message must contain.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    pub fn new(text: &str) -> Result<Pattern, String> {
        // Where a message is broken into lines is nobody's business.
        let regex = RegexBuilder::new(text).dot_matches_new_line(true).build().map_err(|error| error.to_string())?;
        Ok(Pattern { text: text.to_string(), regex })
    }

    /// White space around the message does not matter, so that `^$` means that there is none.
    pub fn matches(&self, message: &str) -> bool {
        self.regex.is_match(message.trim())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let matches = |pattern: &str, message: &str| Pattern::new(pattern).unwrap().matches(message);
        assert!(matches("", "anything"));
        assert!(matches("out of bounds", "Index [4] out of bounds\n"));
        assert!(matches(r"Index \[4\].*shape", "Index [4] out of bounds\nfor array of shape [1]"));
        assert!(matches("^$", "\n") && !matches("^$", "warning: x"));
        assert!(Pattern::new("(").is_err());
    }
}
