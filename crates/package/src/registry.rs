//! Where packages come from: repositories by way of the cache, or places that `futhark.local` names.

use crate::contents::{Contents, FolderError, Refusal};
use crate::git::{GitError, Progress, Repository};
use crate::local::{Local, Place};
use crate::{Error, Manifest, PackagePath, Require, Version, text};
use kenaz_base::TemporaryFolder;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Finds packages, and remembers what it has found.
pub struct Registry<'a> {
    cache: PathBuf,
    /// The cache, where there is no other.
    _own: Option<TemporaryFolder>,
    /// Nothing is fetched.
    offline: bool,
    /// What is in the cache may be old.
    fresh: bool,
    local: Local,
    /// The folder of `futhark.local`.
    base: PathBuf,
    progress: &'a dyn Progress,
    /// What was fetched, now.
    fetched: RefCell<BTreeSet<String>>,
    found: RefCell<BTreeMap<(PackagePath, Version), Rc<Found>>>,
}

/// A package in a version.
#[derive(Debug)]
pub struct Found {
    pub origin: Origin,
    pub manifest: Manifest,
    /// What it calls itself.
    pub name: PackagePath,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    Git { url: String, commit: String },
    Folder(PathBuf),
}

impl Origin {
    pub fn commit(&self) -> Option<&str> {
        match self {
            Origin::Git { commit, .. } => Some(commit),
            Origin::Folder(_) => None,
        }
    }
}

impl<'a> Registry<'a> {
    /// `cache` is where repositories are kept; without one they are fetched each time.
    pub fn new(cache: Option<PathBuf>, progress: &'a dyn Progress) -> Result<Registry<'a>, Error> {
        let own = if cache.is_some() { None } else { Some(TemporaryFolder::new()) };
        let own = own.transpose().map_err(|(path, error)| Error::Write { path, error })?;
        let cache = cache.or_else(|| Some(own.as_ref()?.path.clone())).unwrap_or_default();
        Ok(Registry {
            cache,
            _own: own,
            offline: false,
            fresh: false,
            local: Local::default(),
            base: PathBuf::new(),
            progress,
            fetched: RefCell::default(),
            found: RefCell::default(),
        })
    }

    /// Uses what is in the cache, and nothing else.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Registry<'a> {
        self.offline = offline;
        self
    }

