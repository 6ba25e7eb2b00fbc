//! Entry points: what they are called, what they take and give, and what is said when one fails.

use crate::Compilation;
use kenaz_interp::{RunError, check_arguments};
use kenaz_ir::{Entry, EntryKind, EntryParam, Fun, Param, Prog, Signature, Type};
use kenaz_runtime::{EntryPoint, EntryType, ParamType, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The function of an entry point.
pub fn function(entry: &str) -> String {
    format!("entry_{entry}")
}

/// The entry points of a program, in its order.
pub fn entry_points(prog: &Prog) -> Vec<EntryPoint> {
    let point = |(fun, entry): (&Fun, &Entry)| EntryPoint {
        name: name(fun).to_string(),
        parameters: types(&entry.params),
        results: types(&entry.results),
    };
    described(prog).map(point).collect()
}

/// How the results of each entry point are made of their parts.
pub fn result_types(prog: &Prog) -> BTreeMap<String, Vec<Arc<kenaz_ir::EntryType>>> {
    let types = |entry: &Entry| entry.results.iter().map(|result| result.ty.clone()).collect();
    described(prog).map(|(fun, entry)| (name(fun).to_string(), types(entry))).collect()
}

/// The functions of entry points, and how they look from outside.
pub(crate) fn described(prog: &Prog) -> impl Iterator<Item = (&Fun, &Entry)> {
    prog.funs.iter().filter_map(|fun| Some((fun, fun.entry.as_ref()?)))
}

/// What the entry point of a function is called.
pub(crate) fn name(fun: &Fun) -> &str {
    fun.name.as_str().strip_prefix("entry_").unwrap_or(fun.name.as_str())
}

fn types(described: &[EntryParam]) -> Vec<EntryType> {
    let ty = |described: &EntryParam| EntryType {
        name: described.ty.name.to_string(),
        parts: described.ty.parts().iter().map(|part| ParamType { rank: part.rank, prim: part.prim }).collect(),
        names: described.ty.part_names(),
        transparent: matches!(described.ty.kind, EntryKind::Plain(_)),
    };
    described.iter().map(ty).collect()
}

/// What the user reads when a program failed: why, where, and from where that was called.
pub fn message(error: &RunError) -> String {
    let mut text = format!("Error: {}\n", error.message);
    if !error.trace.is_empty() {
        text.push_str("\nBacktrace:\n");
        for (i, place) in error.trace.iter().enumerate() {
            let arrow = if i == 0 { "-> " } else { "   " };
            let _ = writeln!(text, "{arrow}#{i}  {place}");
        }
    }
    text
}

/// Why an entry point cannot be called with some values.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentsError {
    /// It is not there, or not what it says: our own fault.
    #[error("{0}")]
    Broken(String),
    /// They are too few or too many, or their shapes do not fit each other.
    #[error("{}", .0.message)]
    Shapes(RunError),
}

impl Compilation {
    /// The entry points of the program, in its order.
    pub fn entry_points(&self) -> Vec<EntryPoint> {
        entry_points(&self.prog)
    }

    /// Whether there are as many arguments as an entry point takes, and their shapes fit each other as far as its
    /// signature says. A compiled program checks this as well, but cannot say that it is the user's mistake.
    pub fn check_arguments(&self, entry: &str, values: &[Value]) -> Result<(), ArgumentsError> {
        let found = described(&self.prog).find(|(fun, _)| fun.name.as_str() == function(entry));
        let Some((Fun { params, results, .. }, described)) = found else {
            return Err(ArgumentsError::Broken(no_function(entry)));
        };
        let of_values = |params: &[Param]| -> Vec<Param> {
            params.iter().filter(|param| !matches!(param.ty, Type::Mem(_))).cloned().collect()
        };
        let signature = Signature::of(Some(described), &of_values(params), &of_values(results))
            .map_err(|mismatch| ArgumentsError::Broken(format!("the entry point is not what it says: {mismatch}")))?;
        check_arguments(described, &signature, values).map_err(ArgumentsError::Shapes)
    }
}

pub(crate) fn no_function(entry: &str) -> String {
    format!("the program has no function for the entry point `{entry}`")
}
