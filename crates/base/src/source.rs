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
    /// Part of the compiler, not of the user's program.
    pub builtin: bool,
}

impl SourceFile {
    pub fn new(path: PathBuf, text: String, builtin: bool) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().zip(1u32..).filter(|(b, _)| *b == b'\n').map(|(_, next)| next));
        SourceFile { path, text, line_starts, builtin }
    }

    /// Line and column, both from 1; columns count characters.
    pub fn line_col(&self, offset: u32) -> (usize, usize) {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = self.text.floor_char_boundary((offset as usize).min(self.text.len()));
        (line + 1, self.text[start.min(end)..end].chars().count() + 1)
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
}
