//! Compiled programs, kept from one run to the next under the fingerprint of all they depend on.
//!
//! Several processes may use the folder at the same time: a file appears in it only when it is complete, and what is
//! removed may be in use, since the system keeps a file as long as somebody has it open. A folder that cannot be
//! written to is no error: the file is then made in one of its own, which goes away with it.
//!
//! The name of a file is that fingerprint and the hash of its contents, so that a damaged file is never used: to load a
//! library of which a part is missing ends the process.

use super::build::BuildError;
use super::outputs;
pub use kenaz_base::TemporaryFolder;
use kenaz_base::UnfinishedFile;
use kenaz_runtime::Fingerprint;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The most bytes that are kept, and the most files.
const MOST_BYTES: u64 = 512 << 20;
const MOST_FILES: usize = 2000;
/// An unfinished file or folder that is older than this was abandoned by its maker.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// The folder for our caches: `$KENAZ_CACHE`, or where the conventions of the system have it.
pub fn user_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(chosen) = std::env::var_os("KENAZ_CACHE").filter(|chosen| !chosen.is_empty()) {
        return std::path::absolute(chosen).ok();
    }
    Some(folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?.join("kenaz"))
}

/// Files that the C compiler made.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Without one, nothing is kept.
    folder: Option<PathBuf>,
    most_bytes: u64,
    most_files: usize,
}

/// A file that was found or made.
#[derive(Debug)]
pub struct Built {
    pub path: PathBuf,
    /// Whether it was there already.
    pub found: bool,
    /// The folder of a file that could not be kept.
    _own: Option<TemporaryFolder>,
}

impl Cache {
    pub fn new(folder: Option<PathBuf>) -> Cache {
        Cache { folder, most_bytes: MOST_BYTES, most_files: MOST_FILES }
    }

    /// That of the user who runs this.
    pub fn of_user() -> Cache {
        Cache::new(user_folder().map(|folder| folder.join("compiled")))
    }

