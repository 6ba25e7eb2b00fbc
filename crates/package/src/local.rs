//! The file `futhark.local`: packages that come from elsewhere on this machine.
//!
//! A line has a package path and where it comes from: a folder, a git repository, or an address for git. `*` stands for
//! a part of the path, and for the same part of where it comes from.
//!
//! ```text
//! github.com/diku-dk/sorts ../sorts
//! github.com/diku-dk/* ../mirrors/*.git
//! ```

use crate::PackagePath;
use crate::text::TextError;
use std::path::{Path, PathBuf};

const HEAD: &str = "-- Where packages come from on this machine; not for version control.\n";

/// A `futhark.local`, as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Local {
    text: String,
    lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    /// A package path, perhaps with a `*`.
    pattern: String,
    from: String,
    /// Its number from 0.
    number: usize,
}

/// Where a package comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Place {
    /// The files of a folder as they are.
    Folder(PathBuf),
    /// A repository for `git fetch`: an address, or a folder called `….git` or with what is in one.
    Git(String),
}

impl Local {
    pub fn parse(text: &str) -> Result<Local, TextError> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("--") {
                continue;
            }
            let error = |message: String| TextError { line: number + 1, message };
            let Some((pattern, from)) = line.split_once(char::is_whitespace) else {
                return Err(error("a line has a package path and where it comes from".to_string()));
            };
            let from = from.trim_start().to_string();
            let stars = |text: &str| text.matches('*').count();
            if stars(pattern) > 1 || stars(&from) > stars(pattern) {
                return Err(error(
                    "a package path has at most one `*`, and where it comes from has no more".to_string(),
                ));
            }
            let path = PackagePath::parse(&pattern.replace('*', "x")).map_err(|e| error(e.to_string()))?;
            let pattern = if pattern.contains('*') { pattern.to_string() } else { path.to_string() };
            lines.push(Line { pattern, from, number });
        }
        Ok(Local { text: text.to_string(), lines })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a package comes from, if that is said: by its own name if possible. `base` is the folder of the file.
    pub fn place(&self, path: &PackagePath, base: &Path) -> Option<Place> {
        let own = self.lines.iter().find(|line| line.pattern == path.as_str()).map(|line| line.from.clone());
        let from = own.or_else(|| self.lines.iter().find_map(|line| by_pattern(line, path)))?;
        if from.contains("://") {
            return Some(Place::Git(from));
        }
        let folder = base.join(from);
        let is_git = folder.as_os_str().as_encoded_bytes().ends_with(b".git")
            || (folder.join("objects").is_dir() && folder.join("HEAD").is_file());
        Some(if is_git { Place::Git(folder.display().to_string()) } else { Place::Folder(folder) })
    }

    /// Says where a package comes from, or nothing about it any more.
    pub fn set(&mut self, path: &PackagePath, from: Option<&str>) -> Result<(), TextError> {
        let old = self.lines.iter().find(|line| line.pattern == path.as_str()).map(|line| line.number);
        let mut lines: Vec<String> = self.text.lines().map(str::to_string).collect();
        if let Some(from) = from
            && (from.trim() != from || from.is_empty() || from.chars().any(char::is_control))
        {
            let message = format!("`{}` cannot stand in this file", from.escape_debug());
            return Err(TextError { line: old.unwrap_or(lines.len()) + 1, message });
        }
        match (old, from.map(|from| format!("{path} {from}"))) {
            (Some(number), Some(line)) => lines[number] = line,
            (Some(number), None) => drop(lines.remove(number)),
            (None, Some(line)) => {
                if lines.is_empty() {
                    lines.push(HEAD.trim_end().to_string());
                }
                lines.push(line);
            }
            (None, None) => {}
        }
        *self = Local::parse(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
        Ok(())
    }
}

/// From where a line with a `*` says that a package comes. The `*` stands for no more than one part of the path, whose
/// major version is no part of it.
fn by_pattern(line: &Line, path: &PackagePath) -> Option<String> {
    let (before, after) = line.pattern.split_once('*')?;
    let part = path.base().strip_prefix(before)?.strip_suffix(after)?;
    (!part.is_empty() && !part.contains('/')).then(|| line.from.replace('*', part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PackagePath {
        PackagePath::parse(text).unwrap()
    }

    #[test]
    fn places_are_found() {
        let text = "-- mine\nex.org/a ../my folder\n  ex.org/x-* /mirrors/*.git\nex.org/* https://other.org/*\nex.org/b/ ../b\n";
        let local = Local::parse(text).unwrap();
        let place = |text| local.place(&path(text), Path::new("/base"));
        assert_eq!(place("ex.org/a"), Some(Place::Folder("/base/../my folder".into())));
        assert_eq!(place("ex.org/b"), Some(Place::Folder("/base/../b".into())));
        assert_eq!(place("ex.org/x-c"), Some(Place::Git("/mirrors/c.git".into())));
        assert_eq!(place("ex.org/c"), Some(Place::Git("https://other.org/c".into())));
        assert_eq!(place("ex.org/c@2"), Some(Place::Git("https://other.org/c".into())));
        assert_eq!((place("ex.org/c/d"), place("ex.net/c")), (None, None));
    }

    #[test]
    fn lines_come_and_go() {
        let mut local = Local::default();
        local.set(&path("ex.org/a"), Some("../a")).unwrap();
        local.set(&path("ex.org/b"), Some("../b")).unwrap();
        local.set(&path("ex.org/a"), Some("../c")).unwrap();
        assert_eq!(local.text(), format!("{HEAD}ex.org/a ../c\nex.org/b ../b\n"));
        local.set(&path("ex.org/a"), None).unwrap();
        local.set(&path("ex.org/a"), None).unwrap();
        for from in ["", " x", "../x\nex.org/c ../c", "../*"] {
            assert!(local.set(&path("ex.org/a"), Some(from)).is_err(), "{from:?}");
        }
        assert_eq!(local.text(), format!("{HEAD}ex.org/b ../b\n"));
    }

    #[test]
    fn damaged_files_say_where() {
        for text in
            ["\nex.org/a", "\nex.org/../a ../a", "\nex.org/*/* ../a", "\nex.org/a ../*", "\nhttps://ex.org/a ../a"]
        {
            assert_eq!(Local::parse(text).unwrap_err().line, 2, "{text}");
        }
    }
}
