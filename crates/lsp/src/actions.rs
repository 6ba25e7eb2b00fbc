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
        } else if let Some(name) = proposed(finding, text.as_str()) {
            let edit =
                TextEdit { range: text.range(finding.at.lo, finding.at.hi, state.encoding), new_text: name.clone() };
            let changes = HashMap::from([(params.text_document.uri.clone(), vec![edit])]);
            found.push(CodeAction {
                title: format!("Change to `{name}`"),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: diagnostic(state, finding).map(|diagnostic| vec![diagnostic]),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
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

/// The name that a hint proposes instead of the one at the place of the diagnostic.
fn proposed(finding: &Finding, text: &str) -> Option<String> {
    let name = |hint: &String| {
        let starts = ["did you mean `", "remove it, or call it `", "call it `"];
        let rest = starts.iter().find_map(|start| hint.strip_prefix(start))?;
        let name = rest.strip_suffix("`?").or_else(|| rest.strip_suffix('`'))?;
        (!name.is_empty() && !name.contains(['`', ' '])).then(|| name.to_string())
    };
    let name = finding.hints.iter().find_map(name)?;
    let old = text.get(finding.at.lo as usize..finding.at.hi as usize)?;
    let is_name = !old.is_empty() && old.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'\'');
    // The module in front stays where it is.
    let before = &text[..finding.at.lo as usize];
    let own = match name.rfind('.') {
        Some(dot) if before.ends_with(&name[..=dot]) => name[dot + 1..].to_string(),
        Some(_) if before.ends_with('.') => return None,
        _ => name,
    };
    is_name.then_some(own)
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
