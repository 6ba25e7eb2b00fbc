//! `cargo xtask reasons SUITE`: are the programs of the public suite that must be rejected rejected for the right
//! reason?
//!
//! The table tests/conformance/rejects.tsv names for each such program the diagnostic it should get, or several
//! separated by `|` where they are equally right. It was made from the programs, not from what the compiler says.

use crate::step::{cargo, run, step};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TABLE: &str = "tests/conformance/rejects.tsv";

pub(crate) fn reasons(suite: &str) -> Result<()> {
    let table = read_table(&fs::read_to_string(TABLE).context(TABLE)?)?;
    step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    let kenaz = fs::canonicalize(target.join("release/kenaz"))?;

    let (mut first, mut any, mut accepted) = (0, 0, 0);
    let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (program, expected) in &table {
        let ids = errors(&kenaz, &Path::new(suite).join(program))?;
        let is_expected = |id: &String| expected.iter().any(|e| e == id);
        if ids.first().is_some_and(is_expected) {
            first += 1;
        }
        if ids.iter().any(is_expected) {
            any += 1;
            continue;
        }
        accepted += usize::from(ids.is_empty());
        let got = if ids.is_empty() { "accepted".to_string() } else { ids.join(", ") };
        others.entry(expected.join("|")).or_default().push(format!("{program}: {got}"));
    }
    for (expected, programs) in &others {
        println!("{expected}");
        for program in programs {
            println!("  {program}");
        }
    }
    let all = table.len();
    let percent = |n: usize| 100.0 * n as f64 / all.max(1) as f64;
    println!("{first} of {all} ({:.1} %) get the expected diagnostic as their first error", percent(first));
    println!("{any} of {all} ({:.1} %) get it among their errors; {accepted} are accepted", percent(any));
    Ok(())
}

/// Lines `path<TAB>id|id`, sorted by path.
fn read_table(text: &str) -> Result<Vec<(String, Vec<String>)>> {
    let mut table: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let (path, ids) = line.split_once('\t').with_context(|| format!("{TABLE}: no tabulator in `{line}`"))?;
        if table.last().is_some_and(|(last, _)| last.as_str() >= path) {
            bail!("{TABLE}: `{path}` is not in order");
        }
        table.push((path.to_string(), ids.split('|').map(str::to_string).collect()));
    }
    Ok(table)
}

/// The ids of the errors in a program, in the order in which they are printed.
fn errors(kenaz: &Path, program: &Path) -> Result<Vec<String>> {
    let (Some(folder), Some(name)) = (program.parent(), program.file_name()) else { bail!("{}", program.display()) };
    let mut command = Command::new(kenaz);
    command.current_dir(folder).args(["check", "-w", "--output", "concise"]).arg(name).stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start {}", kenaz.display()))?;
    Ok(ids(&String::from_utf8_lossy(&output.stdout)))
}

/// From lines `path:line:column: error[id]: message`.
fn ids(concise: &str) -> Vec<String> {
    let id = |line: &str| Some(line.split_once(": error[")?.1.split_once(']')?.0.to_string());
    concise.lines().filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found() {
        let text =
            "a.fut:1:2: error[unknown-name]: no `x: error[y]`\na.fut:1:2: warning[no-effect]: x\nerror[bug]: z\n";
        assert_eq!(ids(text), ["unknown-name"]);
    }

    #[test]
    fn the_table_is_well_formed() {
        let table = read_table(include_str!("../../tests/conformance/rejects.tsv")).unwrap();
        assert!(table.len() > 300);
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
        for (program, ids) in table {
            for id in ids {
                assert!(pages.join(format!("{id}.md")).is_file(), "{program}: there is no diagnostic `{id}`");
            }
        }
        assert!(read_table("b.fut\tbug\na.fut\tbug\n").is_err());
    }
}
