//! The one state of the compiler that all requests share, and what they need of it.

use crate::analysis::{Analysis, Instead, Place};
use crate::documents::Documents;
use crate::library::Library;
use crate::text::Encoding;
use crate::workspace::Workspace;
use gen_lsp_types::{Location, Position, Range, TextDocumentPositionParams, Uri};
use kenaz_base::{FileId, Span};
use kenaz_explain::Explanation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It cannot be done, for a reason that the user should read.
    Refused(String),
    /// It makes no sense.
    Invalid(String),
    UnknownMethod,
}

pub(crate) type Answer<T> = Result<T, Failure>;

pub(crate) struct State {
    pub(crate) documents: Documents,
    pub(crate) encoding: Encoding,
    pub(crate) workspace: Workspace,
    pub(crate) library: Library,
    analyses: BTreeMap<PathBuf, Rc<Analysis>>,
    /// The paths of `analyses`, the one used last at the end.
    recent: Vec<PathBuf>,
    /// The program of the last completion: more is asked about its items.
    pub(crate) completed: Option<Rc<Analysis>>,
    /// The program whose lenses were asked for last, and what becomes of it, if it can be compiled.
    pub(crate) explained: Option<(Rc<Analysis>, Option<Explanation>)>,
}

/// The most programs of which everything is kept.
const MOST_ANALYSES: usize = 16;

/// A place that a request is about.
pub(crate) struct Spot {
    pub(crate) analysis: Rc<Analysis>,
    pub(crate) file: FileId,
    /// In the text that was checked.
    pub(crate) offset: u32,
}

impl State {
    pub(crate) fn new(encoding: Encoding, folders: Vec<PathBuf>, library: Library) -> State {
        State {
            documents: Documents::default(),
            encoding,
            workspace: Workspace::new(folders),
            library,
            analyses: BTreeMap::new(),
            recent: Vec::new(),
            completed: None,
            explained: None,
        }
    }

    /// What is known about the program in a file, as it is now.
    pub(crate) fn analysis(&mut self, path: &Path) -> Rc<Analysis> {
        self.recent.retain(|other| other != path);
        self.recent.push(path.to_path_buf());
        if let Some(found) = self.analyses.get(path).filter(|found| found.is_current(&self.documents)) {
            return found.clone();
        }
        // The old one goes first: two of a large program need not fit.
        self.analyses.remove(path);
        let analysis = Rc::new(Analysis::new(&self.documents, path, Instead::default()));
        self.analyses.insert(path.to_path_buf(), analysis.clone());
        while self.recent.len() > MOST_ANALYSES {
            let oldest = self.recent.remove(0);
            self.analyses.remove(&oldest);
        }
        analysis
    }

    /// Forgets the program in a file.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.analyses.remove(path);
        self.recent.retain(|other| other != path);
    }

    pub(crate) fn spot(&mut self, at: &TextDocumentPositionParams) -> Spot {
        self.spot_at(&at.text_document.uri, at.position)
    }

    pub(crate) fn spot_at(&mut self, uri: &Uri, position: Position) -> Spot {
        let analysis = self.analysis(&crate::uri::path(uri));
        let file = analysis.main();
        let offset = analysis.to_changed(file, analysis.text(file).offset(position, self.encoding));
        Spot { analysis, file, offset }
    }

    /// The range of a span in what is written.
    pub(crate) fn range(&self, analysis: &Analysis, span: Span) -> Range {
        let written = analysis.written(span);
        analysis.text(span.file).range(written.start, written.end, self.encoding)
    }

    pub(crate) fn location(&self, analysis: &Analysis, span: Span) -> Option<Location> {
        let path = analysis.path(span.file);
        let uri = if analysis.is_builtin(span.file) {
            self.library.file(path, analysis.text(span.file).as_str())?
        } else {
            self.documents.uri(path)
        };
        Some(Location { uri, range: self.range(analysis, span) })
    }

    /// The range of a place in a file that may have been read by any analysis.
    pub(crate) fn place_range(&self, place: &Place) -> Option<Range> {
        let text = self.documents.text(&place.path)?;
        Some(text.range(place.lo, place.hi, self.encoding))
    }
}
