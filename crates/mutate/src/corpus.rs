//! The programs that mutants are made of.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Program {
    /// As it was found, below the folder that was asked for.
    pub path: PathBuf,
    pub text: Vec<u8>,
}

/// All `.fut` files below the folders, sorted; also files named themselves.
pub fn read(paths: &[PathBuf]) -> io::Result<Vec<Program>> {
    let mut found = Vec::new();
    for path in paths {
        collect(path, &mut found)?;
    }
    found.into_iter().map(|path| Ok(Program { text: fs::read(&path)?, path })).collect()
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|extension| extension == "fut") {
            collect(&entry, found)?;
        }
    }
    Ok(())
}
