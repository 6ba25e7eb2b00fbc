//! Package paths, such as `github.com/diku-dk/sorts` and `github.com/user/repo@2`.

use crate::Version;
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// The most bytes of a path, so that it fits into names of files.
const LONGEST: usize = 200;

/// The name of a package, which is also its folder below `lib` and, without the major version, its address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PackagePath {
    text: String,
    /// The number behind the `@`.
    major: Option<u64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PathError {
    #[error("a package path is empty; it looks like `github.com/user/name`")]
    Empty,
    #[error("`{text}` is a URL; write it without `{scheme}`")]
    Scheme { text: String, scheme: String },
    #[error("`{text}` is no package path, since {reason}; it looks like `github.com/user/name`")]
    Bad { text: String, reason: String },
}

impl PackagePath {
    /// A slash at the end makes no difference.
    pub fn parse(text: &str) -> Result<PackagePath, PathError> {
        let text = text.strip_suffix('/').unwrap_or(text);
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        // What is said about it is printed.
        let shown = || text.chars().take(LONGEST).flat_map(char::escape_debug).collect::<String>();
        let bad = |reason: &str| Err(PathError::Bad { text: shown(), reason: reason.to_string() });
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(PathError::Scheme { text: shown(), scheme: format!("{}://", scheme.escape_debug()) });
        }
        if text.len() > LONGEST {
            return bad(&format!("it has more than {LONGEST} bytes"));
        }
        let is_known = |c: char| c.is_ascii_alphanumeric() || "-._~:%@/".contains(c);
        if let Some(other) = text.chars().find(|&c| !is_known(c)) {
            return bad(&format!("`{}` cannot be part of one", other.escape_debug()));
        }
        for part in text.split('/') {
            if part.is_empty() {
                return bad("a part of it is empty");
            }
            // Neither `..` nor `.git`, nor an option of a command.
            if part.starts_with(['.', '-']) {
                return bad(&format!("its part `{part}` begins with `{}`", &part[..1]));
            }
        }
        let last = text.rsplit('/').next().unwrap_or(text);
        let major = match last.rsplit_once('@') {
            None => None,
            Some(("", _)) => return bad("there is nothing before the `@`"),
            Some((_, digits)) => match crate::version::number(digits) {
                Some(major) => Some(major),
                None => return bad("behind the `@` there must be a major version, as in `@2`"),
            },
        };
        Ok(PackagePath { text: text.to_string(), major })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same package in another major version: `@N` is left out for 0 and 1.
    pub fn of_major(&self, major: u64) -> String {
        if major <= 1 { self.base().to_string() } else { format!("{}@{major}", self.base()) }
    }

    /// Whether a version belongs to this package: other major versions are other packages.
    pub fn admits(&self, version: &Version) -> bool {
        match self.major {
            _ if version.commit().is_some() => true,
            None => version.major <= 1,
            Some(major) => version.major == major,
        }
    }

    /// From where git fetches it.
    pub fn url(&self) -> String {
        format!("https://{}", self.base())
    }

    /// Where its files are, below `lib`.
    pub fn folder(&self) -> PathBuf {
        self.text.split('/').collect()
    }

    /// Whether the folder of the other one would be inside of that of this one, or is the same.
    pub fn contains(&self, other: &PackagePath) -> bool {
        other.text.strip_prefix(&self.text).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Without the major version.
    pub(crate) fn base(&self) -> &str {
        match self.major {
            None => &self.text,
            Some(_) => self.text.rsplit_once('@').map_or(&self.text, |(base, _)| base),
        }
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PackagePath {
        PackagePath::parse(text).unwrap()
    }

    #[test]
    fn paths_have_addresses_and_folders() {
        let sorts = path("github.com/diku-dk/sorts/");
        assert_eq!(sorts.as_str(), "github.com/diku-dk/sorts");
        assert_eq!(sorts.url(), "https://github.com/diku-dk/sorts");
        assert_eq!(sorts.folder(), PathBuf::from("github.com/diku-dk/sorts"));
        let second = path("ex.org:8080/~u/a%20b@2");
        assert_eq!(second.url(), "https://ex.org:8080/~u/a%20b");
        assert_eq!(second.folder(), PathBuf::from("ex.org:8080/~u/a%20b@2"));
        assert_eq!(
            (second.of_major(1), second.of_major(3)),
            ("ex.org:8080/~u/a%20b".into(), "ex.org:8080/~u/a%20b@3".into())
        );
    }

    #[test]
    fn major_versions_are_packages_of_their_own() {
        let version = |text| Version::parse(text).unwrap();
        let (plain, second) = (path("a/b"), path("a/b@2"));
        for (text, in_plain, in_second) in
            [("0.9.0", true, false), ("1.0.0", true, false), ("2.0.0", false, true), ("0.0.0-1+ab12", true, true)]
        {
            assert_eq!((plain.admits(&version(text)), second.admits(&version(text))), (in_plain, in_second), "{text}");
        }
    }

    #[test]
    fn paths_that_could_lead_elsewhere_are_refused() {
        for text in [
            "",
            "/",
            "/abs",
            "a//b",
            "a/../b",
            "..",
            "a/.git",
            "a/./b",
            "-x/a",
            "a/--upload-pack=x",
            "a\\b",
            "a b",
            "a\nb",
            "a;b",
            "$HOME",
            "a@",
            "a@x",
            "a/@2",
            "a@02",
            "é",
            "a\u{202e}b",
            "https://github.com/a/b",
            "file:///etc",
            "a@99999999999999999999",
            "a/b/",
        ] {
            assert_eq!(PackagePath::parse(text).is_ok(), text == "a/b/", "{text}");
        }
        assert!(PackagePath::parse(&"a".repeat(200)).is_ok() && PackagePath::parse(&"a".repeat(201)).is_err());
        let said = PackagePath::parse("https://github.com/a/b").unwrap_err().to_string();
        assert_eq!(said, "`https://github.com/a/b` is a URL; write it without `https://`");
    }

    #[test]
    fn folders_that_lie_in_each_other() {
        assert!(path("a/b").contains(&path("a/b/c")) && path("a/b").contains(&path("a/b")));
        assert!(
            !path("a/b").contains(&path("a/bc"))
                && !path("a/b/c").contains(&path("a/b"))
                && !path("a/b").contains(&path("a/b@2"))
        );
    }
}
