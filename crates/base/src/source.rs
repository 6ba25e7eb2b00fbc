//! Source files and positions in them.

use crate::{Arena, Id, define_ids};
use std::path::{Path, PathBuf};

define_ids! {
    /// A file of a [`SourceMap`].
    FileId "file";
}

/// The bytes `lo..hi` of a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    pub fn new(file: FileId, lo: u32, hi: u32) -> Span {
        Span { file, lo, hi }
    }

    /// The smallest span that covers both; of the first alone when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The empty span in front of this one.
    pub fn start(self) -> Span {
        Span { hi: self.lo, ..self }
    }

    /// The empty span right after this one.
    pub fn end(self) -> Span {
        Span { lo: self.hi, ..self }
    }

    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.lo <= other.lo && other.hi <= self.hi
    }
}

pub struct SourceFile {
    /// As shown to the user.
    pub path: PathBuf,
    pub text: String,
    /// The byte offset of each line's first character.
    line_starts: Vec<u32>,
    /// The number of characters that start before each multiple of [`BLOCK`] bytes: a table of a million numbers may
    /// stand on one line, and each of them has a column.
    chars: Vec<u32>,
    /// Part of the compiler, not of the user's program.
    pub builtin: bool,
}

const BLOCK: usize = 256;

/// The number of characters that start in these bytes of UTF-8.
fn char_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xc0 != 0x80).count()
}

impl SourceFile {
    pub fn new(path: PathBuf, text: String, builtin: bool) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().zip(1u32..).filter(|(b, _)| *b == b'\n').map(|(_, next)| next));
        let mut before = 0;
        let count = |block: &[u8]| {
            let start = before;
            before += char_starts(block) as u32;
            start
        };
        let chars = text.as_bytes().chunks(BLOCK).map(count).collect();
        SourceFile { path, text, line_starts, chars, builtin }
    }

    /// Line and column, both from 1; columns count characters.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = self.text.floor_char_boundary((offset as usize).min(self.text.len()));
        (line + 1, self.chars_before(end).saturating_sub(self.chars_before(start)) + 1)
    }

    /// The number of characters before an offset.
    fn chars_before(&self, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.chars.len().saturating_sub(1));
        let known = self.chars.get(block).map_or(0, |&n| n as usize);
        known + char_starts(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The bytes of a line, counted from 1, without its line break. Lines after the last are empty.
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let start_of = |line: usize| self.line_starts.get(line).map_or(self.text.len(), |&start| start as usize);
        let (start, next) = (start_of(line.saturating_sub(1)), start_of(line));
        let line = &self.text[start..next];
        start..start + line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)).len()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// All files of one run of the compiler.
#[derive(Default)]
pub struct SourceMap {
    files: Arena<FileId, SourceFile>,
}

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) -> FileId {
        self.files.push(SourceFile::new(path.into(), text, false))
    }

    pub fn add_builtin(&mut self, path: impl Into<PathBuf>, text: String) -> FileId {
        self.files.push(SourceFile::new(path.into(), text, true))
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    pub fn text(&self, span: Span) -> &str {
        self.files[span.file].text.get(span.lo as usize..span.hi as usize).unwrap_or("")
    }

    /// `prog.fut:3:14-20` (or `prog.fut:3:14-4:2` over several lines), for messages of one line.
    pub fn position(&self, span: Span) -> String {
        let file = &self.files[span.file];
        let (line, col) = file.line_col(span.lo);
        let (end_line, end_col) = file.line_col(span.hi.max(span.lo + 1) - 1);
        let path = file.path.display();
        match (end_line == line, end_col == col) {
            (true, true) => format!("{path}:{line}:{col}"),
            (true, false) => format!("{path}:{line}:{col}-{end_col}"),
            (false, _) => format!("{path}:{line}:{col}-{end_line}:{end_col}"),
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = FileId> {
        self.files.ids()
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// The id a file will get that is added next; for spans made before any file exists.
pub fn first_file() -> FileId {
    FileId::from_index(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut map = SourceMap::new();
        let f = map.add("p.fut", "let å = 1\nin å\n".to_string());
        assert_eq!(map.file(f).line_col(0), (1, 1));
        assert_eq!(map.file(f).line_col(7), (1, 7));
        assert_eq!(map.position(Span::new(f, 11, 13)), "p.fut:2:1-2");
        assert_eq!(map.position(Span::new(f, 4, 13)), "p.fut:1:5-2:2");
        assert_eq!(map.file(f).line_col(17), (3, 1));
    }

    #[test]
    fn columns_of_long_lines() {
        let text = format!("{}\n{}", "å".repeat(1000), "aå".repeat(1000));
        let mut map = SourceMap::new();
        let f = map.add("p.fut", text.clone());
        for (offset, _) in text.char_indices() {
            let before = &text[..offset];
            let line = before.matches('\n').count();
            let col = before.rsplit('\n').next().unwrap_or("").chars().count();
            assert_eq!(map.file(f).line_col(offset as u32), (line + 1, col + 1), "{offset}");
        }
        assert_eq!(map.file(f).line_col(text.len() as u32), (2, 2001));
    }
}
