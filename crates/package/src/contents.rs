//! The files of a package, and what may not be among them.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};
use thiserror::Error;

/// The most files of a package, and the most bytes of all of them. They are sources.
pub const MOST_FILES: usize = 10_000;
pub const MOST_BYTES: u64 = 64 << 20;
/// The most bytes of all packages that are installed together.
pub const MOST_BYTES_OF_ALL: u64 = 256 << 20;
/// The most bytes of the path of a file, and of a name in it.
const LONGEST_PATH: usize = 1000;
const LONGEST_NAME: usize = 255;

/// The files of a package by their paths, with `/`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Contents {
    files: BTreeMap<String, Vec<u8>>,
    bytes: u64,
}

/// Why a package is not installed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    #[error("`{0}` is a symbolic link, which may lead anywhere")]
    Link(String),
    #[error("`{0}` is a submodule, and its files are not part of the package")]
    Submodule(String),
    #[error("`{0}` is neither a file nor a folder")]
    Special(String),
    #[error("the name `{0}` is not allowed in a package")]
    Name(String),
    #[error("`{0}` is both a file and a folder")]
    Clash(String),
    #[error("it has more than {MOST_FILES} files")]
    ManyFiles,
    #[error("its files have more than {} MiB", MOST_BYTES >> 20)]
    ManyBytes,
    #[error("it has no folder `{0}`, in which its files should be")]
    NoFolder(String),
    #[error("it has no `futhark.pkg`")]
    NoManifest,
    #[error("its `futhark.pkg` does not say what it is called")]
    NoName,
    #[error("its `futhark.pkg` cannot be read: {0}")]
    Manifest(String),
}

