//! The programs of tests/run and examples, each with the cases of its test block: the checker of the array stage must
//! accept it, and it must give what is expected, as it is and once more after it was printed and parsed.
//!
//! Programs in tests/run/known-failures.txt must fail. Programs without a test block are for others to import.

use crate::Result;
use kenaz_runtime::Tolerance;
use kenaz_testing::executors::Interpreter;
use kenaz_testing::{Options, Verdict, find_programs, run};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "tests/run";
const EXAMPLES: &str = "examples";
const KNOWN: &str = "tests/run/known-failures.txt";

/// A trial for each program.
pub(crate) fn trials() -> Vec<Trial> {
    let mut programs = find_programs(Path::new(FOLDER)).expect("the folder is there");
    programs.extend(find_programs(Path::new(EXAMPLES)).expect("the folder is there"));
    let mut known = known_failures(&fs::read_to_string(KNOWN).expect("the list is there"));
    let mut trials = Vec::new();
    for path in programs {
        let name = path.display().to_string();
        let reason = known.remove(&path);
        trials.push(Trial::test(name, move || match (test(&path), reason) {
            (result, None) => result,
            (Err(_), Some(_)) => Ok(()),
            (Ok(()), Some(reason)) => Err(format!("it passes now: remove it from {KNOWN} ({reason})").into()),
        }));
    }
    for (path, _) in known {
        trials.push(Trial::test(format!("{KNOWN}: {}", path.display()), || Err("there is no such program".into())));
    }
    trials
}

fn known_failures(text: &str) -> BTreeMap<PathBuf, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let entry = |line: &str| {
        let (path, reason) = line.split_once(": ").unwrap_or_else(|| panic!("{KNOWN}: no reason in `{line}`"));
        (Path::new(FOLDER).join(path), reason.to_string())
    };
    lines.map(entry).collect()
}

fn test(path: &Path) -> Result {
    let options = Options {
        executor: &Interpreter { verify: true, ..Interpreter::default() },
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    let report = run(&[path.to_path_buf()], &options);
    if report.failed() > 0 {
        return Err(report.to_string().into());
    }
    // Nothing here is for other executors only.
    for result in &report.results {
        if let (Verdict::Skipped(reason), Some((entry, case))) = (&result.verdict, &result.case) {
            return Err(format!("entry {entry}, dataset {case} was skipped: {reason}").into());
        }
    }
    Ok(())
}
