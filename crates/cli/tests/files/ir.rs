//! The cases in tests/ir: programs in IR text, and what passes, the checkers and the interpreters make of them.
//!
//! A file holds several cases, each of which is a test called `ir/FOLDER/FILE/TITLE`:
//!
//! ```text
//! -- A sentence about the cases of this file, and directives for all of them.
//! -- input: {0, 1, 5}
//!
//! ==== what must hold
//! -- fires: copy-of-dead 1
//! fun main (n_1: i64) : (i64) = { … }
//! ----
//! fun main (n_1: i64) : (i64) = { … }
//! ```
//!
//! Above the line is the program, below it what the pass makes of it, up to the choice of names. Without that part the
//! program must stay as it is. A comment in front of the program that begins with a lower-case word and a colon is a
//! directive; [`case::Directives`] lists them. Whatever the directives are, the runner checks this:
//!
//! - The checker of the stage accepts the program before and after each pass, and its text can be read again.
//! - The same holds after any number of rewrites, and the program still gives the same results on the inputs.
//!
//! `BLESS=1` rewrites what is below the line and nothing else: directives say what must hold.

mod case;
mod diff;
mod inputs;
mod passes;
mod stages;

use crate::{Result, list, read};
use case::{Case, File};
use kenaz_ir::check::Rule;
use kenaz_optimise::simplify;
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FOLDER: &str = "tests/ir";

/// A trial for each case, and some for all of them.
pub(crate) fn trials(bless: bool) -> Vec<Trial> {
    let mut trials = case::harness_trials();
    trials.extend(diff::harness_trials());
    trials.extend(inputs::harness_trials());
    trials.extend(passes::harness_trials());
    let mut files = Vec::new();
    for path in paths() {
        let text = read(&path).map_err(|error| error.to_string());
        match text.and_then(|text| File::parse(&path, &text)) {
            Ok(file) => files.push(file),
            Err(error) => trials.push(Trial::test(path.display().to_string(), move || Err(error.into()))),
        }
    }
    let files = Arc::new(files);
    for file in files.iter() {
        for case in &file.cases {
            let (case, path) = (case.clone(), file.path.clone());
            trials.push(Trial::test(case.name.clone(), move || test(&path, &case, bless)));
        }
    }
    let all = [
        ("every rule of the checker is broken", every_checker_rule as fn(&[File]) -> Result),
        ("every rule of the simplifier is used", every_simplifier_rule),
        ("rules that must not be used exist", rules_exist),
    ];
    for (name, test) in all {
        let files = Arc::clone(&files);
        trials.push(Trial::test(format!("ir/{name}"), move || test(&files)));
    }
    trials
}

fn paths() -> Vec<PathBuf> {
    let entries = fs::read_dir(FOLDER).expect("the folder of the cases is there");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    folders.sort();
    folders.iter().flat_map(|folder| list(folder, "ir")).collect()
}

/// What a case found out.
#[derive(Default)]
struct Found {
    /// The program afterwards, if there is one.
    text: Option<String>,
    /// The directives that do not hold.
    complaints: Vec<String>,
}

fn test(path: &Path, case: &Case, bless: bool) -> Result {
    let found = match case.kind() {
        case::Kind::Check => stages::check(case),
        case::Kind::Interpret => stages::interpret(case),
        case::Kind::Passes => passes::run(case),
    };
    let place = format!("{}:{}", path.display(), case.line);
    let Found { text, mut complaints } = found.map_err(|message| format!("{place}: {message}"))?;
    if let Some(found) = text {
        let expected = case.expected()?;
        match diff::programs(&expected, &found) {
            Some(_) if bless => case::bless(path, case, &found)?,
            Some(difference) => {
                complaints.push(format!("the program is another one (BLESS=1 writes it)\n{difference}"))
            }
            None => {}
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{place}: {}", complaints.join("\n")).into()) }
}

fn cases<'f>(files: &'f [File], folder: &'f str) -> impl Iterator<Item = &'f Case> {
    files.iter().flat_map(|file| &file.cases).filter(move |case| case.folder == folder)
}

fn every_checker_rule(files: &[File]) -> Result {
    let mut broken: BTreeSet<&str> =
        cases(files, "check").filter_map(|case| Some(case.directives.error.as_ref()?.rule.as_str())).collect();
    // Two types of one name cannot be written: see `names_of_entry_types` in the tests of `ir`.
    broken.insert(Rule::EntryTypeOnce.id());
    // This one is about what a pass does: see `pins` in the tests of `ir`.
    broken.insert(Rule::Pin.id());
    let missing = Rule::ALL.iter().filter(|rule| !broken.contains(rule.id())).map(|rule| rule.id());
    none("no case breaks", missing)
}

fn simplifier_rules() -> impl Iterator<Item = &'static str> {
    let book = simplify::RULES.iter().flat_map(|rules| rules.iter()).map(|rule| rule.name);
    book.chain(simplify::OTHERS.iter().copied())
}

fn every_simplifier_rule(files: &[File]) -> Result {
    let used: BTreeSet<&str> = cases(files, "simplify").flat_map(Case::fired).collect();
    none("no case in tests/ir/simplify uses", simplifier_rules().filter(|rule| !used.contains(rule)))
}

/// A rule that some case names in `not` must be one that another case uses, or the name may be misspelt.
fn rules_exist(files: &[File]) -> Result {
    let all = || files.iter().flat_map(|file| &file.cases);
    let used: BTreeSet<&str> = all().flat_map(Case::fired).collect();
    none("no case uses", all().flat_map(|case| &case.directives.not).map(String::as_str).filter(|r| !used.contains(r)))
}

fn none<'a>(what: &str, rules: impl Iterator<Item = &'a str>) -> Result {
    let rules: Vec<&str> = rules.collect();
    if rules.is_empty() { Ok(()) } else { Err(format!("{what}: {}", rules.join(", ")).into()) }
}
