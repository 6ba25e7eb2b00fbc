//! A folder with a `futhark.pkg`, and what the commands do with it.

use crate::contents::{Contents, MOST_BYTES_OF_ALL};
use crate::install::Lib;
use crate::local::Local;
use crate::lock::{Lock, Locked};
use crate::registry::{Found, Registry, manifest_of_folder, moved};
use crate::select::{SelectError, select};
use crate::{Error, Manifest, PackagePath, Require, Version};
use kenaz_base::{UnfinishedFile, similar};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

const MANIFEST: &str = "futhark.pkg";
const LOCK: &str = "futhark.lock";
const LOCAL: &str = "futhark.local";

/// A project and its files.
pub struct Project {
    folder: PathBuf,
    pub manifest: Manifest,
    has_manifest: bool,
    pub lock: Lock,
    has_lock: bool,
    pub local: Local,
    lib: Lib,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SyncOptions {
    /// Folders of packages that were changed are replaced as well.
    pub force: bool,
    /// It is an error if the lock file would change.
    pub locked: bool,
}

/// What a requirement was, and what it is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub path: PackagePath,
    pub old: Option<Version>,
    pub new: Option<Version>,
}

/// What is in `lib` now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Synced {
    pub packages: BTreeMap<PackagePath, Version>,
    /// What is different from the lock file before.
    pub changes: Vec<Change>,
    /// Packages that call themselves otherwise.
    pub renamed: Vec<(PackagePath, PackagePath)>,
    /// Whether files were written.
    pub is_new: bool,
}

/// What is selected, with where it is from.
type Selected = BTreeMap<PackagePath, (Version, Rc<Found>)>;

impl Project {
    /// The project of a folder; without a `futhark.pkg` it is an empty one.
    pub fn open(folder: &Path) -> Result<Project, Error> {
        let lib = Lib::new(folder);
        lib.recover()?;
        let manifest = read(&folder.join(MANIFEST))?;
        let lock = read(&folder.join(LOCK))?;
        let local = read(&folder.join(LOCAL))?.unwrap_or_default();
        let error = |file| move |error| Error::Text { file, error };
        Ok(Project {
            folder: folder.to_path_buf(),
            has_manifest: manifest.is_some(),
            manifest: Manifest::parse(&manifest.unwrap_or_default()).map_err(error(MANIFEST))?,
            has_lock: lock.is_some(),
            lock: Lock::parse(&lock.unwrap_or_default()).map_err(error(LOCK))?,
            local: Local::parse(&local).map_err(error(LOCAL))?,
            lib,
        })
    }

    /// Makes a new package: its `futhark.pkg`, and the folder for its files, which is given back.
    pub fn init(folder: &Path, path: &PackagePath) -> Result<PathBuf, Error> {
        if folder.join(MANIFEST).exists() {
            return Err(Error::ManifestExists { path: path.clone() });
        }
        let sources = Path::new("lib").join(path.folder());
        let at = folder.join(&sources);
        fs::create_dir_all(&at).map_err(|error| Error::Write { path: at, error })?;
        write(&folder.join(MANIFEST), Manifest::of_package(path).text())?;
        Ok(sources)
    }

    /// Requires a version of a package, the newest if none is named, instead of what was required of it. `renamed`
    /// admits that it has another name for itself.
    pub fn add(
        &mut self,
        registry: &Registry<'_>,
        path: &PackagePath,
        version: Option<Version>,
        renamed: bool,
    ) -> Result<Change, Error> {
        if self.manifest.package() == Some(path) {
            return Err(Error::Own { path: path.clone() });
        }
        let old = self.manifest.find(path).map(|old| old.version.clone());
        let mut require = match version {
            // A folder will do for whatever was required.
            None if old.is_some() && registry.is_folder(path) => {
                return Ok(Change { path: path.clone(), old: old.clone(), new: old });
            }
            Some(version) => Require { path: path.clone(), version, commit: None },
            None => registry.newest(path)?,
        };
        let found = registry.find(&require)?;
        if found.name != *path && !renamed {
            return Err(Error::OtherName { path: path.clone(), own: found.name.clone() });
        }
        require.commit = found.origin.commit().map(str::to_string);
        self.manifest.set(&require);
        // Another commit is accepted by this.
        let locked = self.lock.packages.get(path);
        let is_other =
            locked.is_some_and(|locked| locked.version == require.version && locked.commit != require.commit);
        if is_other && let Some(locked) = self.lock.packages.get_mut(path) {
            // The hash stays, so that `sync` still knows the old files as its own.
            locked.version = Version::new(0, 0, 0);
            self.write_lock()?;
        }
        self.write_manifest()?;
        Ok(Change { path: path.clone(), old, new: Some(require.version) })
    }

