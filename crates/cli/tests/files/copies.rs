//! The tests in tests/copies: programs, and what `--warn copies` says about them.
//!
//! The first line says which diagnostics are expected, in order (`-- expect: copy-in-loop`, or `none`), the second may
//! say for which target the program is compiled (`-- target: multicore`); the file `.stderr` next to it is what the
//! user sees. `BLESS=1` rewrites it.

use crate::language::{belongs_to_a_program, expectation, same_ids, shown, snapshot_test};
use crate::{Result, list, read};
use kenaz_base::RealFileSystem;
use kenaz_driver::Compiler;
use kenaz_ir::{Ownership, Stage, Target, target};
use libtest_mimic::Trial;
use std::path::Path;

const FOLDER: &str = "tests/copies";

/// A trial for each file.
pub(crate) fn trials(bless: bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in list(FOLDER, "fut") {
        trials.push(Trial::test(path.display().to_string(), move || test(&path, bless)));
    }
    for path in list(FOLDER, "stderr") {
        trials.push(Trial::test(path.display().to_string(), move || belongs_to_a_program(&path)));
    }
    trials
}

fn test(path: &Path, bless: bool) -> Result {
    let text = read(path)?;
    let name = text.lines().nth(1).and_then(|line| line.strip_prefix("-- target:")).map(str::trim);
    let target = name.map_or(Some(&target::C), Target::from_name).ok_or("there is no such target")?;
    let compilation = Compiler::new(&RealFileSystem, target).to(path, Stage::Memory(Ownership::Settled))?;
    let said = compilation.copies();
    let actual = shown(&compilation.sources, &said);
    let expected = expectation(&text)?.ok_or("the first line must be `-- expect: ID, …` or `-- expect: none`")?;
    let same_snapshot = snapshot_test(&path.with_extension("stderr"), &actual, bless);
    same_ids(&expected, &said, &actual).and(same_snapshot)
}
