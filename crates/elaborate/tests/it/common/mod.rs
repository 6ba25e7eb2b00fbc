//! Programs from text: their first-order core, and what they give.

use kenaz_base::{Code, MemoryFileSystem, Severity, Span, render};
use kenaz_elaborate::core::CoreProg;
use kenaz_elaborate::core::check::{check, check_first_order};
use kenaz_elaborate::{defunctionalise::defunctionalise, elaborate, translate::Translate};
use kenaz_interp::{Environment, Options, RunError, compile};
use kenaz_runtime::{Reader, Value};
use kenaz_sema::Checked;
use std::path::Path;

fn sema(source: &str) -> Checked {
    kenaz_sema::check_file(Path::new("main.fut"), &MemoryFileSystem::new().with("main.fut", source))
}

#[track_caller]
fn accepted(source: &str) -> Checked {
    let checked = sema(source);
    let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
    assert!(errors.is_empty(), "{}{source}", render::concise(&checked.sources, &errors));
    checked
}

/// The codes of the errors that the checker has for a program.
pub(crate) fn errors(source: &str) -> Vec<Code> {
    let checked = sema(source);
    checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect()
}

/// A program after defunctionalisation, which keeps all rules.
#[track_caller]
pub(crate) fn first_order(source: &str) -> CoreProg {
    let checked = accepted(source);
    let mut translate = Translate::new(&checked);
    translate.entry_points().unwrap_or_else(|d| panic!("{}\n{source}", d.message));
    check(&translate.prog).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let place = Span::new(checked.main, 0, 0);
    let prog = defunctionalise(&translate.prog, place).unwrap_or_else(|d| panic!("{}\n{source}", d.message));
    check_first_order(&prog).unwrap_or_else(|e| panic!("{e}\n{}", prog.text()));
    prog
}

/// The text of a program after defunctionalisation, without the numbers of names.
#[track_caller]
pub(crate) fn residual(source: &str) -> String {
    without_numbers(&first_order(source).text())
}

/// Checks the text of a program after defunctionalisation, but for an entry point that only passes its arguments on.
#[track_caller]
pub(crate) fn check_residual(source: &str, expected: &str) {
    let text = residual(source);
    let lines = |text: &str| text.trim().lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
    let (mut found, expected) = (lines(&text), lines(expected));
    let entry = found.iter().rposition(|line| line.starts_with("def "));
    if let Some(at) = entry.filter(|at| *at > 0 && found.len() > expected.len()) {
        found.truncate(at - 1);
    }
    assert_eq!(found, expected, "\n{text}");
}

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('_') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(&rest[..at]);
        if digits == 0 {
            out.push('_');
        }
        rest = &rest[at + 1 + digits..];
    }
    out + rest
}

/// The array-stage program, checked.
#[track_caller]
pub(crate) fn lowered(source: &str) -> kenaz_ir::Prog {
    let checked = accepted(source);
    let prog = elaborate(&checked).unwrap_or_else(|d| panic!("{}\n{source}", d.message));
    kenaz_ir::check::array(&prog).unwrap_or_else(|e| panic!("{e}\n{source}\n{prog}"));
    prog
}

/// The number of statements of a program.
#[track_caller]
pub(crate) fn statements(source: &str) -> usize {
    let text = lowered(source).to_string();
    text.lines().filter(|line| line.trim_start().starts_with("let ")).count()
}

#[track_caller]
pub(crate) fn run_entry(source: &str, entry: &str, input: &str) -> Result<Vec<Value>, RunError> {
    let args = Reader::new(input.as_bytes()).rest().unwrap();
    compile(&lowered(source), Options::default()).run_entry(
        &format!("entry_{entry}"),
        args,
        &mut Environment::default(),
    )
}

/// What the entry point `main` gives for these values, as text.
#[track_caller]
pub(crate) fn run(source: &str, input: &str) -> String {
    let values = run_entry(source, "main", input).unwrap_or_else(|e| panic!("{e}\n{source}"));
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Checks what `main` gives for each input.
#[track_caller]
pub(crate) fn gives(source: &str, cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        assert_eq!(run(source, input), *expected, "for {input}:\n{source}");
    }
}

/// The message with which `main` fails.
#[track_caller]
pub(crate) fn fails(source: &str, input: &str) -> String {
    match run_entry(source, "main", input) {
        Ok(values) => panic!("{values:?}\n{source}"),
        Err(error) => error.to_string(),
    }
}