    /// Requires a package no more.
    pub fn remove(&mut self, path: &PackagePath) -> Result<Change, Error> {
        self.must_exist()?;
        let Some(removed) = self.manifest.remove(path) else {
            let names = self.manifest.requires().iter().map(|require| require.path.as_str());
            let similar = similar(path.as_str(), names).into_iter().map(str::to_string).collect();
            return Err(Error::NotRequired { path: path.clone(), similar });
        };
        self.write_manifest()?;
        Ok(Change { path: path.clone(), old: Some(removed.version), new: None })
    }

    /// Requires the newest version of every package, or of those that are named.
    pub fn upgrade(&mut self, registry: &Registry<'_>, paths: &[PackagePath]) -> Result<Vec<Change>, Error> {
        self.must_exist()?;
        let names: Vec<&str> = self.manifest.requires().iter().map(|require| require.path.as_str()).collect();
        for path in paths {
            if self.manifest.find(path).is_none() {
                let similar = similar(path.as_str(), names.iter().copied()).into_iter().map(str::to_string).collect();
                return Err(Error::NotRequired { path: path.clone(), similar });
            }
        }
        let mut changes = Vec::new();
        for old in self.manifest.requires().to_vec() {
            let is_wanted = paths.is_empty() || paths.contains(&old.path);
            // A folder has one version.
            if !is_wanted || registry.is_folder(&old.path) {
                continue;
            }
            let new = registry.newest(&old.path)?;
            // The time of a commit may be that of when it was added, which says nothing.
            let is_other_commit = match (old.version.commit(), new.version.commit()) {
                (Some(old), Some(new)) => !new.starts_with(old),
                _ => false,
            };
            if new.version > old.version || is_other_commit {
                self.manifest.set(&new);
                changes.push(Change { path: old.path, old: Some(old.version), new: Some(new.version) });
            }
        }
        if !changes.is_empty() {
            self.write_manifest()?;
        }
        Ok(changes)
    }

    /// Says where a package comes from, or that it comes from where its path says.
    pub fn replace(&mut self, path: &PackagePath, from: Option<&str>) -> Result<(), Error> {
        self.local.set(path, from).map_err(|error| Error::Text { file: LOCAL, error })?;
        write(&self.folder.join(LOCAL), self.local.text())
    }

    /// Puts the selected packages into `lib`, and says so in the lock file.
    pub fn sync(&mut self, registry: &Registry<'_>, options: SyncOptions) -> Result<Synced, Error> {
        self.must_exist()?;
        // Two commands in one folder take turns. Where a folder cannot be locked, that is left to the user.
        let here = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        let turn = fs::File::open(here);
        let _turn = turn.as_ref().is_ok_and(|folder| folder.lock().is_ok());
        let selected = self.selected(registry)?;
        let mut packages = BTreeMap::new();
        let mut bytes = 0;
        for (path, (version, found)) in &selected {
            let contents = registry.contents(path, version, found)?;
            bytes += contents.bytes();
            if bytes > MOST_BYTES_OF_ALL {
                return Err(Error::ManyBytes);
            }
            packages.insert(path.clone(), contents);
        }
        let lock = self.new_lock(registry, &selected, &packages)?;
        if options.locked && lock != self.lock {
            return Err(Error::NotLocked);
        }
        let file = self.folder.join(LOCK);
        let needs_file = lock != self.lock || (!self.has_lock && !lock.packages.is_empty());
        let unfinished = needs_file.then(|| prepare(&file, &lock.text())).transpose()?;
        let own = self.manifest.package();
        let is_new = self.lib.install(&packages, &self.lock, own, options.force, || match unfinished {
            None => Ok(()),
            Some(unfinished) => unfinished.finish(&file).map_err(|error| Error::Write { path: file.clone(), error }),
        })?;
        let changes = changes(&self.lock, &lock);
        self.lock = lock;
        let renamed = selected.iter().filter(|(path, (_, found))| found.name != **path);
        Ok(Synced {
            changes,
            is_new,
            renamed: renamed.map(|(path, (_, found))| (path.clone(), found.name.clone())).collect(),
            packages: selected.into_iter().map(|(path, (version, _))| (path, version)).collect(),
        })
    }

    /// Whether everything that is required exists, is what the lock file says, and what is in `lib`; what is selected.
    pub fn check(&self, registry: &Registry<'_>) -> Result<BTreeMap<PackagePath, Version>, Error> {
        self.must_exist()?;
        if let Some(own) = self.manifest.package() {
            let has_sources = match self.lib.contents(own)? {
                Some(Ok(contents)) => contents.files().any(|(path, _)| path.ends_with(".fut")),
                // What somebody has in his own package is his business.
                Some(Err(_)) => true,
                None => false,
            };
            if !has_sources {
                return Err(Error::NoSources { path: own.clone() });
            }
        }
        let selected = self.selected(registry)?;
        for (path, (version, found)) in &selected {
            let contents = registry.contents(path, version, found)?;
            self.must_be_locked(registry, path, version, found, &contents)?;
            // What is not there was not installed yet.
            let there = self.lib.contents(path)?;
            if there.is_some_and(|there| there.map(|there| there.hash()).ok() != Some(contents.hash())) {
                return Err(Error::NotSynced { path: path.clone() });
            }
        }
        Ok(selected.into_iter().map(|(path, (version, _))| (path, version)).collect())
    }

