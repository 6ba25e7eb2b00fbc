//! What is known about one program: the file that is looked at, with all that it imports.

use crate::documents::{Documents, Stamp, View};
use crate::repair::{self, Repaired};
use crate::resolve::{Def, DefId, Names, Node};
use crate::text::Text;
use kenaz_base::fs::normalise;
use kenaz_base::{Code, Diagnostic, FileId, Severity, SourceMap, Span};
use kenaz_driver::Compiler;
use kenaz_ir::target;
use kenaz_sema::Checked;
use kenaz_sema::scope::Module;
use kenaz_sema::types::{Scheme, Ty, VarId};
use kenaz_syntax::ast::{Doc, ExprId, ExprKind};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A part of a file, in bytes of what is written there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
}

/// A diagnostic whose places are those of the user's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) at: Place,
    pub(crate) label: String,
    pub(crate) causes: Vec<(Place, String)>,
    pub(crate) notes: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) fixes: Vec<(Place, String)>,
}

/// The text of a file as it is written, and what was changed so that it could be parsed.
struct Written {
    path: PathBuf,
    text: Rc<Text>,
    repaired: Option<Repaired>,
}

pub(crate) struct Analysis {
    pub(crate) checked: Checked,
    pub(crate) names: Names,
    /// All files, those of the prelude too.
    files: FxHashMap<FileId, Written>,
    findings: Vec<Finding>,
    /// The files that were read or looked for, as they were then.
    seen: BTreeMap<PathBuf, Stamp>,
    variables: OnceCell<FxHashMap<(FileId, u32), VarId>>,
    uses: OnceCell<FxHashMap<(FileId, u32), ExprId>>,
}

/// What to look at instead of what the editor shows.
#[derive(Default)]
pub(crate) struct Instead {
    /// Other texts of files.
    pub(crate) texts: BTreeMap<PathBuf, String>,
    /// A place of the main file of which the scope is wanted.
    pub(crate) asked: Option<u32>,
}

impl Analysis {
    pub(crate) fn new(documents: &Documents, path: &Path, instead: Instead) -> Analysis {
        let mut view = View::new(documents);
        view.instead = instead.texts.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        let mut checked = Compiler::new(&view, &target::C).check(path);
        let mut files = written(&checked);
        let mut findings = Vec::new();
        let repaired = repairs(&checked, &files, instead.asked);
        if !repaired.is_empty() {
            findings = checked.diagnostics.iter().map(|d| finding(d, &checked.sources, &files)).collect();
            for (path, (repaired, _)) in &repaired {
                view.instead.insert(path.clone(), repaired.text.clone().into_bytes());
            }
            checked = Compiler::new(&view, &target::C).check(path);
            files = written(&checked);
            for file in files.values_mut() {
                if let Some((repaired, text)) = repaired.get(&file.path) {
                    (file.repaired, file.text) = (Some(repaired.clone()), text.clone());
                }
            }
        }
        for diagnostic in checked.diagnostics.iter().filter(|d| !is_consequence(d, &checked, &files)) {
            findings.push(finding(diagnostic, &checked.sources, &files));
        }
        findings.sort_by(|a, b| (&a.at, a.severity).cmp(&(&b.at, b.severity)));
        findings.dedup();
        let asked = instead.asked.map(|at| {
            let repaired = files.get(&checked.main).and_then(|file| file.repaired.as_ref());
            (checked.main, repaired.map_or(at, |repaired| repaired.to_changed(at)))
        });
        let names = Names::of(&checked, asked);
        let (variables, uses) = (OnceCell::new(), OnceCell::new());
        Analysis { checked, names, files, findings, seen: view.seen(), variables, uses }
    }

    /// Whether the files it was made of are as they were.
    pub(crate) fn is_current(&self, documents: &Documents) -> bool {
        self.seen.iter().all(|(path, stamp)| documents.stamp(path) == *stamp)
    }

