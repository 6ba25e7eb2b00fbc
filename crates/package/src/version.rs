//! Versions of packages: releases such as `1.2.3`, and commits such as `0.0.0-20260131235959+4a5b6c7`.

use std::cmp::Ordering;
use std::fmt;
use thiserror::Error;

/// Versions are ordered by age: a release is newer than any commit that has none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    /// Few versions have one.
    commit: Option<Box<Commit>>,
}

/// A commit without a release. Its version is 0.0.0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Commit {
    /// Year to second, which nobody compares with the commit itself.
    time: u64,
    id: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{text}` is no version; it has three numbers, as in `1.2.3`")]
pub struct VersionError {
    text: String,
}

impl Version {
    pub fn new(major: u64, minor: u64, patch: u64) -> Version {
        Version { major, minor, patch, commit: None }
    }

    /// The version of a commit; `time` has the form `yyyymmddhhmmss`.
    pub fn of_commit(time: u64, id: &str) -> Version {
        Version { commit: Some(Box::new(Commit { time, id: id.to_string() })), ..Version::new(0, 0, 0) }
    }

    pub fn parse(text: &str) -> Result<Version, VersionError> {
        let error = || VersionError { text: text.chars().take(100).flat_map(char::escape_debug).collect() };
        parse(text).ok_or_else(error)
    }

    /// The hash of its commit, perhaps cut short, if it is no release.
    pub fn commit(&self) -> Option<&str> {
        self.commit.as_ref().map(|commit| commit.id.as_str())
    }
}

fn parse(text: &str) -> Option<Version> {
    let (numbers, commit) = match text.split_once('-') {
        None => (text, None),
        Some((numbers, commit)) => {
            let (time, id) = commit.split_once('+')?;
            // A time may begin with zeros, but is written as it is read only without them.
            (numbers, Some(Box::new(Commit { time: number(time)?, id: hash(id)?.to_string() })))
        }
    };
    let mut parts = numbers.split('.').map(number);
    let (major, minor, patch) = (parts.next()??, parts.next()??, parts.next()??);
    let version = Version { major, minor, patch, commit };
    (parts.next().is_none() && (version.commit.is_none() || numbers == "0.0.0")).then_some(version)
}

/// A number as versions have it: without superfluous zeros, and not too large.
pub(crate) fn number(digits: &str) -> Option<u64> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_plain.then(|| digits.parse().ok())?
}

/// A text that can be the hash of a commit, perhaps cut short.
pub(crate) fn hash(text: &str) -> Option<&str> {
    let is_hash = (4..=64).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hash.then_some(text)
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let numbers = |version: &Version| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (&self.commit, &other.commit) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(two)) => one.cmp(two),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        match self.commit.as_deref() {
            None => Ok(()),
            Some(Commit { time, id }) => write!(f, "-{time}+{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_age() {
        let texts = [
            "0.0.0-20200101000000+ffff",
            "0.0.0-20210101000000+0000",
            "0.0.0-20210101000000+0001",
            "0.0.0",
            "0.0.10",
            "0.2.0",
            "0.10.0",
            "1.0.0",
            "10.0.0",
        ];
        let mut versions: Vec<Version> = texts.iter().rev().map(|text| Version::parse(text).unwrap()).collect();
        versions.sort();
        assert_eq!(versions.iter().map(Version::to_string).collect::<Vec<_>>(), texts);
    }

    #[test]
    fn texts_that_are_no_versions() {
        for text in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-rc1",
            "1.0.0-1+abcd",
            "0.0.0-1",
            "0.0.0-1+",
            "0.0.0-1+xyz1",
            "0.0.0-1+ab",
            "1..0",
            "1.0.-1",
            "+1.0.0",
            "1.0.18446744073709551616",
            "1.0.0\n",
            "0.0.0-1+--help",
        ] {
            assert!(Version::parse(text).is_err(), "{text}");
        }
        assert!(Version::parse("1.0.18446744073709551615").is_ok());
    }
}