    fn selected(&self, registry: &Registry<'_>) -> Result<Selected, Error> {
        let own = self.manifest.package();
        let requires_of = |require: &Require| Ok(registry.find(require)?.manifest.requires().to_vec());
        let versions =
            select(own, self.manifest.requires(), requires_of).map_err(|error: SelectError<Error>| match error {
                SelectError::TooMany => Error::TooMany,
                SelectError::Failed { error, by: None } => error,
                SelectError::Failed { error, by: Some(by) } => Error::RequiredBy { error: Box::new(error), by },
            })?;
        let folders: Vec<&PackagePath> = versions.keys().chain(own).collect();
        for one in &folders {
            if let Some(two) = folders.iter().find(|two| one != *two && one.contains(two)) {
                return Err(Error::Nested { one: (*one).clone(), two: (*two).clone() });
            }
        }
        let find = |(path, version): (PackagePath, Version)| {
            let require = Require { path: path.clone(), version: version.clone(), commit: None };
            Ok((path, (version, registry.find(&require)?)))
        };
        versions.into_iter().map(find).collect()
    }

    /// The lock file for these packages, if they do not contradict the one that is there.
    fn new_lock(
        &self,
        registry: &Registry<'_>,
        selected: &Selected,
        packages: &BTreeMap<PackagePath, Contents>,
    ) -> Result<Lock, Error> {
        let mut lock = Lock::default();
        for (path, contents) in packages {
            let (version, found) = &selected[path];
            self.must_be_locked(registry, path, version, found, contents)?;
            let commit = found.origin.commit().map(str::to_string);
            lock.packages.insert(path.clone(), Locked { version: version.clone(), commit, hash: contents.hash() });
        }
        Ok(lock)
    }

    /// A version is for ever the commit and the files that it was once. What comes from folders may change.
    fn must_be_locked(
        &self,
        registry: &Registry<'_>,
        path: &PackagePath,
        version: &Version,
        found: &Found,
        contents: &Contents,
    ) -> Result<(), Error> {
        let Some(locked) = self.lock.packages.get(path).filter(|locked| locked.version == *version) else {
            return Ok(());
        };
        let (Some(expected), Some(commit)) = (&locked.commit, found.origin.commit()) else { return Ok(()) };
        if expected != commit {
            let require = Require { path: path.clone(), version: version.clone(), commit: None };
            return Err(moved(&require, expected, commit));
        }
        if locked.hash != contents.hash() {
            return Err(Error::Changed {
                path: path.clone(),
                version: version.clone(),
                cache: registry.cache_of(path),
            });
        }
        Ok(())
    }

    fn must_exist(&self) -> Result<(), Error> {
        if self.has_manifest { Ok(()) } else { Err(Error::NoManifest) }
    }

    fn write_manifest(&self) -> Result<(), Error> {
        write(&self.folder.join(MANIFEST), self.manifest.text())
    }

    fn write_lock(&self) -> Result<(), Error> {
        write(&self.folder.join(LOCK), &self.lock.text())
    }
}

/// The package in a folder, which must say what it is called.
pub fn name_of_folder(folder: &Path) -> Result<PackagePath, Error> {
    let manifest = manifest_of_folder(folder, "a package")?;
    let reason = "its `futhark.pkg` does not say what it is called; name the package as well".to_string();
    let error = || Error::Folder { path: "a package".to_string(), folder: folder.to_path_buf(), reason };
    manifest.package().cloned().ok_or_else(error)
}

/// How one lock file becomes another.
fn changes(old: &Lock, new: &Lock) -> Vec<Change> {
    let version = |lock: &Lock, path: &PackagePath| lock.packages.get(path).map(|locked| locked.version.clone());
    let mut paths: Vec<&PackagePath> = old.packages.keys().chain(new.packages.keys()).collect();
    paths.sort();
    paths.dedup();
    let change = |path: &PackagePath| Change { path: path.clone(), old: version(old, path), new: version(new, path) };
    paths.into_iter().map(change).filter(|change| change.old != change.new).collect()
}

/// The text of a file, if there is one.
fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::Read { path: path.to_path_buf(), error }),
    }
}

/// Makes the text be the file, at once or not at all.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    prepare(path, text)?.finish(path).map_err(|error| Error::Write { path: path.to_path_buf(), error })
}

fn prepare(path: &Path, text: &str) -> Result<UnfinishedFile, Error> {
    let unfinished = UnfinishedFile::beside(path);
    fs::write(unfinished.path(), text).map_err(|error| Error::Write { path: path.to_path_buf(), error })?;
    Ok(unfinished)
}
