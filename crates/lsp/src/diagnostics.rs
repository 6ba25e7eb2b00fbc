//! Diagnostics as the protocol has them, and when they are sent.

use crate::analysis::{Analysis, Finding, Place};
use crate::documents::Stamp;
use crate::queue::Queue;
use crate::state::State;
use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    Message, PublishDiagnosticsParams,
};
use kenaz_base::{Code as Id, Severity};
use lsp_server::Notification;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the client was told.
#[derive(Default)]
pub(crate) struct Published {
    /// The files, as they were then, that the diagnostics of each open document are from.
    from: BTreeMap<PathBuf, BTreeMap<PathBuf, Stamp>>,
    /// What open documents have found in files that are not open: by document, then by file.
    elsewhere: BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<Diagnostic>>>,
    /// The document that was changed last, which comes first.
    touched: Option<PathBuf>,
}

impl Published {
    pub(crate) fn touch(&mut self, path: PathBuf) {
        self.touched = Some(path);
    }

    /// Sends the diagnostics of one document that has others now; whether there is none left.
    pub(crate) fn publish_one(&mut self, state: &mut State, queue: &Queue) -> bool {
        let mut paths: Vec<PathBuf> = state.documents.paths().cloned().collect();
        if let Some(at) = paths.iter().position(|path| Some(path) == self.touched.as_ref()) {
            paths.swap(0, at);
        }
        let is_current = |path: &PathBuf| {
            let known = self.from.get(path);
            known.is_some_and(|seen| seen.iter().all(|(path, stamp)| state.documents.stamp(path) == *stamp))
        };
        let Some(path) = paths.into_iter().find(|path| !is_current(path)) else { return true };
        if !queue.is_empty() {
            return false;
        }
        // If that fails, it is not tried again before the next change.
        let stamp = state.documents.stamp(&path);
        self.from.insert(path.clone(), BTreeMap::from([(path.clone(), stamp)]));
        let analysis = state.analysis(&path);
        self.publish(state, queue, &path, &analysis);
        self.from.insert(path, analysis.seen().clone());
        false
    }

    fn publish(&mut self, state: &State, queue: &Queue, path: &Path, analysis: &Analysis) {
        let mut own = Vec::new();
        let mut elsewhere: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        // A copy of the prelude is no program.
        let findings =
            if state.library.owns(path) { Vec::new() } else { analysis.with_strategies(&state.documents, path) };
        for finding in &findings {
            let Some(diagnostic) = diagnostic(state, finding) else { continue };
            if finding.at.path == path {
                own.push(diagnostic);
            } else if finding.severity == Severity::Error && state.documents.get(&finding.at.path).is_none() {
                elsewhere.entry(finding.at.path.clone()).or_default().push(diagnostic);
            }
        }
        send(state, queue, path, own);
        let before = self.elsewhere.insert(path.to_path_buf(), elsewhere).unwrap_or_default();
        let mut files: BTreeSet<PathBuf> = before.into_keys().collect();
        files.extend(self.elsewhere.get(path).into_iter().flat_map(BTreeMap::keys).cloned());
        for file in files {
            self.publish_elsewhere(state, queue, &file);
        }
    }

    /// Sends what is found in a file that is not open.
    fn publish_elsewhere(&self, state: &State, queue: &Queue, file: &Path) {
        if state.documents.get(file).is_some() {
            return;
        }
        let mut all: Vec<Diagnostic> = Vec::new();
        for diagnostic in self.elsewhere.values().filter_map(|found| found.get(file)).flatten() {
            if !all.contains(diagnostic) {
                all.push(diagnostic.clone());
            }
        }
        send(state, queue, file, all);
    }

    /// A document is about to be closed: nothing more is said about it, unless another one imports it.
    pub(crate) fn close(&mut self, state: &State, queue: &Queue, path: &Path) {
        self.from.remove(path);
        let files = self.elsewhere.remove(path).unwrap_or_default();
        send(state, queue, path, Vec::new());
        for file in files.into_keys() {
            self.publish_elsewhere(state, queue, &file);
        }
        // Those who import it say again what they find in it.
        self.from.clear();
    }
}

fn send(state: &State, queue: &Queue, path: &Path, diagnostics: Vec<Diagnostic>) {
    let version = state.documents.get(path).map(|document| document.version);
    let params = PublishDiagnosticsParams { uri: state.documents.uri(path), version, diagnostics };
    queue.send(Notification::new("textDocument/publishDiagnostics".to_string(), params));
}

/// A finding for the client; none if its file is gone.
pub(crate) fn diagnostic(state: &State, finding: &Finding) -> Option<Diagnostic> {
    let related = |(place, text): &(Place, String)| {
        let location = Location { uri: state.documents.uri(&place.path), range: state.place_range(place)? };
        Some(DiagnosticRelatedInformation { location, message: text.clone() })
    };
    let related: Vec<_> = finding.causes.iter().filter_map(related).collect();
    let mut message = finding.message.clone();
    if !finding.label.is_empty() {
        message.push_str(&format!("\n{}", finding.label));
    }
    message.extend(finding.notes.iter().map(|note| format!("\nnote: {note}")));
    message.extend(finding.hints.iter().map(|hint| format!("\nhelp: {hint}")));
    let id = finding.code.id();
    let is_unused = finding.severity == Severity::Warning && id.starts_with("unused");
    Some(Diagnostic {
        range: state.place_range(&finding.at)?,
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        }),
        code: Some(Code::String(id.to_string())),
        code_description: page(state, finding.code),
        source: Some("kenaz".to_string()),
        message: Message::String(message),
        tags: is_unused.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    })
}

fn page(state: &State, code: Id) -> Option<CodeDescription> {
    Some(CodeDescription { href: state.library.page(code.id())? })
}
