//! What can go wrong, each in one line that says what to do.

use crate::contents::{MOST_BYTES_OF_ALL, Refusal};
use crate::git::GitError;
use crate::path::PathError;
use crate::select::MOST_REQUIREMENTS;
use crate::text::TextError;
use crate::version::VersionError;
use crate::{PackagePath, Version};
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error("`{}` cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("`{}` cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("`{file}`, {error}")]
    Text { file: &'static str, error: TextError },
    #[error("{0}")]
    Path(#[from] PathError),
    #[error("{0}")]
    Version(#[from] VersionError),

    #[error("there is no `futhark.pkg` in this folder; `kenaz pkg add PACKAGE` makes one")]
    NoManifest,
    #[error("`futhark.pkg` exists already; write `package {path}` at its beginning to give the package a name")]
    ManifestExists { path: PackagePath },
    #[error("`futhark.pkg` does not require `{path}`{}", did_you_mean(similar))]
    NotRequired { path: PackagePath, similar: Vec<String> },
    #[error("`{path}` is the package of this folder, and cannot require itself")]
    Own { path: PackagePath },

    #[error(transparent)]
    Git(#[from] GitError),
    #[error("{what} is not in the cache; leave out `--offline` to fetch it")]
    Offline { what: String },
    #[error("there is no version {version} of `{path}`; {}", known_versions(path, known, version))]
    NoVersion { path: PackagePath, version: Version, known: Vec<Version> },
    #[error("`{path}` has no release{}", other_majors(path, others))]
    NoRelease { path: PackagePath, others: Vec<Version> },
    #[error("`{url}` has no commit `{commit}` of `{path}`; a commit must be on a branch or have a tag")]
    NoCommit { path: PackagePath, commit: String, url: String },

    #[error("`{path}` {version} is refused: {refusal}; require another version, or tell its authors")]
    Refused { path: PackagePath, version: Version, refusal: Refusal },
    #[error("`{}` cannot be used for `{path}`: {reason}", folder.display())]
    Folder { path: String, folder: PathBuf, reason: String },
    #[error(
        "`{path}` {version} is commit {found} now, and should be {expected}: its tag was moved; if that is right, \
         `kenaz pkg add {path} {version}` accepts it"
    )]
    Moved { path: PackagePath, version: Version, expected: String, found: String },
    #[error(
        "the files of `{path}` {version} are not those that `futhark.lock` names, though the commit is; remove the \
         folder `{}` to fetch it anew", cache.display()
    )]
    Changed { path: PackagePath, version: Version, cache: PathBuf },
    #[error("`{path}` calls itself `{own}`; add that, or say `--renamed` if it is a copy or has moved")]
    OtherName { path: PackagePath, own: PackagePath },
    #[error(
        "`{one}` and `{two}` cannot both be installed, since the folder of the second is inside of that of the first; \
         remove one of them"
    )]
    Nested { one: PackagePath, two: PackagePath },
    #[error("there are more than {MOST_REQUIREMENTS} requirements; remove the package that leads to so many")]
    TooMany,
    #[error("the packages have more than {} MiB together; remove the one that needs so much", MOST_BYTES_OF_ALL >> 20)]
    ManyBytes,
    #[error("{error} (required by `{}` {})", by.0, by.1)]
    RequiredBy { error: Box<Error>, by: (PackagePath, Version) },

    #[error("`{}` is not a folder that packages can be put into; remove it, or move it away", path.display())]
    NoLib { path: PathBuf },
    #[error(
        "the files in `lib/{path}` are not those that `kenaz pkg sync` has put there; move them away, or say `--force` to \
         replace the folder"
    )]
    Foreign { path: PackagePath },
    #[error("`futhark.lock` is not up to date; run `kenaz pkg sync` without `--locked`")]
    NotLocked,
    #[error("`lib/{path}` has no `.fut` file, and so the package would be empty; put its files there")]
    NoSources { path: PackagePath },
    #[error("`lib/{path}` is not what `futhark.pkg` asks for; run `kenaz pkg sync`")]
    NotSynced { path: PackagePath },
}

impl Error {
    /// Whether the machine or the network is to blame, and nobody has made a mistake.
    pub fn is_failure(&self) -> bool {
        match self {
            Error::Git(error) => error.is_failure(),
            Error::RequiredBy { error, .. } => error.is_failure(),
            _ => false,
        }
    }
}

fn did_you_mean(similar: &[String]) -> String {
    similar.first().map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn known_versions(path: &PackagePath, known: &[Version], version: &Version) -> String {
    if !path.admits(version) {
        return format!("major version {} is the package `{}`", version.major, path.of_major(version.major));
    }
    let known: Vec<String> =
        known.iter().rev().filter(|known| path.admits(known)).take(10).map(Version::to_string).collect();
    if known.is_empty() { "it has no releases".to_string() } else { format!("the newest are {}", known.join(", ")) }
}

/// For a package that has releases only in other major versions.
fn other_majors(path: &PackagePath, others: &[Version]) -> String {
    others.last().map_or(String::new(), |newest| {
        format!("; the newest in another major version is {newest} of `{}`", path.of_major(newest.major))
    })
}
