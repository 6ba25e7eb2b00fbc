//! The folder `lib`: a new one is made beside it and takes its place in one step.
//!
//! What `sync` has installed is replaced or removed. What it has not is kept: files elsewhere in `lib` are the same
//! files afterwards (by hard links), and a folder of a package that somebody has changed is not replaced unless that is
//! asked for.

use crate::contents::{Contents, FolderError};
use crate::lock::Lock;
use crate::{Error, PackagePath};
use kenaz_base::UnfinishedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the old folder is while the new one takes its place, on systems that cannot do that in one step.
const OLD: &str = "lib~old";

/// The folder `lib` of a project.
pub struct Lib {
    folder: PathBuf,
    old: PathBuf,
}

impl Lib {
    pub fn new(project: &Path) -> Lib {
        Lib { folder: project.join("lib"), old: project.join(OLD) }
    }

    /// Brings a folder back that was lost when a command was killed between two steps.
    pub fn recover(&self) -> Result<(), Error> {
        if !self.folder.exists() && self.old.is_dir() {
            return fs::rename(&self.old, &self.folder).map_err(self.not_written());
        }
        Ok(())
    }

    /// What is in the folder of a package: nothing if it is not there. No link is followed on the way.
    pub fn contents(&self, path: &PackagePath) -> Result<Option<Result<Contents, FolderError>>, Error> {
        let mut folder = self.folder.clone();
        for part in path.folder().iter() {
            folder.push(part);
            match fs::symlink_metadata(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(Error::Read { path: folder, error }),
                Ok(data) if data.is_dir() => {}
                Ok(_) => return Err(Error::NoLib { path: folder }),
            }
        }
        Ok(Some(Contents::of_folder(&folder)))
    }

    /// Makes the packages be in the folder as they are here; whether anything had to be done. `own` is the package that
    /// is made here, which is no business of ours. `finish` does what belongs together with it: if that fails, all is
    /// as it was.
    pub fn install(
        &self,
        packages: &BTreeMap<PackagePath, Contents>,
        lock: &Lock,
        own: Option<&PackagePath>,
        force: bool,
        finish: impl FnOnce() -> Result<(), Error>,
    ) -> Result<bool, Error> {
        match fs::symlink_metadata(&self.folder) {
            Ok(data) if !data.is_dir() => return Err(Error::NoLib { path: self.folder.clone() }),
            _ => {}
        }
        let mut is_new = false;
        let mut ours: BTreeSet<PathBuf> = BTreeSet::new();
        let names: BTreeSet<&PackagePath> = packages.keys().chain(lock.packages.keys()).collect();
        for path in names {
            if own == Some(path) {
                continue;
            }
            let wanted = packages.get(path).map(Contents::hash);
            let Some(there) = self.contents(path)? else {
                is_new |= wanted.is_some();
                continue;
            };
            let hash = there.as_ref().ok().map(Contents::hash);
            let is_wanted = wanted.is_some() && wanted == hash;
            let is_ours = lock.packages.get(path).is_some_and(|locked| Some(&locked.hash) == hash.as_ref());
            if !is_wanted && !is_ours && !force {
                return Err(Error::Foreign { path: path.clone() });
            }
            is_new |= !is_wanted;
            ours.insert(path.folder());
        }
        if !is_new {
            finish()?;
            return Ok(false);
        }
        let new = UnfinishedFile::beside(&self.folder);
        self.make(new.path(), packages, &ours).map_err(self.not_written())?;
        let was_there = self.folder.exists();
        self.exchange(new.path()).map_err(self.not_written())?;
        if let Err(error) = finish() {
            let back = if was_there { self.exchange(new.path()) } else { fs::rename(&self.folder, new.path()) };
            back.map_err(self.not_written())?;
            return Err(error);
        }
        Ok(true)
    }

    /// A folder with the packages, and with everything else that is in the old one but what is ours.
    fn make(&self, new: &Path, packages: &BTreeMap<PackagePath, Contents>, ours: &BTreeSet<PathBuf>) -> io::Result<()> {
        fs::create_dir(new)?;
        if self.folder.exists() {
            keep(&self.folder, new, Path::new(""), ours)?;
        }
        for (path, contents) in packages {
            let folder = new.join(path.folder());
            fs::create_dir_all(&folder)?;
            for (name, bytes) in contents.files() {
                let file = folder.join(name);
                if let Some(parent) = file.parent() {
                    fs::create_dir_all(parent)?;
                }
                let mut file = fs::File::create_new(file)?;
                io::Write::write_all(&mut file, bytes)?;
            }
        }
        Ok(())
    }

    /// Lets the two folders change places, or the new one take its place if there is no old one.
    fn exchange(&self, new: &Path) -> io::Result<()> {
        if !self.folder.exists() {
            return fs::rename(new, &self.folder);
        }
        match in_one_step(new, &self.folder) {
            // The file system cannot.
            Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {}
            result => return result,
        }
        fs::rename(&self.folder, &self.old)?;
        if let Err(error) = fs::rename(new, &self.folder) {
            fs::rename(&self.old, &self.folder)?;
            return Err(error);
        }
        fs::rename(&self.old, new)
    }

    fn not_written(&self) -> impl Fn(io::Error) -> Error {
        let path = self.folder.clone();
        move |error| Error::Write { path: path.clone(), error }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn in_one_step(one: &Path, two: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    renameat2(AT_FDCWD, one, AT_FDCWD, two, RenameFlags::RENAME_EXCHANGE).map_err(io::Error::from)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn in_one_step(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Links everything below a folder to another one, but for the folders that are ours, and those that are empty without
/// them.
fn keep(from: &Path, to: &Path, path: &Path, ours: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(from.join(path))? {
        let entry = entry?;
        let path = path.join(entry.file_name());
        if ours.contains(&path) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            let has_ours = ours.iter().any(|folder| folder.starts_with(&path));
            if !has_ours {
                fs::create_dir_all(to.join(&path))?;
            }
            kenaz_base::with_stack(|| keep(from, to, &path, ours))?;
        } else {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(to.join(parent))?;
            }
            let (from, to) = (from.join(&path), to.join(&path));
            // Some file systems have no links.
            fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(|_| ()))?;
        }
    }
    Ok(())
}