    /// Looks at repositories even if the cache has what is wanted.
    #[must_use]
    pub fn fresh(mut self) -> Registry<'a> {
        self.fresh = true;
        self
    }

    /// Takes packages from where this says, relative to a folder.
    pub fn use_local(&mut self, local: Local, base: &Path) {
        (self.local, self.base) = (local, base.to_path_buf());
        self.found.borrow_mut().clear();
    }

    /// All versions of a package, the oldest first, also those of its other major versions.
    pub fn versions(&self, path: &PackagePath) -> Result<Vec<Version>, Error> {
        match self.place(path) {
            Place::Folder(folder) => Err(no_versions(path, &folder)),
            Place::Git(url) => {
                self.refresh(path, &url)?;
                self.with(&url, |repository| repository.versions())
            }
        }
    }

    /// The newest release of a package, or its newest commit if it has none; a folder has only version 0.0.0.
    pub fn newest(&self, path: &PackagePath) -> Result<Require, Error> {
        let url = match self.place(path) {
            Place::Folder(_) => {
                return Ok(Require { path: path.clone(), version: Version::new(0, 0, 0), commit: None });
            }
            Place::Git(url) => url,
        };
        let versions = self.versions(path)?;
        if let Some(newest) = versions.iter().rev().find(|version| path.admits(version)) {
            let commit = self.with(&url, |repository| repository.commit(newest))?;
            return Ok(Require { path: path.clone(), version: newest.clone(), commit });
        }
        if !versions.is_empty() || self.offline {
            return Err(Error::NoRelease { path: path.clone(), others: versions });
        }
        let (commit, time) = self.with(&url, |repository| repository.newest_commit())?;
        Ok(Require { path: path.clone(), version: Version::of_commit(time, &commit), commit: Some(commit) })
    }

    /// The package that satisfies a requirement exactly, if it is the commit that this names.
    pub fn find(&self, require: &Require) -> Result<Rc<Found>, Error> {
        let key = (require.path.clone(), require.version.clone());
        let known = self.found.borrow().get(&key).cloned();
        let found = match known {
            Some(found) => found,
            None => {
                let found = Rc::new(self.look_for(require)?);
                self.found.borrow_mut().insert(key, found.clone());
                found
            }
        };
        match (&require.commit, found.origin.commit()) {
            (Some(expected), Some(commit)) if expected != commit => Err(moved(require, expected, commit)),
            _ => Ok(found),
        }
    }

    /// The files of a package.
    pub fn contents(&self, path: &PackagePath, version: &Version, found: &Found) -> Result<Contents, Error> {
        let folder = format!("lib/{}", found.name);
        match &found.origin {
            Origin::Git { url, commit } => {
                let contents = self.with(url, |repository| repository.contents(commit, &folder));
                contents.map_err(|error| refused(path, version, error))
            }
            Origin::Folder(base) => Contents::of_folder(&base.join(&folder)).map_err(|error| Error::Folder {
                path: path.to_string(),
                folder: base.clone(),
                reason: match error {
                    FolderError::Io(error) => format!("its folder `{folder}` cannot be read: {error}"),
                    FolderError::Refused(refusal) => refusal.to_string(),
                },
            }),
        }
    }

    /// Whether a package comes from a folder, as it is.
    pub fn is_folder(&self, path: &PackagePath) -> bool {
        matches!(self.place(path), Place::Folder(_))
    }

    /// Where the cache has a package.
    pub fn cache_of(&self, path: &PackagePath) -> PathBuf {
        match self.place(path) {
            Place::Folder(folder) => folder,
            Place::Git(url) => self.repository(&url).folder,
        }
    }

    fn place(&self, path: &PackagePath) -> Place {
        self.local.place(path, &self.base).unwrap_or_else(|| Place::Git(path.url()))
    }

    fn look_for(&self, require: &Require) -> Result<Found, Error> {
        let Require { path, version, .. } = require;
        let url = match self.place(path) {
            Place::Folder(folder) => {
                let manifest = manifest_of_folder(&folder, path.as_str())?;
                let name = manifest.package().cloned().unwrap_or_else(|| path.clone());
                return Ok(Found { origin: Origin::Folder(folder), manifest, name });
            }
            Place::Git(url) => url,
        };
        if self.fresh {
            self.refresh(path, &url)?;
        }
        let commit = if path.admits(version) { self.commit(require, &url)? } else { None };
        let Some(commit) = commit else {
            return Err(match version.commit() {
                Some(commit) => Error::NoCommit { path: path.clone(), commit: commit.to_string(), url },
                None => {
                    let known = self.with(&url, |repository| repository.versions())?;
                    Error::NoVersion { path: path.clone(), version: version.clone(), known }
                }
            });
        };
        let text = self.with(&url, |repository| repository.file(&commit, "futhark.pkg", text::LONGEST));
        let refuse = |refusal: Refusal| refused(path, version, Error::Git(GitError::Refused(refusal)));
        let text = text.map_err(|error| refused(path, version, error))?.ok_or_else(|| refuse(Refusal::NoManifest))?;
        let text = String::from_utf8(text).map_err(|_| refuse(Refusal::Manifest("it is no text".to_string())))?;
        let manifest = Manifest::parse(&text).map_err(|error| refuse(Refusal::Manifest(error.to_string())))?;
        let name = manifest.package().cloned().ok_or_else(|| refuse(Refusal::NoName))?;
        Ok(Found { origin: Origin::Git { url, commit }, manifest, name })
    }

    /// The commit of a version. It is looked for in the cache first, and anew if it is not there, or not the expected
    /// one.
    fn commit(&self, require: &Require, url: &str) -> Result<Option<String>, Error> {
        let find = || self.with(url, |repository| repository.commit(&require.version));
        if self.repository(url).exists() {
            let commit = find()?;
            let is_expected =
                commit.is_some() && require.commit.as_ref().is_none_or(|expected| commit.as_ref() == Some(expected));
            if is_expected || (self.offline && commit.is_some()) || self.fetched.borrow().contains(url) {
                return Ok(commit);
            }
        }
        if self.offline {
            return Err(Error::Offline { what: format!("`{}` {}", require.path, require.version) });
        }
        self.fetch(url)?;
        find()
    }

    fn repository(&self, url: &str) -> Repository {
        Repository::new(&self.cache, url)
    }

    /// Asks a repository, which is fetched anew if it is damaged.
    fn with<T>(&self, url: &str, ask: impl Fn(&Repository) -> Result<T, GitError>) -> Result<T, Error> {
        let repository = self.repository(url);
        match ask(&repository) {
            Err(GitError::Damaged { .. }) if !self.offline && !self.fetched.borrow().contains(url) => {
                // If it cannot be removed, it stays damaged.
                let _ = fs::remove_dir_all(&repository.folder);
                self.fetch(url)?;
                Ok(ask(&repository)?)
            }
            answer => Ok(answer?),
        }
    }

    fn fetch(&self, url: &str) -> Result<(), Error> {
        self.repository(url).fetch(self.progress)?;
        self.fetched.borrow_mut().insert(url.to_string());
        Ok(())
    }

    /// Fetches unless that was done, or must not be.
    fn refresh(&self, path: &PackagePath, url: &str) -> Result<(), Error> {
        if self.offline {
            let is_there = self.repository(url).exists();
            return if is_there { Ok(()) } else { Err(Error::Offline { what: format!("`{path}`") }) };
        }
        if self.fetched.borrow().contains(url) { Ok(()) } else { self.fetch(url) }
    }
}

/// The `futhark.pkg` of a folder that is to be used as a package.
pub fn manifest_of_folder(folder: &Path, path: &str) -> Result<Manifest, Error> {
    let error = |reason: String| Error::Folder { path: path.to_string(), folder: folder.to_path_buf(), reason };
    let text = fs::read(folder.join("futhark.pkg")).map_err(|cause| {
        error(format!("its `futhark.pkg` cannot be read ({cause}); it must be the folder of a package"))
    })?;
    let text = String::from_utf8(text).map_err(|_| error("its `futhark.pkg` is no text".to_string()))?;
    Manifest::parse(&text).map_err(|cause| error(format!("its `futhark.pkg` cannot be read: {cause}")))
}

pub(crate) fn moved(require: &Require, expected: &str, found: &str) -> Error {
    Error::Moved {
        path: require.path.clone(),
        version: require.version.clone(),
        expected: expected.to_string(),
        found: found.to_string(),
    }
}

fn no_versions(path: &PackagePath, folder: &Path) -> Error {
    let reason = "a folder has no versions; `futhark.local` says that the package comes from there".to_string();
    Error::Folder { path: path.to_string(), folder: folder.to_path_buf(), reason }
}

/// Names the package that is refused.
fn refused(path: &PackagePath, version: &Version, error: Error) -> Error {
    match error {
        Error::Git(GitError::Refused(refusal)) => {
            Error::Refused { path: path.clone(), version: version.clone(), refusal }
        }
        error => error,
    }
}
