//! Diagnostics for programs: one JSON object per line.

use super::{bounds, file_of, severity};
use crate::{Diagnostic, SourceFile, SourceMap, Span};
use serde::Serialize;

/// One object per diagnostic, each on its own line. docs/json.md describes the fields, which stay as they are.
pub fn json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let message = Message {
            id: diagnostic.code.id(),
            severity: severity(diagnostic.severity),
            message: &diagnostic.message,
            place: Place::new(sources, diagnostic.primary.span),
            label: &diagnostic.primary.text,
            causes: diagnostic
                .causes
                .iter()
                .map(|label| Cause { place: Place::new(sources, label.span), text: &label.text })
                .collect(),
            notes: &diagnostic.notes,
            hints: &diagnostic.hints,
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| Cause { place: Place::new(sources, fix.span), text: &fix.text })
                .collect(),
        };
        out.push_str(&serde_json::to_string(&message).expect("strings and numbers are always JSON"));
        out.push('\n');
    }
    out
}

#[derive(Serialize)]
struct Message<'a> {
    id: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
    label: &'a str,
    causes: Vec<Cause<'a>>,
    notes: &'a [String],
    hints: &'a [String],
    fixes: Vec<Cause<'a>>,
}

#[derive(Serialize)]
struct Cause<'a> {
    #[serde(flatten)]
    place: Option<Place>,
    text: &'a str,
}

/// Absent when there is no such file.
#[derive(Serialize)]
struct Place {
    file: String,
    start: Position,
    end: Position,
}

/// Lines and columns count from 1, columns in characters; offsets count bytes from 0.
#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
    offset: u32,
}

impl Place {
    fn new(sources: &SourceMap, span: Span) -> Option<Place> {
        let file = file_of(sources, span)?;
        let (lo, hi) = bounds(file, span);
        let path = file.path().to_string_lossy().into_owned();
        Some(Place { file: path, start: Position::new(file, lo), end: Position::new(file, hi) })
    }
}

impl Position {
    fn new(file: &SourceFile, offset: u32) -> Position {
        let (line, column) = file.line_col(offset);
        Position { line, column, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn has_everything() {
        let mut sources = SourceMap::new();
        let file = sources.add("p.fut", "def å =\n  b\n".to_string());
        let diagnostic = Diagnostic::error(Code::UnknownName, Span::new(file, 11, 12), "No \"b\".")
            .label("here")
            .cause(Span::new(file, 4, 6), "in this")
            .note("A fact.")
            .hint("Do this.")
            .fix(Span::new(file, 11, 12), "c");
        let text = json(&sources, &[diagnostic]);
        assert_eq!(
            text,
            concat!(
                r#"{"id":"unknown-name","severity":"error","message":"No \"b\".","file":"p.fut","#,
                r#""start":{"line":2,"column":3,"offset":11},"end":{"line":2,"column":4,"offset":12},"label":"here","#,
                r#""causes":[{"file":"p.fut","start":{"line":1,"column":5,"offset":4},"end":{"line":1,"column":6,"offset":6},"#,
                r#""text":"in this"}],"notes":["A fact."],"hints":["Do this."],"fixes":[{"file":"p.fut","#,
                r#""start":{"line":2,"column":3,"offset":11},"end":{"line":2,"column":4,"offset":12},"text":"c"}]}"#,
                "\n"
            )
        );
    }
}
