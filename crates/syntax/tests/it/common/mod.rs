//! One function per kind of test.

use kenaz_base::{Diagnostic, Diagnostics, SourceMap};
use kenaz_syntax::ast::{Ast, File};
use kenaz_syntax::{dump, parse_expr, parse_file};

pub(crate) struct Outcome {
    pub ast: Ast,
    pub file: File,
    pub map: SourceMap,
    pub errors: Vec<Diagnostic>,
}

pub(crate) fn parse(text: &str) -> Outcome {
    let (mut ast, mut diagnostics, mut map) = (Ast::default(), Diagnostics::new(), SourceMap::new());
    let id = map.add("t.fut", text.to_string());
    let file = parse_file(&mut ast, id, text, &mut diagnostics);
    Outcome { ast, file, map, errors: diagnostics.into_sorted() }
}

/// The tree of a file without errors.
pub(crate) fn file(text: &str) -> String {
    let outcome = parse(text);
    assert!(outcome.errors.is_empty(), "{text}\n{:#?}", outcome.errors);
    dump::file(&outcome.ast, &outcome.file).trim_end().to_string()
}

/// The tree of an expression without errors.
pub(crate) fn expr(text: &str) -> String {
    let (mut ast, mut diagnostics, mut map) = (Ast::default(), Diagnostics::new(), SourceMap::new());
    let id = map.add("t.fut", text.to_string());
    let e = parse_expr(&mut ast, id, text, &mut diagnostics);
    let errors = diagnostics.into_sorted();
    assert!(errors.is_empty(), "{text}\n{errors:#?}");
    dump::expr(&ast, e)
}

/// `line:column code message` for each error of a file.
pub(crate) fn errors(text: &str) -> Vec<String> {
    let outcome = parse(text);
    let show = |d: &Diagnostic| {
        let (line, column) = outcome.map.file(d.primary.span.file).line_col(d.primary.span.lo);
        format!("{line}:{column} {} {}", d.code, d.message)
    };
    outcome.errors.iter().map(show).collect()
}

/// `line:column code` for each error of a file.
pub(crate) fn codes(text: &str) -> Vec<String> {
    errors(text).iter().map(|e| e.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
}

/// Each line is an expression, ` => `, and its tree.
pub(crate) fn check_exprs(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (text, tree) = line.split_once(" => ").unwrap_or_else(|| panic!("no ` => ` in {line}"));
        assert_eq!(expr(text), tree, "{text}");
    }
}

/// Each line is a file of one line, ` => `, and its tree.
pub(crate) fn check_files(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (text, tree) = line.split_once(" => ").unwrap_or_else(|| panic!("no ` => ` in {line}"));
        assert_eq!(file(text), tree, "{text}");
    }
}

/// Each line is a declaration or an expression that is rejected with exactly one error.
pub(crate) fn check_rejected(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let starts = ["def ", "entry ", "type ", "type^ ", "module ", "open ", "import ", "local ", "#[a] def "];
        let text =
            if starts.iter().any(|s| line.starts_with(s)) { line.to_string() } else { format!("def x = {line}") };
        assert_eq!(codes(&text).len(), 1, "{text}\n{:#?}", errors(&text));
    }
}