/// Why a folder cannot be a package.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Contents {
    /// Nothing that is not allowed gets in.
    pub fn insert(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Refusal> {
        must_be_a_path(path)?;
        let shown = || path.to_string();
        let mut folders = path.match_indices('/').map(|(slash, _)| &path[..slash]);
        let as_folder = format!("{path}/");
        let is_folder =
            self.files.range(as_folder.clone()..).next().is_some_and(|(next, _)| next.starts_with(&as_folder));
        if is_folder || self.files.contains_key(path) || folders.any(|folder| self.files.contains_key(folder)) {
            return Err(Refusal::Clash(shown()));
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        self.files.insert(path.to_string(), bytes);
        must_be_small(self.files.len(), self.bytes)
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The SHA-256 of lines with the SHA-256 and the path of each file.
    pub fn hash(&self) -> String {
        let mut all = Sha256::new();
        for (path, bytes) in &self.files {
            all.update(format!("{}  {path}\n", hex(&Sha256::digest(bytes))));
        }
        format!("sha256:{}", hex(&all.finalize()))
    }

    /// All files below a folder. The places for git are left out.
    pub fn of_folder(folder: &Path) -> Result<Contents, FolderError> {
        let mut contents = Contents::default();
        let mut left = vec![(folder.to_path_buf(), String::new())];
        while let Some((folder, prefix)) = left.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let name = entry.file_name();
                let name =
                    name.to_str().ok_or_else(|| Refusal::Name(name.to_string_lossy().escape_debug().to_string()))?;
                let path = format!("{prefix}{name}");
                if name == ".git" {
                    continue;
                }
                must_be_a_path(&path)?;
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    left.push((entry.path(), format!("{path}/")));
                } else if kind.is_file() {
                    must_be_small(contents.files.len(), contents.bytes.saturating_add(entry.metadata()?.len()))?;
                    contents.insert(&path, fs::read(entry.path())?)?;
                } else if kind.is_symlink() {
                    return Err(Refusal::Link(path).into());
                } else {
                    return Err(Refusal::Special(path).into());
                }
            }
        }
        Ok(contents)
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether so many files of so many bytes are allowed.
pub(crate) fn must_be_small(files: usize, bytes: u64) -> Result<(), Refusal> {
    if files > MOST_FILES {
        return Err(Refusal::ManyFiles);
    }
    if bytes > MOST_BYTES { Err(Refusal::ManyBytes) } else { Ok(()) }
}

/// A path that stays in its folder, and that neither a terminal nor git takes for something else.
pub(crate) fn must_be_a_path(path: &str) -> Result<(), Refusal> {
    let is_good = |name: &str| {
        !matches!(name, "" | "." | "..")
            && name.len() <= LONGEST_NAME
            && !name.eq_ignore_ascii_case(".git")
            && !name.chars().any(|c| c.is_control() || c == '\\' || is_invisible(c))
    };
    if path.len() <= LONGEST_PATH && path.split('/').all(is_good) {
        return Ok(());
    }
    Err(Refusal::Name(path.chars().take(LONGEST_NAME).flat_map(char::escape_debug).collect()))
}

/// Characters that make a name look like another one.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::TemporaryFolder;

    #[test]
    fn names_that_are_refused() {
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../x",
            "a//b",
            "a/",
            "./a",
            "a/.git/config",
            ".GIT",
            "a\\b",
            "a\nb",
            "a\u{1b}[2J",
            "a\u{202e}b",
            "a\0",
        ] {
            assert!(matches!(Contents::default().insert(path, Vec::new()), Err(Refusal::Name(_))), "{path:?}");
        }
        assert!(Contents::default().insert(&"x".repeat(256), Vec::new()).is_err());
        assert!(Contents::default().insert(&"x/".repeat(600), Vec::new()).is_err());
        for path in ["a.fut", ".gitignore", "a/b c/-d.fut", "ä", "a@2/x"] {
            assert_eq!(Contents::default().insert(path, Vec::new()), Ok(()), "{path:?}");
        }
    }

    #[test]
    fn files_are_not_folders() {
        for (one, two) in [("a", "a/b"), ("a/b", "a"), ("a", "a"), ("a/b/c", "a"), ("a", "a/b/c")] {
            let mut contents = Contents::default();
            contents.insert("a!", Vec::new()).unwrap();
            contents.insert(one, Vec::new()).unwrap();
            assert_eq!(contents.insert(two, Vec::new()), Err(Refusal::Clash(two.to_string())), "{one} {two}");
        }
    }

    #[test]
    fn there_are_limits() {
        let mut contents = Contents::default();
        for i in 0..MOST_FILES {
            contents.insert(&i.to_string(), Vec::new()).unwrap();
        }
        assert_eq!(contents.insert("one more", Vec::new()), Err(Refusal::ManyFiles));
        let mut contents = Contents::default();
        contents.insert("large", vec![0; MOST_BYTES as usize]).unwrap();
        assert_eq!(contents.insert("small", vec![0]), Err(Refusal::ManyBytes));
    }

    /// The hash is the one that `sha256sum` gives of a list made by itself.
    #[test]
    fn the_hash_is_that_of_the_list() {
        let mut contents = Contents::default();
        assert_eq!(contents.hash(), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        contents.insert("b", b"two\n".to_vec()).unwrap();
        contents.insert("a", b"one\n".to_vec()).unwrap();
        assert_eq!(contents.hash(), HASH_OF_TWO);
        contents.insert("c", Vec::new()).unwrap();
        assert_ne!(contents.hash(), HASH_OF_TWO);
    }

    const HASH_OF_TWO: &str = "sha256:73d931e3531f13247bbc3a0108fcd0c0ef480260a5e75980db7fa6e0bc531ac4";

    #[test]
    fn folders_are_read_without_links() {
        let folder = TemporaryFolder::new().unwrap();
        let make = |name: &str| fs::write(folder.path.join(name), name).unwrap();
        fs::create_dir_all(folder.path.join("d/e")).unwrap();
        fs::create_dir_all(folder.path.join(".git")).unwrap();
        ["a", "d/b", "d/e/c", ".git/config"].into_iter().for_each(make);
        let contents = Contents::of_folder(&folder.path).unwrap();
        assert_eq!(
            contents.files().map(|(path, bytes)| (path, bytes.len())).collect::<Vec<_>>(),
            [("a", 1), ("d/b", 3), ("d/e/c", 5)]
        );
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/", folder.path.join("d/link")).unwrap();
            let error = Contents::of_folder(&folder.path).unwrap_err();
            assert!(matches!(&error, FolderError::Refused(Refusal::Link(path)) if path == "d/link"), "{error}");
        }
        assert!(matches!(Contents::of_folder(&folder.path.join("no")), Err(FolderError::Io(_))));
    }
}
