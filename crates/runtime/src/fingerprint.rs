//! A hash by which files of caches are called.

use std::fmt;
use std::io::{self, Write};

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
}
