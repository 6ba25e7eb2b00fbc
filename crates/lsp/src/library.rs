//! Texts of the compiler that people can look at: the prelude and the pages about errors. An editor shows files, so
//! they are written to the folder for caches when somebody asks for them.

use crate::uri;
use gen_lsp_types::Uri;
use kenaz_base::UnfinishedFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Finds the page about an error by its id.
pub type Pages = fn(&str) -> Option<&'static str>;

pub(crate) struct Library {
    folder: Option<PathBuf>,
    pages: Pages,
}

impl Library {
    pub(crate) fn new(folder: Option<PathBuf>, pages: Pages) -> Library {
        let folder = folder.map(|folder| folder.join(format!("lsp-{}", env!("CARGO_PKG_VERSION"))));
        Library { folder, pages }
    }

    /// Whether a file is a copy of one of these texts.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        self.folder.as_ref().is_some_and(|folder| path.starts_with(folder))
    }

    /// The address of a file of the prelude.
    pub(crate) fn file(&self, path: &Path, text: &str) -> Option<Uri> {
        let target = self.folder.as_ref()?.join(path);
        place(&target, text).map(|()| uri::of(&target))
    }

    /// The address of the page about an error.
    pub(crate) fn page(&self, id: &str) -> Option<Uri> {
        let target = self.folder.as_ref()?.join("errors").join(format!("{id}.md"));
        place(&target, (self.pages)(id)?).map(|()| uri::of(&target))
    }
}

/// Writes a file, if it is not there already. Without a place for it there is none, which nobody needs to be told.
fn place(path: &Path, text: &str) -> Option<()> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Some(());
    }
    fs::create_dir_all(path.parent()?).ok()?;
    let unfinished = UnfinishedFile::beside(path);
    fs::write(unfinished.path(), text).ok()?;
    unfinished.finish(path).ok()
}
