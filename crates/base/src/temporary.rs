//! Files and folders that go away with their owners, or when the process is interrupted.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A folder of our own, which is removed in the end. Only its user may write to and read it, since what is in it may be
/// run.
#[derive(Debug)]
pub struct TemporaryFolder {
    pub path: PathBuf,
}

/// A file that is being written, or a folder for what it is made of: it gets its name when it is complete, so that
/// nobody ever sees a part of it, and is removed if that never happens.
#[derive(Debug)]
pub struct UnfinishedFile {
    path: PathBuf,
}

/// All that is to be removed and still there.
static LEFT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn left() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set of paths is whole after any panic.
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files and folders of this process, which is about to end. Their owners may still be at work,
/// and make no more of them.
pub fn remove_all() {
    // The lock is kept, so that nothing is made any more.
    let left = left();
    left.iter().for_each(|path| remove(path));
    std::mem::forget(left);
}

fn remove(path: &Path) {
    // There is nobody left to tell if this fails.
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// A text that nobody else has at this time. The clock tells processes of several machines apart.
fn unique() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    format!("{}-{}-{time}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

impl TemporaryFolder {
    /// A new one; or which one could not be made, and why.
    pub fn new() -> Result<TemporaryFolder, (PathBuf, io::Error)> {
        loop {
            // Nobody can have put anything into it, since it must not exist.
            let path = std::env::temp_dir().join(format!("kenaz-{}", unique()));
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            let mut left = left();
            match builder.create(&path) {
                Ok(()) => {
                    left.insert(path.clone());
                    return Ok(TemporaryFolder { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err((path, error)),
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        remove(&self.path);
        left().remove(&self.path);
    }
}

impl UnfinishedFile {
    /// A name for what will become this file, in the same folder.
    pub fn beside(path: &Path) -> UnfinishedFile {
        let mut name = OsString::from(path);
        name.push(format!(".{}.unfinished", unique()));
        let path = PathBuf::from(name);
        left().insert(path.clone());
        UnfinishedFile { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file is complete: gives it its name, instead of what had it.
    pub fn finish(self, name: &Path) -> io::Result<()> {
        fs::rename(&self.path, name)
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        // It is not there if it was finished or never begun.
        remove(&self.path);
        left().remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left() {
        let (one, two) = (TemporaryFolder::new().unwrap(), TemporaryFolder::new().unwrap());
        assert_ne!(one.path, two.path);
        fs::write(one.path.join("file"), "text").unwrap();
        let path = one.path.clone();
        drop(one);
        assert!(!path.exists() && two.path.exists());
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = TemporaryFolder::new().unwrap();
        let path = folder.path.join("a b");
        let names = || fs::read_dir(&folder.path).unwrap().count();
        let unfinished = UnfinishedFile::beside(&path);
        fs::write(unfinished.path(), "half").unwrap();
        assert!(!path.exists() && names() == 1);
        drop(unfinished);
        assert_eq!(names(), 0);
        for text in ["one", "two"] {
            let unfinished = UnfinishedFile::beside(&path);
            fs::write(unfinished.path(), text).unwrap();
            unfinished.finish(&path).unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names()), (text, 1));
        }
    }
}
