//! What diagnostics propose, as changes that an editor makes.

use crate::analysis::{Finding, Place};
use crate::diagnostics::diagnostic;
use crate::state::{Answer, State};
use gen_lsp_types::{CodeAction, CodeActionKind, CodeActionParams, Command, TextEdit, Uri, WorkspaceEdit};
use serde_json::Value;
use std::collections::HashMap;

pub(crate) fn actions(state: &mut State, params: &CodeActionParams) -> Answer<Vec<CodeAction>> {
    let path = crate::uri::path(&params.text_document.uri);
    let analysis = state.analysis(&path);
    let text = analysis.text(analysis.main());
    let (lo, hi) = (text.offset(params.range.start, state.encoding), text.offset(params.range.end, state.encoding));
    let is_here = |finding: &&Finding| finding.at.path == path && finding.at.lo <= hi && lo <= finding.at.hi;
    let mut found = Vec::new();
    let here: Vec<&Finding> = analysis.findings().iter().filter(is_here).collect();
    for finding in &here {
        if let Some(edit) = edit(state, finding) {
            found.push(CodeAction {
                title: title(finding),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: diagnostic(state, finding).map(|diagnostic| vec![diagnostic]),
                is_preferred: Some(true),
                edit: Some(edit),
                ..CodeAction::default()
            });
        }
    }
    let mut ids: Vec<&str> = here.iter().map(|finding| finding.code.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        let title = format!("Explain `{id}`");
        let command = Command {
            title: title.clone(),
            tooltip: None,
            command: "kenaz.explainError".to_string(),
            arguments: Some(vec![Value::from(id)]),
        };
        found.push(CodeAction {
            title,
            kind: Some(CodeActionKind::QuickFix),
            command: Some(command),
            ..CodeAction::default()
        });
    }
    Ok(found)
}

/// In words: the hint that goes with it, or the new text.
fn title(finding: &Finding) -> String {
    match (&finding.hints[..], &finding.fixes[..]) {
        ([hint, ..], _) => {
            let mut letters = hint.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        }
        ([], [(_, text), ..]) if !text.is_empty() => format!("Write `{text}`"),
        _ => "Remove it".to_string(),
    }
}

fn edit(state: &State, finding: &Finding) -> Option<WorkspaceEdit> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (place, text) in &finding.fixes {
        let Place { path, .. } = place;
        let edit = TextEdit { range: state.place_range(place)?, new_text: text.clone() };
        changes.entry(state.documents.uri(path)).or_default().push(edit);
    }
    (!changes.is_empty()).then(|| WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
