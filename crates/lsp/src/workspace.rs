//! The programs in the folders that are open in the editor.

use crate::documents::Documents;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most files of the folders that are looked at.
const MOST_FILES: usize = 5_000;
/// The deepest folder.
const DEEPEST: usize = 24;

pub(crate) struct Workspace {
    folders: Vec<PathBuf>,
}

impl Workspace {
    pub(crate) fn new(folders: Vec<PathBuf>) -> Workspace {
        Workspace { folders }
    }

    pub(crate) fn change(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added);
        self.folders.dedup();
    }

    /// Files of the folders, and those that are open.
    pub(crate) fn files(&self, documents: &Documents) -> BTreeSet<PathBuf> {
        let mut found = documents.paths().cloned().collect();
        for folder in &self.folders {
            walk(folder, 0, &mut found);
        }
        found
    }

    /// The files in which a name may occur.
    pub(crate) fn files_with(&self, documents: &Documents, name: &str) -> Vec<PathBuf> {
        let files = self.files(documents).into_iter();
        files.filter(|path| documents.text(path).is_some_and(|text| text.as_str().contains(name))).collect()
    }
}

fn walk(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if found.len() >= MOST_FILES || name.starts_with('.') {
            continue;
        }
        // Links may lead in circles.
        if kind.is_dir() && depth < DEEPEST && name != "target" && name != "node_modules" {
            walk(&entry.path(), depth + 1, found);
        } else if kind.is_file() && name.ends_with(".fut") {
            found.insert(entry.path());
        }
    }
}
