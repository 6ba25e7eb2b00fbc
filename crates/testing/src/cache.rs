//! Results of the reference, kept from one run to the next under the fingerprint of what they depend on.

use kenaz_runtime::{Fingerprint, Reader, Value, write_binary};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

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
    fn stored_and_loaded() {
        let temporary = kenaz_base::TemporaryFolder::new().unwrap();
        let folder = temporary.path.join("cache");
        let values = [Value::from(vec![1.5f32, 2.0]), Value::from(true)];
        let mut key = Fingerprint::new();
        assert_eq!(load(&folder, key), None);
        store(&folder, key, &values).unwrap();
        assert_eq!(load(&folder, key).as_deref(), Some(&values[..]));
        key.add(b"x");
        assert_eq!(load(&folder, key), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
