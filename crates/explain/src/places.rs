//! Positions of the IR as places in sources.

use crate::model::{Place, Point, Source};
use kenaz_base::{FileId, SourceMap, Span};
use kenaz_ir::{LocId, Locs};

pub(crate) struct Places<'a> {
    sources: &'a SourceMap,
    /// Those that places are in.
    used: Vec<FileId>,
}

impl<'a> Places<'a> {
    /// The program itself is always the first source.
    pub(crate) fn new(sources: &'a SourceMap) -> Places<'a> {
        let program = sources.ids().find(|id| !sources.file(*id).builtin);
        Places { sources, used: program.into_iter().collect() }
    }

    /// The place of a position, if the user has written it.
    pub(crate) fn of(&mut self, locs: &Locs, loc: LocId) -> Option<Place> {
        let mut chain = Vec::new();
        let mut next = Some(loc);
        while let Some(id) = next {
            next = locs.get(id).caller;
            if !locs.get(id).place.as_str().is_empty()
                && let Some(place) = locs.span(id).and_then(|span| self.of_span(span))
            {
                chain.push(place);
            }
        }
        let mut chain = chain.into_iter();
        let mut place = chain.next()?;
        place.called_at = chain.collect();
        Some(place)
    }

    pub(crate) fn of_span(&mut self, span: Span) -> Option<Place> {
        let file = self.sources.file(span.file);
        if file.builtin {
            return None;
        }
        let source = self.used.iter().position(|id| *id == span.file).unwrap_or_else(|| {
            self.used.push(span.file);
            self.used.len() - 1
        });
        let point = |offset: u32| {
            let (line, column) = file.line_col(offset);
            Point { line, column }
        };
        let (start, end) = (point(span.lo), point(span.hi.max(span.lo + 1) - 1));
        Some(Place { source, start, end, called_at: Vec::new() })
    }

    pub(crate) fn into_sources(self) -> Vec<Source> {
        let source = |id: &FileId| {
            let file = self.sources.file(*id);
            Source { name: file.path().display().to_string(), text: file.text.clone() }
        };
        self.used.iter().map(source).collect()
    }
}
