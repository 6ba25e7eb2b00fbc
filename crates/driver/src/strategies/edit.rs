//! Attributes put into the text of programs.

use super::attributes::Place;
use kenaz_base::{Attr, Diagnostics, FileId, FileSystem, Id, SourceMap};
use kenaz_syntax::ast::{Ast, ExprId, ExprKind};
use kenaz_syntax::parse_file;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The files of a program that the user wrote.
pub(super) struct Files<'a>(BTreeMap<&'a Path, &'a str>);

impl<'a> Files<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Files<'a> {
        let files = sources.ids().map(|id| sources.file(id)).filter(|file| !file.builtin);
        Files(files.map(|file| (file.path(), &*file.text)).collect())
    }

    pub(super) fn text(&self, path: &Path) -> Option<&'a str> {
        self.0.get(path).copied()
    }
}

/// Files as they are after edits.
pub(super) struct Source<'a> {
    pub files: &'a Files<'a>,
    pub edits: &'a Edits,
    pub rest: &'a dyn FileSystem,
}

impl FileSystem for Source<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.files.text(path) {
            Some(text) => Ok(self.edits.apply(path, text).into_bytes()),
            None => self.rest.read(path),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        self.rest.exists(path)
    }
}

/// Attributes for places.
#[derive(Default)]
pub(super) struct Edits {
    edits: BTreeMap<Place, Edit>,
    /// The places that have the attribute already.
    written: BTreeMap<Place, Attr>,
}

#[derive(Clone, Copy)]
struct Edit {
    attribute: Attr,
    /// Whether it needs parentheses.
    is_enclosed: bool,
}

impl Edits {
    /// An attribute for an expression, if there is one at this place and the attribute can be written there.
    pub(super) fn add(&mut self, files: &Files, place: &Place, attribute: Attr) {
        let Some(text) = files.text(&place.path) else { return };
        if has_attribute(text, (place.lo, place.hi()), attribute) {
            self.written.insert(place.clone(), attribute);
            return;
        }
        let fits = |is_enclosed: bool| {
            let (before, behind) = around(attribute, is_enclosed);
            let (lo, hi) = (place.lo as usize, place.hi() as usize);
            let (Some(start), Some(middle), Some(end)) = (text.get(..lo), text.get(lo..hi), text.get(hi..)) else {
                return false;
            };
            let shift = before.len() as u32;
            let edited = format!("{start}{before}{middle}{behind}{end}");
            has_attribute(&edited, (place.lo + shift, place.hi() + shift), attribute)
        };
        if let Some(is_enclosed) = [false, true].into_iter().find(|is_enclosed| fits(*is_enclosed)) {
            self.edits.insert(place.clone(), Edit { attribute, is_enclosed });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.edits.len()
    }

    /// The edits at these places.
    pub(super) fn only(&self, places: &[Place]) -> Edits {
        let edits = self.edits.iter().filter(|(place, _)| places.contains(place));
        Edits { edits: edits.map(|(place, edit)| (place.clone(), *edit)).collect(), written: self.written.clone() }
    }

    /// These and other edits.
    pub(super) fn and(&self, others: Edits) -> Edits {
        let edits = self.edits.iter().map(|(place, edit)| (place.clone(), *edit)).chain(others.edits).collect();
        Edits { edits, written: others.written }
    }

    /// Whether a place has this attribute, or would have it after the edits.
    pub(super) fn says(&self, place: &Place, attribute: Attr) -> bool {
        self.edits.get(place).is_some_and(|edit| edit.attribute == attribute)
            || self.written.get(place).is_some_and(|written| *written == attribute)
    }

    /// What is inserted into a file, and in front of which byte, in this order.
    fn insertions(&self, path: &Path) -> Vec<(u32, String)> {
        let mut all: Vec<((u32, bool, u32), String)> = Vec::new();
        for (place, edit) in self.edits.iter().filter(|(place, _)| place.path == path) {
            let (before, behind) = around(edit.attribute, edit.is_enclosed);
            // Of two insertions at one byte, closing text comes before opening text; the inner of two closes first and
            // opens last.
            all.push(((place.lo, true, u32::MAX - place.hi()), before));
            if !behind.is_empty() {
                all.push(((place.hi(), false, u32::MAX - place.lo), behind.to_string()));
            }
        }
        all.sort();
        all.into_iter().map(|((at, ..), text)| (at, text)).collect()
    }

    /// The text of a file after the edits.
    pub(super) fn apply(&self, path: &Path, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (at, more) in self.insertions(path) {
            out.push_str(text.get(done..at as usize).unwrap_or_default());
            out.push_str(&more);
            done = at as usize;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }

    /// Where a place was before the edits.
    pub(super) fn original(&self, place: &Place) -> Place {
        let insertions = self.insertions(&place.path);
        let (lo, _) = before(&insertions, place.lo);
        let (last, is_inserted) = before(&insertions, place.hi().saturating_sub(1));
        let hi = if is_inserted { last } else { last + 1 };
        Place { path: place.path.clone(), lo, from_end: u32::MAX - hi }
    }
}

/// Where a byte was before insertions, or else the one in front of which it was inserted, and whether it was.
fn before(insertions: &[(u32, String)], byte: u32) -> (u32, bool) {
    let mut shift = 0;
    for (at, text) in insertions {
        let start = at + shift;
        if byte < start {
            break;
        }
        shift += text.len() as u32;
        if byte < at + shift {
            return (*at, true);
        }
    }
    (byte - shift, false)
}

fn around(attribute: Attr, is_enclosed: bool) -> (String, &'static str) {
    if is_enclosed { (format!("(#[{attribute}] "), ")") } else { (format!("#[{attribute}] "), "") }
}

/// Whether an expression from and to these bytes has an attribute already that says how it is compiled.
pub(super) fn is_decided(text: &str, (lo, hi): (u32, u32)) -> bool {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    parse_file(&mut ast, FileId::from_index(0), text, &mut diagnostics);
    ast.exprs.iter().any(|(_, expr)| {
        let ExprKind::Attr(attr, inner) = &expr.kind else { return false };
        let span = ast[without_attributes(&ast, *inner)].span;
        attr.meaning.is_ok_and(|attr| attr.is_binding() || attr.is_strategy()) && (span.lo, span.hi) == (lo, hi)
    })
}

fn without_attributes(ast: &Ast, mut expr: ExprId) -> ExprId {
    while let ExprKind::Paren(e) | ExprKind::Attr(_, e) = &ast[expr].kind {
        expr = *e;
    }
    expr
}

/// Whether a text has no mistakes and an expression from and to these bytes has this attribute.
fn has_attribute(text: &str, (lo, hi): (u32, u32), attribute: Attr) -> bool {
    let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    parse_file(&mut ast, FileId::from_index(0), text, &mut diagnostics);
    let found = ast.exprs.iter().any(|(_, expr)| {
        let ExprKind::Attr(attr, inner) = &expr.kind else { return false };
        let span = ast[without_attributes(&ast, *inner)].span;
        attr.meaning == Ok(attribute) && (span.lo, span.hi) == (lo, hi)
    });
    found && !diagnostics.has_errors()
}
