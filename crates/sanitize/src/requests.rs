//! The file through which a program's requests for memory are counted and made to fail; see rts/tests/checked.h.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Requests {
    pub path: PathBuf,
    file: File,
}

impl Requests {
    pub(crate) fn new(path: &Path) -> io::Result<Requests> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut requests = Requests { path: path.to_path_buf(), file };
        requests.restart(0)?;
        Ok(requests)
    }

    /// Counts from 0 again. The request with this number fails; 0 is none.
    pub(crate) fn restart(&mut self, failing: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&failing.to_ne_bytes());
        self.file.write_all(&bytes)
    }

    /// How many there were since.
    pub(crate) fn made(&mut self) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut made = [0; 8];
        self.file.read_exact(&mut made)?;
        Ok(u64::from_ne_bytes(made))
    }
}

/// Which of so many requests are made to fail: all, or the first half of `most` and others spread over the rest.
pub(crate) fn chosen(count: u64, most: u64) -> Vec<u64> {
    if count <= most {
        return (1..=count).collect();
    }
    let first = most / 2;
    let spread = most - first;
    let later = (0..spread).map(|i| first + 1 + i * (count - first - 1) / (spread - 1).max(1));
    (1..=first).chain(later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_requests_all_fail() {
        assert!(chosen(0, 10).is_empty());
        assert_eq!(chosen(3, 10), [1, 2, 3]);
    }

    #[test]
    fn of_many_the_first_and_the_last_fail() {
        let some = chosen(1000, 10);
        assert_eq!((some.len(), &some[..5], some.last()), (10, &[1, 2, 3, 4, 5][..], Some(&1000)));
        assert!(some.is_sorted_by(|x, y| x < y), "{some:?}");
    }
}
