//! Several files as one program.

use kenaz_base::{FileSystem, SourceFile};
use kenaz_sema::{Checked, check_file};
use std::io;
use std::path::{Path, PathBuf};

/// The file that imports the others. Its name cannot be that of a file that an import names.
const ROOT: &str = "\u{0}documentation.fut";

struct WithRoot<'a> {
    inner: &'a dyn FileSystem,
    text: String,
}

impl FileSystem for WithRoot<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new(ROOT) { Ok(self.text.clone().into_bytes()) } else { self.inner.read(path) }
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new(ROOT) || self.inner.exists(path)
    }
}

/// Checks files together with all that they import; without any, the prelude alone. A name that cannot stand in an
/// import is given back.
pub fn load(files: &[PathBuf], fs: &dyn FileSystem) -> Result<Checked, PathBuf> {
    let mut text = String::new();
    for (number, file) in files.iter().enumerate() {
        let name = file.to_str().and_then(|name| name.strip_suffix(".fut"));
        let name = name.filter(|name| !name.chars().any(|c| matches!(c, '"' | '\\') || c.is_control()));
        let name = name.ok_or_else(|| file.clone())?;
        text.push_str(&format!("module file_{number} = import \"{name}\"\n"));
    }
    Ok(check_file(Path::new(ROOT), &WithRoot { inner: fs, text }))
}

/// Whether a file is the one that imports the others.
pub fn root_is(file: &SourceFile) -> bool {
    file.path() == Path::new(ROOT)
}