    /// The files that were read or looked for.
    pub(crate) fn seen(&self) -> &BTreeMap<PathBuf, Stamp> {
        &self.seen
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Replaces what was found by what the attributes of the program add to it.
    pub(crate) fn with_strategies(&self, documents: &Documents, path: &Path) -> Vec<Finding> {
        let is_binding = |kind: &ExprKind| match kind {
            ExprKind::Attr(attr, _) => attr.meaning.is_ok_and(|attr| attr.is_binding()),
            _ => false,
        };
        let is_wrong = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        let own = |span: Span| !self.checked.sources.file(span.file).builtin;
        if is_wrong || !self.checked.ast.exprs.iter().any(|(_, e)| own(e.span) && is_binding(&e.kind)) {
            return self.findings.clone();
        }
        let view = View::new(documents);
        let (sources, diagnostics) = Compiler::new(&view, &target::C).check_with_strategies(path);
        let texts = sources.ids().map(|id| (id, of_source(&sources, id))).collect();
        diagnostics.iter().map(|diagnostic| finding(diagnostic, &sources, &texts)).collect()
    }

    pub(crate) fn main(&self) -> FileId {
        self.checked.main
    }

    pub(crate) fn text(&self, file: FileId) -> &Text {
        &self.files[&file].text
    }

    pub(crate) fn path(&self, file: FileId) -> &Path {
        &self.files[&file].path
    }

    pub(crate) fn is_builtin(&self, file: FileId) -> bool {
        self.checked.sources.file(file).builtin
    }

    /// Whether a file could not be parsed as it is written.
    pub(crate) fn is_repaired(&self, file: FileId) -> bool {
        self.files[&file].repaired.is_some()
    }

    /// The offset, in the text that was checked, of one in what is written.
    pub(crate) fn to_changed(&self, file: FileId, offset: u32) -> u32 {
        self.files[&file].repaired.as_ref().map_or(offset, |repaired| repaired.to_changed(offset))
    }

    /// Where a span of the text that was checked is in what is written.
    pub(crate) fn written(&self, span: Span) -> Range<u32> {
        match &self.files[&span.file].repaired {
            None => span.lo..span.hi,
            Some(repaired) => {
                let lo = repaired.to_written(span.lo);
                lo..repaired.to_written(span.hi).max(lo)
            }
        }
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        let range = self.written(span);
        Place { path: self.path(span.file).to_path_buf(), lo: range.start, hi: range.end }
    }

    pub(crate) fn def(&self, def: DefId) -> &Def {
        &self.names.defs[def]
    }

    pub(crate) fn source(&self, span: Span) -> &str {
        self.checked.sources.text(span)
    }

    /// The variable of the checker that is bound at a place.
    pub(crate) fn variable(&self, span: Span) -> Option<VarId> {
        let variables = self.variables.get_or_init(|| {
            let mut found = FxHashMap::default();
            // Copies of a variable, as modules make them, come after it.
            for (id, info) in self.checked.names.vars.iter().filter(|(_, info)| info.span.hi > info.span.lo) {
                if info.scheme.is_some() {
                    found.entry((info.span.file, info.span.lo)).or_insert(id);
                }
            }
            found
        });
        variables.get(&(span.file, span.lo)).copied()
    }

    pub(crate) fn scheme(&self, def: DefId) -> Option<&Scheme> {
        let variable = self.variable(self.def(def).span)?;
        self.checked.names.vars[variable].scheme.as_ref()
    }

    /// The expression that mentions a value by the name at a place, and the type of that value there.
    pub(crate) fn mention(&self, span: Span) -> Option<(ExprId, &Ty)> {
        let uses = self.uses.get_or_init(|| self.all_uses());
        let expr = *uses.get(&(span.file, span.lo))?;
        Some((expr, &self.checked.info.resolved.get(expr)?.ty))
    }

    fn all_uses(&self) -> FxHashMap<(FileId, u32), ExprId> {
        let uses = self.checked.info.resolved.iter();
        uses.filter_map(|(id, _)| Some((self.mentioned(id)?, id))).collect()
    }

    /// Where the name of the value is that an expression mentions.
    pub(crate) fn mentioned(&self, expr: ExprId) -> Option<(FileId, u32)> {
        let name = match &self.checked.ast[expr].kind {
            ExprKind::Var(name) => name,
            ExprKind::OpSection(op)
            | ExprKind::BinOp(op, ..)
            | ExprKind::LeftSection(_, op)
            | ExprKind::RightSection(op, _) => &op.name,
            _ => return None,
        };
        // The last names of a path may be fields.
        let own = name.quals.len().checked_sub(self.checked.info.resolved.get(expr)?.fields)?;
        let part = name.quals.iter().chain([&name.name]).nth(own)?;
        Some((part.span.file, part.span.lo))
    }

    /// The documentation of a definition, or else of its description in a module type.
    pub(crate) fn doc(&self, def: DefId, described: Option<DefId>) -> Option<&str> {
        let of = |def: DefId| -> Option<&Doc> {
            match self.def(def).node {
                Node::Dec(id) => self.checked.ast[id].doc.as_ref(),
                Node::Spec(id) => self.checked.ast[id].doc.as_ref(),
                Node::LocalFun(_) | Node::Name => None,
            }
        };
        of(def).or_else(|| described.and_then(of)).map(|doc| doc.text.as_str())
    }

    /// The smallest expression that holds all of a place and passes a test.
    pub(crate) fn expression(&self, file: FileId, offset: u32, wanted: impl Fn(ExprId) -> bool) -> Option<ExprId> {
        let holds = |span: Span| span.file == file && span.lo <= offset && offset <= span.hi;
        let inside = self.checked.ast.exprs.iter().filter(|(id, e)| holds(e.span) && wanted(*id));
        inside.min_by_key(|(_, e)| e.span.hi - e.span.lo).map(|(id, _)| id)
    }
}

/// The files that cannot be parsed, changed so that they can be, with their texts as they are written.
fn repairs(
    checked: &Checked,
    files: &FxHashMap<FileId, Written>,
    asked: Option<u32>,
) -> BTreeMap<PathBuf, (Repaired, Rc<Text>)> {
    let mut repaired = BTreeMap::new();
    // Otherwise the program was checked.
    if !matches!(checked.module, Module::Error) {
        return repaired;
    }
    for diagnostic in checked.diagnostics.iter() {
        let id = diagnostic.primary.span.file;
        let source = checked.sources.file(id);
        let file = &files[&id];
        if !source.builtin && !repaired.contains_key(&file.path) && !repair::errors(&source.text).is_empty() {
            let keep = asked.filter(|_| id == checked.main);
            repaired.insert(file.path.clone(), (repair::repair(&source.text, keep), file.text.clone()));
        }
    }
    repaired
}

fn of_source(sources: &SourceMap, id: FileId) -> Written {
    let source = sources.file(id);
    let text = Rc::new(Text::new(source.text.clone()));
    Written { path: normalise(source.path()), text, repaired: None }
}

fn written(checked: &Checked) -> FxHashMap<FileId, Written> {
    checked.sources.ids().map(|id| (id, of_source(&checked.sources, id))).collect()
}

fn finding(diagnostic: &Diagnostic, sources: &SourceMap, files: &FxHashMap<FileId, Written>) -> Finding {
    let place = |span: Span| {
        let Some(file) = files.get(&span.file) else {
            return Place { path: sources.file(span.file).path().to_path_buf(), lo: span.lo, hi: span.hi };
        };
        let at = |offset: u32| file.repaired.as_ref().map_or(offset, |repaired| repaired.to_written(offset));
        Place { path: file.path.clone(), lo: at(span.lo), hi: at(span.hi).max(at(span.lo)) }
    };
    Finding {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        at: place(diagnostic.primary.span),
        label: diagnostic.primary.text.clone(),
        causes: diagnostic.causes.iter().map(|cause| (place(cause.span), cause.text.clone())).collect(),
        notes: diagnostic.notes.clone(),
        hints: diagnostic.hints.clone(),
        fixes: diagnostic.fixes.iter().map(|fix| (place(fix.span), fix.text.clone())).collect(),
    }
}

/// Whether a diagnostic may be due to what was changed so that the program could be parsed.
fn is_consequence(diagnostic: &Diagnostic, checked: &Checked, files: &FxHashMap<FileId, Written>) -> bool {
    let span = diagnostic.primary.span;
    let repaired = || files.values().filter_map(|file| file.repaired.as_ref());
    if repaired().next().is_none() {
        return false;
    }
    let own = files.get(&span.file).and_then(|file| file.repaired.as_ref());
    let name = checked.sources.text(span);
    // Something may seem to be unused only because its use cannot be read.
    own.is_some_and(|own| own.is_broken(own.to_written(span.lo)))
        || repaired().any(|repaired| repaired.has_lost(name))
        || diagnostic.severity == Severity::Warning
}
