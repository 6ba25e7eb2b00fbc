//! Temporary folders that go away with their owners.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A folder of our own, which is removed in the end. Only its user may write to and read it, since what is in it may be
/// run.
#[derive(Debug)]
pub struct TemporaryFolder {
    pub path: PathBuf,
}

impl TemporaryFolder {
    /// A new one; or which one could not be made, and why.
    pub fn new() -> Result<TemporaryFolder, (PathBuf, io::Error)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            // Nobody can have put anything into it, since it must not exist. The time tells processes of several
            // machines apart.
            let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("kenaz-{}-{number}-{time}", std::process::id()));
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&path) {
                Ok(()) => return Ok(TemporaryFolder { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err((path, error)),
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // There is nobody left to tell if this fails.
        let _ = fs::remove_dir_all(&self.path);
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
}
