//! The text of a document, and positions in it as editors count them.

use gen_lsp_types::{Position, Range};
use std::ops::Range as Bytes;

/// The unit of columns, which client and server agree on when they meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    fn units(self, c: char) -> u32 {
        match self {
            Encoding::Utf8 => c.len_utf8() as u32,
            Encoding::Utf16 => c.len_utf16() as u32,
        }
    }

    /// The length of a text in units.
    pub(crate) fn length(self, text: &str) -> u32 {
        if text.is_ascii() { text.len() as u32 } else { text.chars().map(|c| self.units(c)).sum() }
    }
}

/// A text with the starts of its lines. A line ends with `\n`, `\r\n` or `\r`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    text: String,
    starts: Vec<u32>,
}

impl Text {
    pub(crate) fn new(text: String) -> Text {
        let bytes = text.as_bytes();
        let is_end = |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(|at| is_end(*at)).map(|at| at as u32 + 1));
        Text { starts: starts.collect(), text }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of the line, from 0, that holds an offset.
    pub(crate) fn line(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= offset) - 1) as u32
    }

    /// The bytes of a line without its end; none behind the last line.
    pub(crate) fn line_bytes(&self, line: u32) -> Bytes<usize> {
        let start = |line: usize| self.starts.get(line).map_or(self.text.len(), |start| *start as usize);
        let (lo, next) = (start(line as usize), start(line as usize + 1));
        lo..lo + self.text[lo..next].trim_end_matches(['\n', '\r']).len()
    }

    pub(crate) fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Where an offset is; one in the middle of a character is where the character starts.
    pub(crate) fn position(&self, offset: u32, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary((offset as usize).min(self.text.len()));
        let line = self.line(offset as u32);
        let start = self.starts[line as usize] as usize;
        Position { line, character: encoding.length(&self.text[start..offset]) }
    }

    /// The offset of a position: one behind the end of its line is that end, one behind the text the end of the text.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> u32 {
        if position.line >= self.lines() {
            return self.text.len() as u32;
        }
        let line = self.line_bytes(position.line);
        let mut left = position.character;
        for (at, c) in self.text[line.clone()].char_indices() {
            let units = encoding.units(c);
            if left < units {
                return (line.start + at) as u32;
            }
            left -= units;
        }
        line.end as u32
    }

    pub(crate) fn range(&self, lo: u32, hi: u32, encoding: Encoding) -> Range {
        Range { start: self.position(lo, encoding), end: self.position(hi.max(lo), encoding) }
    }

    /// The text after a change.
    pub(crate) fn changed(&self, range: Range, new: &str, encoding: Encoding) -> Text {
        let lo = self.offset(range.start, encoding) as usize;
        let hi = (self.offset(range.end, encoding) as usize).max(lo);
        Text::new([&self.text[..lo], new, &self.text[hi..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_counted_in_units() {
        // `å` has two bytes and one unit of UTF-16, the key four bytes and two units.
        let text = Text::new("å🔑x\r\ny\rz\n".to_string());
        assert_eq!(text.lines(), 4);
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3)] {
            assert_eq!(text.position(6, encoding), at(0, column));
            assert_eq!(text.offset(at(0, column), encoding), 6);
        }
        assert_eq!(text.offset(at(0, 2), Encoding::Utf16), 2, "the middle of a character is its start");
        assert_eq!(text.offset(at(0, 99), Encoding::Utf16), 7, "the end of the line");
        assert_eq!(text.position(9, Encoding::Utf16), at(1, 0));
        assert_eq!(text.position(11, Encoding::Utf16), at(2, 0));
        assert_eq!((text.offset(at(3, 0), Encoding::Utf16), text.offset(at(9, 0), Encoding::Utf16)), (13, 13));
    }

    #[test]
    fn changes_replace_ranges() {
        let text = Text::new("a\nbc\n".to_string());
        let changed = text.changed(Range { start: at(0, 1), end: at(1, 1) }, " 🔑\n\n", Encoding::Utf16);
        assert_eq!(changed, Text::new("a 🔑\n\nc\n".to_string()));
        let backwards = text.changed(Range { start: at(1, 1), end: at(0, 0) }, "x", Encoding::Utf16);
        assert_eq!(backwards.as_str(), "a\nbxc\n");
    }
}
