//! Results of the reference, kept from one run to the next under the fingerprint of what they depend on.

use kenaz_base::UnfinishedFile;
use kenaz_runtime::{Fingerprint, Reader, Value, write_binary};
use std::fs;
use std::io;
use std::path::Path;

/// What was stored, if anything was and is as it was.
pub fn load(folder: &Path, key: Fingerprint) -> Option<Vec<Value>> {
    let file = fs::read(folder.join(key.to_string())).ok()?;
    let (hash, bytes) = file.split_at_checked(hash(&[]).len())?;
    if hash != self::hash(bytes).as_bytes() {
        return None;
    }
    Reader::new(bytes).rest().ok()
}

/// Stores values, after their hash. Others may be reading and writing at the same time, so that a file appears only
/// when it is complete.
pub fn store(folder: &Path, key: Fingerprint, values: &[Value]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut bytes = Vec::new();
    values.iter().try_for_each(|value| write_binary(&mut bytes, value))?;
    let path = folder.join(key.to_string());
    let unfinished = UnfinishedFile::beside(&path);
    fs::write(unfinished.path(), [hash(&bytes).as_bytes(), &bytes].concat())?;
    unfinished.finish(&path)
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = Fingerprint::new();
    hash.add(bytes);
    hash.to_string()
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
        let path = folder.join(key.to_string());
        let whole = fs::read(&path).unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[..10], &[], &[&whole[..], b"1"].concat()] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(load(&folder, key), None);
        }
        key.add(b"x");
        assert_eq!(load(&folder, key), None);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
