//! Documents in the usual layout, as `kenaz fmt` has them.

use crate::state::{Answer, Failure, State};
use crate::text::Text;
use gen_lsp_types::{DocumentFormattingParams, DocumentRangeFormattingParams, TextEdit, Uri};
use kenaz_base::source::first_file;
use kenaz_format::Refusal;

pub(crate) fn document(state: &mut State, params: &DocumentFormattingParams) -> Answer<Vec<TextEdit>> {
    laid_out(state, &params.text_document.uri, |text| kenaz_format::format(first_file(), text.as_str()))
}

pub(crate) fn range(state: &mut State, params: &DocumentRangeFormattingParams) -> Answer<Vec<TextEdit>> {
    let (first, last) = (params.range.start, params.range.end);
    // A range that ends where a line starts does not hold that line.
    let last_line = if last.character == 0 && last.line > first.line { last.line - 1 } else { last.line };
    let lines = first.line as usize + 1..=last_line as usize + 1;
    laid_out(state, &params.text_document.uri, |text| {
        kenaz_format::format_lines(first_file(), text.as_str(), lines.clone())
    })
}

fn laid_out(state: &State, uri: &Uri, format: impl FnOnce(&Text) -> Result<String, Refusal>) -> Answer<Vec<TextEdit>> {
    let path = crate::uri::path(uri);
    let Some(text) = state.documents.text(&path) else {
        return Err(Failure::Invalid(format!("there is no document `{}`", uri.0)));
    };
    match format(&text) {
        Ok(after) => Ok(edits(state, &text, &after)),
        Err(Refusal::Rejected(diagnostics)) => {
            let why = diagnostics.first().map_or("", |diagnostic| diagnostic.message.as_str());
            Err(Failure::Refused(format!("a file with errors in its syntax is left as it is: {why}")))
        }
        Err(Refusal::Fault(difference)) => {
            Err(Failure::Refused(format!("internal error: the layout would change the program: {difference}")))
        }
    }
}

/// The change from one text to another, without what they have in common at both ends.
fn edits(state: &State, before: &Text, after: &str) -> Vec<TextEdit> {
    let old = before.as_str();
    if old == after {
        return Vec::new();
    }
    let same = old.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    // Whole lines: an editor keeps its cursor and marks in the others.
    let start = old[..old.floor_char_boundary(same)].rfind('\n').map_or(0, |at| at + 1);
    let (old_rest, new_rest) = (&old[start..], &after[start..]);
    let same = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    let end = old_rest.ceil_char_boundary(old_rest.len() - same);
    let end = old_rest[end..].find('\n').map_or(old_rest.len(), |at| end + at + 1);
    let kept = old_rest.len() - end;
    let range = before.range(start as u32, (start + end) as u32, state.encoding);
    vec![TextEdit { range, new_text: new_rest[..new_rest.len() - kept].to_string() }]
}
