//! Addresses of documents, and the paths by which the compiler knows them.

use gen_lsp_types::Uri;
use kenaz_base::fs::normalise;
use std::path::{Path, PathBuf};

/// The path of a document. One that is no file, as an editor's untitled text, has its whole address as a path, which
/// no file has.
pub(crate) fn path(uri: &Uri) -> PathBuf {
    let Some(rest) = uri.0.strip_prefix("file://") else { return PathBuf::from(&uri.0) };
    // Between the slashes may stand the name of this machine.
    let encoded = rest.find('/').map_or("", |at| &rest[at..]);
    let decoded = decode(encoded);
    // On Windows: `/c:/folder`.
    let drive = decoded.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    normalise(Path::new(drive.unwrap_or(&decoded)))
}

/// The address of a path.
pub(crate) fn of(path: &Path) -> Uri {
    let text = path.to_string_lossy();
    if !path.is_absolute() {
        return Uri(text.into_owned());
    }
    let slash = if text.starts_with('/') { "" } else { "/" };
    Uri(format!("file://{slash}{}", encode(&text.replace('\\', "/"))))
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths() {
        for (uri, expected) in [
            ("file:///a/b.fut", "/a/b.fut"),
            ("file:///a%20b/%C3%A5.fut", "/a b/å.fut"),
            ("file://host/a/./b.fut", "/a/b.fut"),
            ("file:///100%/x", "/100%/x"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("file:///c%3A/x.fut", "c:/x.fut"),
        ] {
            assert_eq!(path(&Uri(uri.to_string())), PathBuf::from(expected), "{uri}");
        }
        assert_eq!(of(Path::new("/a b/å.fut")).0, "file:///a%20b/%C3%A5.fut");
        assert_eq!(of(Path::new("untitled:Untitled-1")).0, "untitled:Untitled-1");
    }
}
