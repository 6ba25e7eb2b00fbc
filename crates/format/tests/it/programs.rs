//! Every program of the repository.

use super::{check, formatted};
use std::fs;
use std::path::{Path, PathBuf};

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fut") {
            found.push(path);
        }
    }
}

#[test]
fn programs_of_the_repository_stay_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["tests", "examples", "bench", "crates/sema/prelude", "crates/sema/library"] {
        programs(&root.join(folder), &mut found);
    }
    assert!(found.len() > 1000);
    // Some are no text on purpose.
    let failures: Vec<String> = found
        .iter()
        .filter_map(|path| Some((path, fs::read_to_string(path).ok()?)))
        .filter_map(|(path, text)| check(&path.display().to_string(), &text).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Those whose layout is what they are about, or whose positions stand in expectations: programs with mistakes, cases
/// of the parser, programs of so many lines.
const AS_THEY_ARE: &[&str] = &[
    "tests/errors",
    "tests/parse",
    "tests/copies",
    "tests/place",
    "tests/codegen",
    "tests/strategies",
    "tests/run/syntax",
    "bench/programs",
];

#[test]
fn programs_of_the_repository_are_laid_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut found = Vec::new();
    for folder in ["tests", "examples", "bench"] {
        programs(&root.join(folder), &mut found);
    }
    found.retain(|path| !AS_THEY_ARE.iter().any(|folder| path.starts_with(root.join(folder))));
    assert!(found.len() > 500);
    let others: Vec<String> = found
        .iter()
        .filter(|path| fs::read_to_string(path).is_ok_and(|text| formatted(&text) != text))
        .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
        .collect();
    assert!(others.is_empty(), "`kenaz fmt` lays these out otherwise; run it on them:\n{}", others.join(" "));
}
