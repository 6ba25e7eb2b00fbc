//! `kenaz explain-error`: the page of docs/errors about a diagnostic, or the line of docs/decisions.md on a decision.

use crate::{Outcome, output};
use kenaz_base::{Code, similar};
use kenaz_ir::DecisionKind;
use std::fmt::Write;

/// Explain an error or warning, with an example and its remedy, or a decision of the compiler
#[derive(clap::Args)]
pub struct Args {
    /// The id, as in `error[ID]`, or what `kenaz ir --decisions` says; without it, all ids are listed
    id: Option<String>,
}

/// The pages by id.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

pub fn run(args: &Args) -> Outcome {
    let answer = match &args.id {
        None => Ok(list()),
        // People copy the id with what stands around it.
        Some(id) => explain(
            id.trim_start_matches("error").trim_start_matches("warning").trim_matches(['[', ']', ':', ' ', '`']),
        ),
    };
    match answer {
        Ok(text) => output::to_stdout(&text).map_or_else(|failure| failure, |()| Outcome::Right),
        Err(text) => output::to_stderr(&text).map_or(Outcome::Failure, |()| Outcome::Mistake),
    }
}

/// All ids with their summaries, those of decisions last.
fn list() -> String {
    let width = ids().map(str::len).max().unwrap_or(0);
    let mut out = String::new();
    for code in Code::ALL {
        let _ = writeln!(out, "{code:width$}  {}", code.summary());
    }
    out.push_str("\nDecisions of the compiler, see `kenaz ir --decisions`:\n");
    for kind in DecisionKind::ALL {
        let _ = writeln!(out, "{:width$}  {}", kind.id(), kind.about());
    }
    out
}

fn ids() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.id()).chain(DecisionKind::ALL.iter().map(|kind| kind.id()))
}

/// The page, or what to say when there is none.
fn explain(id: &str) -> Result<String, String> {
    if let Some(code) = Code::from_id(id) {
        return Ok(page(id).map_or_else(|| format!("# {id}\n\n{}\n", code.summary()), str::to_string));
    }
    // Decisions are printed as words.
    if let Some(kind) = DecisionKind::from_id(&id.replace(' ', "-")) {
        return Ok(format!("# {}\n\n{}\n", kind.id(), kind.about()));
    }
    let mut message = format!("error: there is no diagnostic `{id}`\n");
    for candidate in similar(id, ids()) {
        let _ = writeln!(message, "help: did you mean `{candidate}`?");
    }
    message.push_str("help: `kenaz explain-error` lists all ids\n");
    Err(message)
}

/// The text of the page about an id.
pub fn page(id: &str) -> Option<&'static str> {
    PAGES.iter().find(|(page, _)| *page == id).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_explained() {
        for code in Code::ALL {
            assert!(explain(code.id()).is_ok_and(|text| text.contains(code.id())), "{code}");
        }
        for kind in DecisionKind::ALL {
            assert!(explain(&kind.to_string()).is_ok_and(|text| text.contains(kind.id())), "{kind}");
        }
        assert_eq!(list().lines().count(), Code::ALL.len() + DecisionKind::ALL.len() + 2);
    }

    #[test]
    fn unknown_ids_get_suggestions() {
        let message = explain("size-missmatch").unwrap_err();
        assert!(message.contains("did you mean `size-mismatch`?"), "{message}");
    }
}
