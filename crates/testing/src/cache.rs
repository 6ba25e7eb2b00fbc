//! Results of the reference, kept from one run to the next under the fingerprint of what they depend on.

use kenaz_runtime::{Reader, Value, write_binary};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// A hash of everything that was written to it, the same on every machine: FNV-1a with 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fingerprint(u128);

impl Fingerprint {
    pub fn new() -> Fingerprint {
        Fingerprint(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Adds a part. Where one part ends and the next begins makes a difference.
    pub fn add(&mut self, part: &[u8]) {
        self.bytes(&(part.len() as u64).to_le_bytes());
        self.bytes(part);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint::new()
    }
}

/// So that values can be written to it.
impl Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What was stored, if anything was and can be read.
pub(crate) fn load(folder: &Path, key: Fingerprint) -> Option<Vec<Value>> {
    let file = File::open(folder.join(key.to_string())).ok()?;
    Reader::new(file).rest().ok()
}

/// Stores values. Others may be reading and writing at the same time, so that a file appears only when it is complete.
pub(crate) fn store(folder: &Path, key: Fingerprint, values: &[Value]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(folder)?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("{key}.{}.{number}.unfinished", std::process::id()));
    let mut file = BufWriter::new(File::create(&unfinished)?);
    let written = values.iter().try_for_each(|value| write_binary(&mut file, value)).and_then(|()| file.flush());
    let renamed = written.and_then(|()| fs::rename(&unfinished, folder.join(key.to_string())));
    if renamed.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_hash() {
        let mut hash = Fingerprint::new();
        hash.write_all(b"a").unwrap();
        assert_eq!(hash.to_string(), "d228cb696f1a8caf78912b704e4a8964");
    }

    #[test]
    fn borders_matter() {
        let of = |parts: &[&str]| {
            let mut hash = Fingerprint::new();
            parts.iter().for_each(|part| hash.add(part.as_bytes()));
            hash
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
    }

    #[test]
    fn stored_and_loaded() {
        let folder = std::env::temp_dir().join(format!("kenaz-cache-test-{}", std::process::id()));
        let values = [Value::from(vec![1.5f32, 2.0]), Value::from(true)];
        let mut key = Fingerprint::new();
        assert_eq!(load(&folder, key), None);
        store(&folder, key, &values).unwrap();
        assert_eq!(load(&folder, key).as_deref(), Some(&values[..]));
        key.add(b"x");
        assert_eq!(load(&folder, key), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
