//! Lenses: tests and benchmarks to run, and what becomes of an entry point.

use crate::analysis::Analysis;
use crate::documents::View;
use crate::state::{Answer, State};
use gen_lsp_types::{CodeLens, CodeLensParams, Command, Range, Uri};
use kenaz_base::FileSystem;
use kenaz_driver::{Compiler, Settings};
use kenaz_explain::{Explanation, explain};
use kenaz_ir::{Ownership, Stage, target};
use kenaz_syntax::ast::{DecKind, ValKeyword};
use kenaz_testing::{Spec, Subject};
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;

/// Programs with more lines are not compiled for a lens: other requests would wait.
const MOST_LINES: u32 = 600;

pub(crate) fn lenses(state: &mut State, params: &CodeLensParams) -> Answer<Vec<CodeLens>> {
    let uri = &params.text_document.uri;
    let path = crate::uri::path(uri);
    let Some(text) = state.documents.text(&path) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    // What is not a file cannot be given to a command.
    if path.is_absolute()
        && let Some(offset) = block(text.as_str())
        && let Ok(Some(spec)) = Spec::parse(text.as_str())
    {
        let range = text.range(offset, offset, state.encoding);
        found.push(lens(range, "Run tests", "kenaz.test", uri));
        if has_data(&spec) {
            found.push(lens(range, "Run benchmarks", "kenaz.bench", uri));
        }
    }
    if text.lines() <= MOST_LINES {
        let analysis = state.analysis(&path);
        found.extend(entries(&analysis).map(|(name, span)| CodeLens {
            range: state.range(&analysis, span),
            command: None,
            data: Some(json!({ "uri": uri, "entry": name })),
        }));
    }
    Ok(found)
}

fn lens(range: Range, title: &str, command: &str, uri: &Uri) -> CodeLens {
    CodeLens { range, command: Some(action(title, command, vec![json!(uri)])), data: None }
}

fn action(title: &str, command: &str, arguments: Vec<Value>) -> Command {
    Command { title: title.to_string(), tooltip: None, command: command.to_string(), arguments: Some(arguments) }
}

/// Where the first test block starts.
fn block(text: &str) -> Option<u32> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().strip_prefix("--").is_some_and(|rest| rest.trim() == "==") {
            return Some(offset as u32);
        }
        offset += line.len();
    }
    None
}

/// Whether there is a case to measure.
fn has_data(spec: &Spec) -> bool {
    match &spec.subject {
        Subject::Rejected(_) => false,
        Subject::Accepted { groups, .. } => {
            groups.iter().flat_map(|group| &group.cases).any(|case| !case.tags.iter().any(|tag| tag == "nobench"))
        }
    }
}

/// The entry points of the main file.
fn entries(analysis: &Analysis) -> impl Iterator<Item = (&'static str, kenaz_base::Span)> {
    let main = analysis.main();
    let decs = analysis.checked.ast.decs.iter().filter(move |(_, dec)| dec.span.file == main);
    decs.filter_map(|(_, dec)| match &dec.kind {
        DecKind::Val(bind) if bind.keyword == ValKeyword::Entry => Some((bind.name.name.as_str(), bind.name.span)),
        _ => None,
    })
}

/// Says what becomes of an entry point: loops, allocations, copies, memory.
pub(crate) fn resolve(state: &mut State, mut lens: CodeLens) -> Answer<CodeLens> {
    let data = lens.data.take().unwrap_or_default();
    let (Some(uri), Some(entry)) = (data.get("uri").and_then(Value::as_str), data.get("entry").and_then(Value::as_str))
    else {
        return Ok(lens);
    };
    let path = crate::uri::path(&Uri(uri.to_string()));
    let analysis = state.analysis(&path);
    if !state.explained.as_ref().is_some_and(|(of, _)| Rc::ptr_eq(of, &analysis)) {
        // All entry points of a program are explained at once.
        let explanation = explanation(state, &analysis, &path);
        state.explained = Some((analysis, explanation));
    }
    let explanation = state.explained.as_ref().and_then(|(_, explanation)| explanation.as_ref());
    let title = explanation.and_then(|explanation| summary(explanation, entry));
    let title = title.unwrap_or_else(|| "Not compiled".to_string());
    lens.command = Some(action(&title, "kenaz.explain", vec![json!(uri)]));
    Ok(lens)
}

/// What became of a program on one core.
fn explanation(state: &State, analysis: &Analysis, path: &Path) -> Option<Explanation> {
    if analysis.checked.diagnostics.has_errors() || analysis.is_repaired(analysis.main()) {
        return None;
    }
    let view = View::new(&state.documents);
    let fs: &dyn FileSystem = &view;
    let settings = Settings { check_passes: false, ..Settings::default() };
    let compiler = Compiler::new(fs, &target::C).with(settings);
    let compilation = compiler.to(path, Stage::Memory(Ownership::Settled)).ok()?;
    Some(explain(&compilation))
}

/// In one line.
fn summary(explanation: &Explanation, entry: &str) -> Option<String> {
    let function = explanation.functions.iter().find(|function| function.is_entry && function.name == entry)?;
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let allocated = function.blocks.iter().filter(|block| block.is_allocated).count();
    Some(
        [
            count(function.nests.len(), "loop", "loops"),
            count(allocated, "allocation", "allocations"),
            count(function.copies.len(), "copy", "copies"),
            count(function.checks.len(), "check", "checks"),
        ]
        .join(", "),
    )
}