    /// The file of this key. Unless it is there, `make` makes it of the C, which it finds in the first file, in the
    /// second.
    pub fn get(
        &self,
        key: Fingerprint,
        text: &str,
        mut make: impl FnMut(&Path, &Path) -> Result<(), BuildError>,
    ) -> Result<Built, BuildError> {
        if let Some(folder) = &self.folder {
            if let Some(path) = find(folder, key) {
                return Ok(Built { path, found: true, _own: None });
            }
            match build(folder, key, text, &mut make) {
                Ok(path) => {
                    self.prune(folder, &path);
                    return Ok(Built { path, found: false, _own: None });
                }
                // The next folder may be better, or on a disk that is not full.
                Err(BuildError::Io { .. } | BuildError::Unusable { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let own = TemporaryFolder::new().map_err(|(path, error)| BuildError::Io { path, error })?;
        let path = build(&own.path, key, text, &mut make)?;
        Ok(Built { path, found: false, _own: Some(own) })
    }

    /// Forgets a file that turned out to be damaged.
    pub fn forget(&self, built: Built) {
        let _ = fs::remove_file(&built.path);
    }

    /// Removes the files that were not used for longest, until the others are few and small enough.
    fn prune(&self, folder: &Path, newest: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let now = SystemTime::now();
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let (Ok(data), path) = (entry.metadata(), entry.path()) else { continue };
            let Ok(used) = data.modified() else { continue };
            if path.extension().is_none() {
                files.push((used, data.len(), path));
            } else if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                let _ = if data.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
        files.sort();
        let (mut bytes, mut count) = (files.iter().map(|(_, bytes, _)| bytes).sum::<u64>(), files.len());
        for (_, size, path) in files {
            if bytes <= self.most_bytes && count <= self.most_files {
                break;
            }
            if path != newest && fs::remove_file(&path).is_ok() {
                bytes -= size;
                count -= 1;
            }
        }
    }
}

/// The whole file of this key, which is young again; damaged ones are removed.
fn find(folder: &Path, key: Fingerprint) -> Option<PathBuf> {
    let prefix = format!("{key}-");
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let name = entry.file_name();
        let Some(hash) = name.to_str().and_then(|name| name.strip_prefix(&prefix)).filter(|hash| !hash.contains('.'))
        else {
            continue;
        };
        let path = entry.path();
        if hash_of(&path).is_ok_and(|contents| contents.to_string() == hash) {
            // If the time cannot be set, the file is only removed sooner.
            let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Some(path);
        }
        // If it cannot be removed, it is passed over the next time as well.
        let _ = fs::remove_file(&path);
    }
    None
}

fn hash_of(path: &Path) -> io::Result<Fingerprint> {
    let mut hash = Fingerprint::new();
    hash.add(&fs::read(path)?);
    Ok(hash)
}

/// Makes a file, which appears when it is complete.
fn build(
    folder: &Path,
    key: Fingerprint,
    text: &str,
    make: &mut impl FnMut(&Path, &Path) -> Result<(), BuildError>,
) -> Result<PathBuf, BuildError> {
    let io = |error| BuildError::Io { path: folder.to_path_buf(), error };
    create(folder).map_err(io)?;
    let name = folder.join(key.to_string());
    // Its files have the same names each time, which the C compiler may put into what it makes.
    let work = UnfinishedFile::beside(&name);
    create(work.path()).map_err(io)?;
    let (source, made) = (work.path().join("program.c"), work.path().join("program"));
    fs::write(&source, text).map_err(io)?;
    make(&source, &made)?;
    let path = outputs::with_suffix(&name, &format!("-{}", hash_of(&made).map_err(io)?));
    fs::rename(&made, &path).map_err(io)?;
    Ok(path)
}

/// A folder that only its user may write to and read, since what is in it is run.
fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn key(text: &str) -> Fingerprint {
        let mut key = Fingerprint::new();
        key.add(text.as_bytes());
        key
    }

    /// Whether a text had to be made.
    fn is_made(cache: &Cache, text: &str) -> bool {
        let copy = |from: &Path, to: &Path| fs::copy(from, to).map(|_| ()).map_err(|_| unreachable!());
        let built = cache.get(key(text), text, copy).unwrap();
        assert_eq!(fs::read_to_string(&built.path).unwrap(), text);
        !built.found
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn made_once() {
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache::new(Some(folder.path.join("a").join("b")));
        assert!(is_made(&cache, "x") && !is_made(&cache, "x") && is_made(&cache, "y") && !is_made(&cache, "x"));
        assert_eq!(names(&folder.path.join("a").join("b")), 2);
    }

    /// Whatever happened to a file, it is made anew, and the damaged one goes.
    #[test]
    fn damaged_files_are_not_used() {
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache::new(Some(folder.path.clone()));
        let damages: [&[u8]; 5] = [b"", b"some", b"some texT", b"some text and more", b"\0\0\0\0\0\0\0\0\0"];
        for damage in damages {
            is_made(&cache, "some text");
            fs::write(find(&folder.path, key("some text")).unwrap(), damage).unwrap();
            assert!(is_made(&cache, "some text") && !is_made(&cache, "some text"), "{damage:?}");
            assert_eq!(names(&folder.path), 1);
        }
        // Names that are none of ours.
        for name in [format!("{}-", key("some text")), format!("{}-x", key("some text"))] {
            fs::write(folder.path.join(name), "some text").unwrap();
        }
        assert!(!is_made(&cache, "some text"));
    }

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache::new(Some(folder.path.clone()));
        let refused = || BuildError::Refused { command: String::new(), output: String::new() };
        let failed = cache.get(key("x"), "x", |_, to| {
            fs::write(to, "half").unwrap();
            Err(refused())
        });
        assert!(matches!(failed, Err(BuildError::Refused { .. })));
        assert_eq!(names(&folder.path), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to() {
        let folder = TemporaryFolder::new().unwrap();
        let file = folder.path.join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::new(Some(file.join("cache")));
        assert!(is_made(&cache, "x") && is_made(&cache, "x"));
        assert!(is_made(&Cache::new(None), "x"));
        let make = |_: &Path, to: &Path| {
            fs::write(to, "").unwrap();
            Ok(())
        };
        let built = Cache::new(None).get(key("x"), "x", make).unwrap();
        let path = built.path.clone();
        assert!(path.exists());
        drop(built);
        assert!(!path.exists() && !path.parent().unwrap().exists());
    }

    /// Many users at once, of a cache that is too small for them: each gets what it asked for or finds it gone, never a
    /// part of it, and in the end there are no more files than there may be.
    #[test]
    fn many_at_once() {
        const MOST: usize = 4;
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache { most_files: MOST, ..Cache::new(Some(folder.path.clone())) };
        let copy = |from: &Path, to: &Path| {
            let text = fs::read(from).unwrap();
            // In two steps, so that a file that others see too early would be seen.
            fs::write(to, &text[..text.len() / 2]).unwrap();
            std::thread::yield_now();
            fs::write(to, &text).unwrap();
            Ok(())
        };
        let (found, gone) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for user in 0..8_usize {
                let (cache, found, gone) = (&cache, &found, &gone);
                scope.spawn(move || {
                    for step in 0..100 {
                        let text = format!("program {}\n", (user + step * 7) % 12).repeat(500);
                        let built = cache.get(key(&text), &text, copy).unwrap();
                        match fs::read_to_string(&built.path) {
                            Ok(read) => assert_eq!(read, text),
                            Err(error) => {
                                assert_eq!(error.kind(), io::ErrorKind::NotFound);
                                gone.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                        found.fetch_add(u64::from(built.found), Ordering::Relaxed);
                    }
                });
            }
        });
        let (found, gone) = (found.into_inner(), gone.into_inner());
        assert!(gone < 800, "nothing could ever be read");
        assert!(found > 0, "nothing was ever found");
        assert!((1..=MOST).contains(&names(&folder.path)), "{} files are left", names(&folder.path));
    }

    /// Unfinished files are removed after a day, and not before.
    #[test]
    fn leftovers_go_after_a_day() {
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache::new(Some(folder.path.clone()));
        for (name, hours) in [("a.1-1.unfinished", 30), ("a.1-1.c", 30), ("b.1-2.unfinished", 20)] {
            let file = File::create(folder.path.join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
        }
        let abandoned = folder.path.join("c.1-3.unfinished");
        fs::create_dir(&abandoned).unwrap();
        fs::write(abandoned.join("program.c"), "").unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(30 * 3600);
        File::open(&abandoned).unwrap().set_modified(long_ago).unwrap();
        assert!(is_made(&cache, "x"));
        assert_eq!(names(&folder.path), 2);
        assert!(folder.path.join("b.1-2.unfinished").exists());
    }

    #[test]
    fn the_oldest_go_first() {
        let folder = TemporaryFolder::new().unwrap();
        let cache = Cache { most_files: 2, ..Cache::new(Some(folder.path.clone())) };
        let age = |text: &str, seconds| {
            let file = File::options().write(true).open(find(&folder.path, key(text)).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
        };
        assert!(is_made(&cache, "x") && is_made(&cache, "y"));
        age("x", 300);
        age("y", 200);
        // It is used, and so the other one is the oldest.
        assert!(!is_made(&cache, "x") && is_made(&cache, "z") && !is_made(&cache, "x"));
        assert_eq!(names(&folder.path), 2);
        assert!(is_made(&Cache { most_bytes: 1, ..cache }, "y"));
        assert_eq!(names(&folder.path), 1);
    }
}
