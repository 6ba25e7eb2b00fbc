//! The texts that are open in the editor, in front of the files of the machine.

use crate::text::Text;
use crate::uri;
use gen_lsp_types::Uri;
use kenaz_base::FileSystem;
use kenaz_base::fs::{RealFileSystem, normalise};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// A text that is open.
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Rc<Text>,
    /// Different for each text that was ever open.
    revision: u64,
}

#[derive(Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    revisions: u64,
}

/// The state of a file at some time: it was changed if this differs later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stamp {
    /// The text was open, in this revision.
    Open(u64),
    File(Option<SystemTime>, u64),
    Missing,
}

/// The text without a mark of its encoding in front.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    }
}

impl Documents {
    pub(crate) fn open(&mut self, uri: Uri, version: i32, text: String) -> PathBuf {
        let path = uri::path(&uri);
        let text = without_mark(text);
        self.revisions += 1;
        let document = Document { uri, version, text: Rc::new(Text::new(text)), revision: self.revisions };
        self.open.insert(path.clone(), document);
        path
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// Replaces the text of an open document, if there is one.
    pub(crate) fn change(&mut self, path: &Path, version: i32, text: Text) {
        if let Some(document) = self.open.get_mut(path) {
            self.revisions += 1;
            (document.version, document.text, document.revision) = (version, Rc::new(text), self.revisions);
        }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    /// The address under which the editor knows a path.
    pub(crate) fn uri(&self, path: &Path) -> Uri {
        self.get(path).map_or_else(|| uri::of(path), |document| document.uri.clone())
    }

    /// The text of a document or file.
    pub(crate) fn text(&self, path: &Path) -> Option<Rc<Text>> {
        if let Some(document) = self.get(path) {
            return Some(document.text.clone());
        }
        let text = String::from_utf8(RealFileSystem.read(path).ok()?).ok()?;
        let text = without_mark(text);
        Some(Rc::new(Text::new(text)))
    }

    pub(crate) fn stamp(&self, path: &Path) -> Stamp {
        if let Some(document) = self.get(path) {
            return Stamp::Open(document.revision);
        }
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => Stamp::File(found.modified().ok(), found.len()),
            _ => Stamp::Missing,
        }
    }
}

/// The files that one analysis sees: other texts in front of what is open, and that in front of the machine's. It
/// remembers which files it was asked for.
pub(crate) struct View<'a> {
    documents: &'a Documents,
    pub(crate) instead: BTreeMap<PathBuf, Vec<u8>>,
    seen: RefCell<BTreeMap<PathBuf, Stamp>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(documents: &'a Documents) -> View<'a> {
        View { documents, instead: BTreeMap::new(), seen: RefCell::default() }
    }

    /// The files that were asked for, as they were then.
    pub(crate) fn seen(self) -> BTreeMap<PathBuf, Stamp> {
        self.seen.into_inner()
    }

    fn note(&self, path: &Path) {
        let mut seen = self.seen.borrow_mut();
        if !seen.contains_key(path) {
            seen.insert(path.to_path_buf(), self.documents.stamp(path));
        }
    }
}

impl FileSystem for View<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let path = normalise(path);
        self.note(&path);
        if let Some(text) = self.instead.get(&path) {
            return Ok(text.clone());
        }
        match self.documents.get(&path) {
            Some(document) => Ok(document.text.as_str().as_bytes().to_vec()),
            None => RealFileSystem.read(&path),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        let path = normalise(path);
        self.note(&path);
        self.instead.contains_key(&path) || self.documents.get(&path).is_some() || RealFileSystem.exists(&path)
    }
}
