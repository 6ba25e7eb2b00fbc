//! `kenaz run`: a program on the values on standard input.

use crate::{Outcome, output, program};
use kenaz_interp::{Environment, Kind, Options, compile};
use kenaz_ir::{EntryParam, Param, Prog, Type};
use kenaz_runtime::{ParamType, Reader, Value};
use std::fmt::Write;
use std::io;
use std::path::PathBuf;

/// Run a program on the values on standard input
#[derive(clap::Args)]
pub struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The entry point to run
    #[arg(short, long, default_value = "main")]
    entry_point: String,

    /// Interpret the program (there is no other way yet)
    #[arg(long)]
    interpret: bool,

    /// Do not print warnings
    #[arg(short = 'w', long)]
    no_warnings: bool,
}

pub fn run(args: &Args) -> Outcome {
    let prog = match program::load(&args.file, !args.no_warnings) {
        Ok(prog) => prog,
        Err(outcome) => return outcome,
    };
    let name = format!("entry_{}", args.entry_point);
    let Some(fun) = prog.funs.iter().find(|f| f.entry.is_some() && f.name.as_str() == name) else {
        return mistake(&no_entry(&prog, &args.entry_point));
    };
    let Some(entry) = &fun.entry else { return Outcome::Fault };
    let values = match read(&fun.params, &entry.params) {
        Ok(values) => values,
        Err(message) => return mistake(&message),
    };
    let compiled = compile(&prog, Options::default());
    match compiled.run_entry(&name, values, &mut Environment::default()) {
        Ok(results) => {
            let text: String = results.iter().map(|v| format!("{v}\n")).collect();
            if output::to_stdout(&text).is_err() { Outcome::Failure } else { Outcome::Right }
        }
        Err(error) => {
            let mut text = format!("Error: {}\n", error.message);
            if !error.trace.is_empty() {
                text.push_str("\nBacktrace:\n");
                for (i, place) in error.trace.iter().enumerate() {
                    let arrow = if i == 0 { "-> " } else { "   " };
                    let _ = writeln!(text, "{arrow}#{i}  {place}");
                }
            }
            let _ = output::to_stderr(&text);
            match error.kind {
                Kind::Arguments => Outcome::Mistake,
                Kind::Limitation | Kind::Fault => Outcome::Fault,
                Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Interrupted => Outcome::Failure,
            }
        }
    }
}

/// Reads the values of an entry point's parameters.
fn read(params: &[Param], described: &[EntryParam]) -> Result<Vec<Value>, String> {
    let mut reader = Reader::new(io::stdin().lock());
    let wanted: usize = described.iter().map(|p| p.parts as usize).sum();
    let hidden = params.len() - wanted.min(params.len());
    // Sizes of arrays come before the arrays that have them and are not read.
    let mut left = hidden;
    let mut shown = params.iter().filter(|p| {
        let is_size = params.iter().any(|q| q.ty.dims().iter().any(|d| d.name() == Some(p.name)));
        let skip = left > 0 && is_size;
        left -= usize::from(skip);
        !skip
    });
    let mut values = Vec::new();
    for (i, param) in described.iter().enumerate() {
        for _ in 0..param.parts {
            let Some(leaf) = shown.next() else {
                return Err("the entry point has fewer parameters than it says".into());
            };
            let (rank, prim) = match &leaf.ty {
                Type::Prim(p) => (0, *p),
                Type::Array(dims, p) => (dims.len(), *p),
                Type::Cert | Type::Acc { .. } => return Err("the entry point takes something that is no value".into()),
            };
            let value = reader.next_of(ParamType { rank, prim });
            values.push(value.map_err(|e| format!("argument {} (`{}`: {}): {e}", i + 1, param.name, param.ty))?);
        }
    }
    reader.finish().map_err(|e| format!("after the last argument: {e}"))?;
    Ok(values)
}

fn no_entry(prog: &Prog, wanted: &str) -> String {
    let names: Vec<&str> =
        prog.funs.iter().filter(|f| f.entry.is_some()).map(|f| f.name.as_str().trim_start_matches("entry_")).collect();
    let hint = match kenaz_base::similar(wanted, names.iter().copied()).first() {
        Some(name) => format!("; did you mean `{name}`?"),
        None if names.is_empty() => "; the program has none".to_string(),
        None => format!("; there are: {}", names.join(", ")),
    };
    format!("there is no entry point `{wanted}`{hint}")
}

fn mistake(message: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: {message}\n"));
    Outcome::Mistake
}
