//! `cargo xtask soacs SUITE --peer PATH`: how many second-order operators are left of the programs of the public suite,
//! compared with another compiler for the language.
//!
//! Both print how often each operator occurs after their machine-independent optimisations: `kenaz ir --optimise
//! --metrics` and `PATH dev -s -m`. Programs that one of them does not compile, such as those that must be rejected,
//! are left out, and so is the folder of automatic differentiation.

use crate::step::{cargo, run, step};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const OURS: &[&str] = &["map", "scan", "reduce", "screma", "filter", "scatter", "hist", "with_acc"];
const THEIRS: &[&str] = &["Screma", "Scatter", "Hist", "Stream", "WithAcc"];

pub(crate) fn soacs(suite: &str, peer: &str) -> Result<()> {
    step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    let kenaz = fs::canonicalize(target.join("release/kenaz"))?;
    let mut files = Vec::new();
    find(Path::new(suite), &mut files)?;
    files.sort();

    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let progress = ProgressBar::new(files.len() as u64);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ours = count(Command::new(&kenaz).args(["ir", "--optimise", "--metrics"]).arg(file), OURS);
                    if let Some(ours) = ours
                        && let Some(theirs) = count(Command::new(peer).args(["dev", "-s", "-m"]).arg(file), THEIRS)
                    {
                        rows.lock().expect("no panic").push((file.clone(), ours, theirs));
                    }
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();

    let mut rows = rows.into_inner().context("a thread failed")?;
    rows.sort();
    for (file, ours, theirs) in rows.iter().filter(|(_, ours, theirs)| ours > theirs) {
        println!("{}: {ours}, not {theirs}", file.display());
    }
    let summary = |what: &str, rows: &[&(PathBuf, usize, usize)]| {
        let fine = rows.iter().filter(|(_, ours, theirs)| ours <= theirs).count();
        println!("{what}: {fine} of {} ({:.1} %)", rows.len(), 100.0 * fine as f64 / rows.len().max(1) as f64);
    };
    summary("at most as many operators", &rows.iter().collect::<Vec<_>>());
    summary("of those that have any", &rows.iter().filter(|(_, x, y)| x + y > 0).collect::<Vec<_>>());
    let all: (usize, usize) = rows.iter().fold((0, 0), |all, row| (all.0 + row.1, all.1 + row.2));
    println!("operators in all: {} and {}", all.0, all.1);
    Ok(())
}

pub(crate) fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "ad") {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "fut") {
            files.push(path);
        }
    }
    Ok(())
}

/// The sum of the numbers behind these words, if the command succeeds.
fn count(command: &mut Command, words: &[&str]) -> Option<usize> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let number = |line: &str| {
        let mut parts = line.split(' ');
        words.contains(&parts.next()?).then(|| parts.next()?.parse::<usize>().ok()).flatten()
    };
    Some(text.lines().filter_map(number).sum())
}
