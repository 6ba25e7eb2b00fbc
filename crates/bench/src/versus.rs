//! Times through the script that has both compilers take turns.

use crate::process;
use crate::program::Program;
use crate::session::{Session, flags};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The microseconds of ours and the peer's in each round, by the names of data sets.
pub(crate) type Times = BTreeMap<String, (Vec<f64>, Vec<f64>)>;

pub(crate) fn time(session: &Session, script: &Path, peer: &Path, program: &Program) -> Result<Times> {
    let json = session.file("versus.json");
    let mut command = Command::new(script);
    // It leaves its files in the usual folder if it is killed.
    command.env("TMPDIR", session.folder.path());
    // It has no option for threads. Ours take their number from here, the peer's programs as many as there are
    // processors.
    command.env("OMP_NUM_THREADS", session.threads.to_string());
    command.args(["--backend", session.target.name, "--ours"]).arg(&session.ours).arg("--peer").arg(peer);
    command.args(["--rounds", &session.rounds.to_string(), "--runs", &session.runs.to_string(), "--json"]).arg(&json);
    process::run(command.env("CFLAGS", flags()).arg(&program.path)).context("versus")?;
    let text = fs::read_to_string(&json).context("versus wrote nothing")?;
    fs::remove_file(&json)?;
    let prefix = format!("{}.fut ", program.name);
    parse(&text, &prefix)
}

/// Reads `{"PROGRAM SET": {"ours": [time…], "peer": [time…]}, …}`.
fn parse(text: &str, prefix: &str) -> Result<Times> {
    let all: BTreeMap<String, BTreeMap<String, Vec<f64>>> =
        serde_json::from_str(text).context("versus wrote no JSON")?;
    let mut times = Times::new();
    for (key, by_compiler) in all {
        let of = |who: &str| by_compiler.get(who).filter(|times| !times.is_empty()).cloned();
        if let (Some(set), Some(ours), Some(peer)) = (key.strip_prefix(prefix), of("ours"), of("peer")) {
            times.insert(set.to_string(), (ours, peer));
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_compilers() {
        let text =
            r#"{"mm.fut 256": {"peer": [30, 10, 20], "ours": [4, 2]}, "mm.fut 1024": {"peer": [7]}, "x.fut 1": {}}"#;
        let times = parse(text, "mm.fut ").expect("it is well-formed");
        assert_eq!(times, Times::from([("256".to_string(), (vec![4.0, 2.0], vec![30.0, 10.0, 20.0]))]));
        assert!(parse("[]", "mm.fut ").is_err());
    }
}
