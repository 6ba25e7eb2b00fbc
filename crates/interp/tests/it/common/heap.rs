//! Runs programs that are given as text by heap.

use kenaz_interp::RunError;
use kenaz_interp::heap::{self, Options};
use kenaz_runtime::{Reader, Value};

/// Values from text.
pub(crate) fn args(text: &str) -> Vec<Value> {
    Reader::new(text.as_bytes()).rest().unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// What the function `main` gives, as text, one result after the other.
pub(crate) fn with(text: &str, input: &str, options: Options) -> Result<String, RunError> {
    let prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let values = heap::run(&prog, "main", args(input), options)?;
    Ok(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// The same of a program that does nothing wrong.
pub(crate) fn results(text: &str, input: &str) -> String {
    with(text, input, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}
