//! Runs programs that are given as text by heap.

use kenaz_interp::heap::{self, Options};
use kenaz_interp::{Kind, Rule, RunError};
use kenaz_runtime::{Reader, Value};

/// Values from text.
pub fn args(text: &str) -> Vec<Value> {
    Reader::new(text.as_bytes()).rest().unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// What a function gives, as text, one result after the other.
pub fn heap(text: &str, fun: &str, input: &str, options: Options) -> Result<String, RunError> {
    let prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let values = heap::run(&prog, fun, args(input), options)?;
    Ok(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// The same of the function `main`.
pub fn with(text: &str, input: &str, options: Options) -> Result<String, RunError> {
    heap(text, "main", input, options)
}

/// The same of a program that does nothing wrong.
pub fn results(text: &str, input: &str) -> String {
    with(text, input, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The rule that a program breaks, and the message.
pub fn broken(text: &str, input: &str, options: Options) -> (Rule, String) {
    match with(text, input, options) {
        Err(RunError { kind: Kind::Memory(rule), message, .. }) => (rule, message),
        other => panic!("{other:?}\n{text}"),
    }
}
