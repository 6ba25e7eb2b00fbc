//! The file `futhark.lock`: what `sync` has put into `lib/`, with hashes.

use crate::text::{self, Kind, TextError};
use crate::{PackagePath, Version};
use std::collections::BTreeMap;

const HEAD: &str = "-- What `kenaz pkg sync` has installed: versions, commits, and hashes of the files.\n";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lock {
    pub packages: BTreeMap<PackagePath, Locked>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locked {
    pub version: Version,
    /// None for a package from a folder on this machine, which changes all the time.
    pub commit: Option<String>,
    /// `sha256:…`, see `Contents::hash`.
    pub hash: String,
}

impl Lock {
    pub fn parse(text: &str) -> Result<Lock, TextError> {
        let mut packages = BTreeMap::new();
        let mut tokens = text::tokens(text).into_iter().peekable();
        while let Some(first) = tokens.next() {
            let error = |message: String| TextError::at(text, first.span.start, message);
            let mut next = |wanted: Kind| {
                let token = tokens.next_if(|token| token.kind == wanted);
                token.map(|token| &text[token.span])
            };
            let damaged = || error("this is no package with its version and hash".to_string());
            let path = Some(&text[first.span.clone()]).filter(|_| first.kind == Kind::Word).ok_or_else(damaged)?;
            let path = PackagePath::parse(path).map_err(|e| error(e.to_string()))?;
            let version = next(Kind::Word).ok_or_else(damaged)?;
            let version = Version::parse(version).map_err(|e| error(e.to_string()))?;
            let commit = match next(Kind::Hash) {
                None => None,
                Some(commit) => Some(crate::version::hash(&commit[1..]).ok_or_else(damaged)?.to_string()),
            };
            let hash = next(Kind::Word).filter(|hash| hash.starts_with("sha256:")).ok_or_else(damaged)?.to_string();
            if packages.insert(path.clone(), Locked { version, commit, hash }).is_some() {
                return Err(error(format!("`{path}` stands here twice")));
            }
        }
        Ok(Lock { packages })
    }

    pub fn text(&self) -> String {
        let mut text = HEAD.to_string();
        for (path, Locked { version, commit, hash }) in &self.packages {
            let commit = commit.as_ref().map_or(String::new(), |commit| format!(" #{commit}"));
            text.push_str(&format!("{path} {version}{commit} {hash}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = format!("{HEAD}ex.org/a 1.0.0 #abcd sha256:12\nex.org/b@2 2.0.1 sha256:34\n");
        let lock = Lock::parse(&text).unwrap();
        assert_eq!(lock.packages.len(), 2);
        assert_eq!(
            lock.packages.values().map(|locked| locked.commit.as_deref()).collect::<Vec<_>>(),
            [Some("abcd"), None]
        );
        assert_eq!(lock.text(), text);
        assert_eq!(Lock::parse(&Lock::default().text()), Ok(Lock::default()));
    }

    #[test]
    fn damaged_files_say_where() {
        for (text, line) in [
            ("<<<<<<< HEAD\n", 1),
            ("ex.org/a 1.0.0 #abcd sha256:12\nex.org/b", 2),
            ("ex.org/a 1.0.0 #abcd sha256:12\nex.org/b 1.0.0", 2),
            ("ex.org/a 1.0.0 #x sha256:12\n", 1),
            ("ex.org/a 1.0.0 #abcd md5:12\n", 1),
            ("\nex.org/../a 1.0.0 #abcd sha256:12\n", 2),
            ("ex.org/a 1.0.0 sha256:12\nex.org/a 1.0.0 sha256:12\n", 2),
            ("{\n", 1),
        ] {
            assert_eq!(Lock::parse(text).unwrap_err().line, line, "{text}");
        }
    }
}
