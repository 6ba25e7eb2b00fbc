//! All the compiler reads comes through a [`FileSystem`], so that tests, editors and browsers can supply their own.

use crate::{Code, Diagnostic, FileId, SourceMap, Span};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

pub trait FileSystem {
    /// The contents of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is a file (not a directory) of this name.
    fn exists(&self, path: &Path) -> bool;
}

/// The most bytes that a source file can have.
pub const LARGEST: u64 = 256 << 20;

/// The files of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealFileSystem;

impl FileSystem for RealFileSystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Some systems report a directory as one only on reading, and some not at all.
        if path.is_dir() {
            return Err(io::Error::from(ErrorKind::IsADirectory));
        }
        // A device may have no end, and be read until the memory has.
        let mut contents = Vec::new();
        std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut contents)?;
        if contents.len() as u64 > LARGEST { Err(io::Error::from(ErrorKind::FileTooLarge)) } else { Ok(contents) }
    }

    fn exists(&self, path: &Path) -> bool {
        path.is_file()
    }
}

/// Files that exist only in memory. Paths are equal when they are after resolving `.` and `..`.
#[derive(Clone, Default, Debug)]
pub struct MemoryFileSystem {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryFileSystem {
    pub fn new() -> MemoryFileSystem {
        MemoryFileSystem::default()
    }

    pub fn add(&mut self, path: impl AsRef<Path>, contents: impl Into<Vec<u8>>) {
        self.files.insert(normalise(path.as_ref()), contents.into());
    }

    #[must_use]
    pub fn with(mut self, path: impl AsRef<Path>, contents: impl Into<Vec<u8>>) -> MemoryFileSystem {
        self.add(path, contents);
        self
    }
}

impl FileSystem for MemoryFileSystem {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = normalise(path);
        if let Some(contents) = self.files.get(&path) {
            return Ok(contents.clone());
        }
        let is_directory = self.files.keys().any(|file| file.starts_with(&path));
        Err(io::Error::from(if is_directory { ErrorKind::IsADirectory } else { ErrorKind::NotFound }))
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.contains_key(&normalise(path))
    }
}

/// The path without `.`, and without `..` where a directory is left again, whatever links there are on the way.
pub fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    out
}

/// Reads a source file into the map. When that fails, the file is in the map all the same, so that the diagnostic
/// has a place to point at: `at`, where the program asks for the file, or else the file itself.
pub fn load(
    sources: &mut SourceMap,
    path: &Path,
    at: Option<Span>,
    fs: &dyn FileSystem,
) -> (FileId, Option<Diagnostic>) {
    let shown = path.display();
    // Positions in a file have 32 bits, whoever supplies it.
    let small = |bytes: Vec<u8>| {
        if bytes.len() as u64 > LARGEST { Err(io::Error::from(ErrorKind::FileTooLarge)) } else { Ok(bytes) }
    };
    match fs.read(path).and_then(small).map(String::from_utf8) {
        Ok(Ok(mut text)) => {
            // Some editors begin a file with a mark of its encoding, which is no part of the text.
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            (sources.add(path, text), None)
        }
        Ok(Err(error)) => {
            let valid = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let byte = bytes[valid];
            // Up to the first bad byte the offsets are those of the file.
            let file = sources.add(path, String::from_utf8_lossy(&bytes).into_owned());
            let place = u32::try_from(valid).unwrap_or(0);
            let span = Span::new(file, place, place.saturating_add(1));
            let diagnostic =
                Diagnostic::error(Code::InvalidUtf8, span, format!("the file `{shown}` is not valid UTF-8"))
                    .label(format!("the byte 0x{byte:02x} is not part of any character"))
                    .hint("save the file with the encoding UTF-8");
            (file, Some(diagnostic))
        }
        Err(error) => {
            let file = sources.add(path, String::new());
            let span = at.unwrap_or(Span::new(file, 0, 0));
            let code = if at.is_some() { Code::ImportNotFound } else { Code::FileNotFound };
            let message = match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => format!("there is no file `{shown}`"),
                ErrorKind::IsADirectory => format!("`{shown}` is a directory, not a file"),
                ErrorKind::FileTooLarge => {
                    format!("the file `{shown}` is too large: a source file can have at most {} MiB", LARGEST >> 20)
                }
                ErrorKind::PermissionDenied => format!("the file `{shown}` may not be read: permission denied"),
                _ => format!("the file `{shown}` cannot be read: {error}"),
            };
            let mut diagnostic = Diagnostic::error(code, span, message);
            if at.is_some() && path.starts_with("/prelude") {
                diagnostic = diagnostic.hint("what the prelude defines is known without an import: remove this one");
            }
            (file, Some(diagnostic))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        for (path, expected) in [
            ("a/./b", "a/b"),
            ("./a/../b", "b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/../a", "/a"),
            ("a/b/..", "a"),
        ] {
            assert_eq!(normalise(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn memory_files() {
        let fs = MemoryFileSystem::new().with("lib/a.fut", "def x = 1");
        assert_eq!(fs.read(Path::new("./lib/../lib/a.fut")).unwrap(), b"def x = 1");
        assert!(fs.exists(Path::new("lib/a.fut")) && !fs.exists(Path::new("lib")));
        assert_eq!(fs.read(Path::new("lib")).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(fs.read(Path::new("b.fut")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn failures_are_diagnostics() {
        let fs = MemoryFileSystem::new().with("bad.fut", b"def \xff = 1").with("lib/a.fut", "");
        let mut sources = SourceMap::new();
        let mut failure = |path: &str| load(&mut sources, Path::new(path), None, &fs).1;
        assert_eq!(failure("lib/a.fut"), None);
        let bad = failure("bad.fut").unwrap();
        assert_eq!((bad.code, bad.primary.span.lo), (Code::InvalidUtf8, 4));
        assert_eq!(bad.primary.text, "the byte 0xff is not part of any character");
        assert_eq!(failure("lib").unwrap().message, "`lib` is a directory, not a file");
        assert_eq!(failure("no.fut").unwrap().code, Code::FileNotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_without_an_end() {
        let failure = load(&mut SourceMap::new(), Path::new("/dev/zero"), None, &RealFileSystem).1.unwrap();
        assert_eq!(failure.message, "the file `/dev/zero` is too large: a source file can have at most 256 MiB");
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        let fs = MemoryFileSystem::new().with("a.fut", "\u{feff}def x = 1").with("b.fut", "\u{feff}");
        let mut sources = SourceMap::new();
        for (path, text) in [("a.fut", "def x = 1"), ("b.fut", "")] {
            let (file, failure) = load(&mut sources, Path::new(path), None, &fs);
            assert_eq!((&*sources.file(file).text, failure), (text, None));
        }
    }

    #[test]
    fn the_prelude_is_not_imported() {
        let mut sources = SourceMap::new();
        let file = sources.add(Path::new("a.fut"), String::new());
        let mut hints = |path: &str| {
            let at = Some(Span::new(file, 0, 0));
            load(&mut sources, Path::new(path), at, &MemoryFileSystem::new()).1.unwrap().hints.len()
        };
        assert_eq!((hints("/prelude/math.fut"), hints("/preludes/math.fut"), hints("prelude/math.fut")), (1, 0, 0));
    }
}
