//! `cargo xtask allocations SUITE [--peer PATH]`: how many allocations and copies are in the programs of the public
//! suite once arrays have places, compared with another compiler for the language.
//!
//! Both print their programs with the block that each array is in: `kenaz ir --stage memory` and `PATH dev --seq-mem`.
//! A copy is what moves an array that exists already: `copy` and `manifest`, and each array that is put together with
//! others (`concat`, a literal of arrays) or into another (`update`) and is not in the block of the result, where it
//! would have been built in place. What makes new elements, such as `replicate` or a loop, is none. Each is counted
//! once, in loops as well. Programs that one of the two does not compile are left out and counted apart, and so is the
//! folder of automatic differentiation.

mod count;

use crate::soacs::find;
use crate::step::{cargo, output_within, run, step};
use anyhow::{Context, Result, bail};
use count::Count;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The share of programs in which ours should have at most as many of both.
const GOAL: f64 = 0.9;

/// Neither compiler needs as long for any program of the suite, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Options<'a> {
    suite: &'a str,
    peer: Option<&'a str>,
    ours: Option<&'a str>,
    csv: Option<&'a str>,
}

impl<'a> Options<'a> {
    fn parse(args: &[&'a str]) -> Result<Options<'a>> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(&arg) = args.next() {
            let slot = match arg {
                "--peer" => &mut options.peer,
                "--ours" => &mut options.ours,
                "--csv" => &mut options.csv,
                _ if arg.starts_with('-') || !options.suite.is_empty() => bail!("`{arg}` is not expected here"),
                _ => {
                    options.suite = arg;
                    continue;
                }
            };
            *slot = Some(args.next().with_context(|| format!("`{arg}` needs a path"))?);
        }
        if options.suite.is_empty() {
            bail!("the folder with the programs is missing");
        }
        Ok(options)
    }
}

/// What the two make of a program; nothing where one fails, or where there is no peer.
struct Row {
    file: PathBuf,
    ours: Option<Count>,
    theirs: Option<Count>,
}

/// Whether ours reaches the goal.
pub(crate) fn allocations(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let peer = options.peer.map(|path| fs::canonicalize(path).with_context(|| path.to_string())).transpose()?;
    let mut files = Vec::new();
    find(Path::new(options.suite), &mut files)?;
    files.sort();
    if files.is_empty() {
        bail!("there are no programs in {}", options.suite);
    }
    let kenaz = match options.ours {
        Some(path) => PathBuf::from(path),
        None => {
            step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
            target.join("release/kenaz")
        }
    };
    let kenaz = fs::canonicalize(&kenaz).with_context(|| kenaz.display().to_string())?;

    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let progress = ProgressBar::new(files.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {elapsed} of {duration}, {msg}") {
        progress.set_style(style);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    progress.set_message(name.into_owned());
                    let ours = output_within(LIMIT, Command::new(&kenaz).args(["ir", "--stage", "memory"]).arg(file));
                    let theirs = peer
                        .as_ref()
                        .and_then(|peer| output_within(LIMIT, Command::new(peer).args(["dev", "--seq-mem"]).arg(file)));
                    let row = Row {
                        file: file.clone(),
                        ours: ours.map(|text| count::ours(&text)),
                        theirs: theirs.map(|text| count::theirs(&text)),
                    };
                    rows.lock().expect("no panic").push(row);
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
    let mut rows = rows.into_inner().context("a thread failed")?;
    rows.sort_by(|a, b| a.file.cmp(&b.file));
    if let Some(path) = options.csv {
        fs::write(path, csv(&rows)).with_context(|| path.to_string())?;
    }
    println!("counted as copies: copy, manifest, and parts of concat, array and update that are not in place");
    if peer.is_none() {
        println!("note: without --peer PATH only ours are counted, and no goal is checked");
        alone(&rows);
        return Ok(true);
    }
    Ok(compared(&rows))
}

/// A row for each program; what could not be counted is empty.
fn csv(rows: &[Row]) -> String {
    let mut text = String::from("program,our allocations,our copies,peer's allocations,peer's copies\n");
    for row in rows {
        let cells =
            |count: Option<Count>| count.map_or(",".to_string(), |it| format!("{},{}", it.allocations, it.copies));
        text.push_str(&format!("\"{}\",{},{}\n", row.file.display(), cells(row.ours), cells(row.theirs)));
    }
    text
}

fn alone(rows: &[Row]) {
    let mut sum = Count::default();
    for (row, count) in rows.iter().filter_map(|row| Some((row, row.ours?))) {
        println!("{}: {} allocations and {} copies", row.file.display(), count.allocations, count.copies);
        sum.allocations += count.allocations;
        sum.copies += count.copies;
    }
    println!("in all: {} allocations, {} copies", sum.allocations, sum.copies);
    println!(
        "left out: {} of {} that do not compile",
        rows.iter().filter(|row| row.ours.is_none()).count(),
        rows.len()
    );
}

/// Prints the comparison; whether it reaches the goal.
fn compared(rows: &[Row]) -> bool {
    let mut both: Vec<(&Path, Count, Count)> =
        rows.iter().filter_map(|row| Some((&*row.file, row.ours?, row.theirs?))).collect();
    // The worst first.
    both.sort_by_key(|(file, ours, theirs)| (std::cmp::Reverse(ours.total().saturating_sub(theirs.total())), *file));
    for (file, ours, theirs) in both.iter().filter(|(_, ours, theirs)| !ours.at_most(*theirs)) {
        println!(
            "{}: {} allocations and {} copies, not {} and {}",
            file.display(),
            ours.allocations,
            ours.copies,
            theirs.allocations,
            theirs.copies
        );
    }
    let only_theirs: Vec<&Row> = rows.iter().filter(|row| row.ours.is_none() && row.theirs.is_some()).collect();
    for row in &only_theirs {
        println!("{}: only the peer compiles it", row.file.display());
    }
    let only_ours = rows.iter().filter(|row| row.ours.is_some() && row.theirs.is_none()).count();
    let neither = rows.len() - both.len() - only_theirs.len() - only_ours;
    println!(
        "left out: {neither} that neither compiles, {only_ours} that only ours does, {} only the peer",
        only_theirs.len()
    );
    type Both<'a> = (&'a Path, Count, Count);
    let share = |what: &str, rows: &[&Both], holds: &dyn Fn(Count, Count) -> bool| {
        let fine = rows.iter().filter(|(_, ours, theirs)| holds(*ours, *theirs)).count();
        let share = fine as f64 / rows.len().max(1) as f64;
        println!("{what}: {fine} of {} ({:.1} %)", rows.len(), 100.0 * share);
        share
    };
    let all: Vec<&Both> = both.iter().collect();
    let some: Vec<&Both> = both.iter().filter(|(_, ours, theirs)| ours.total() + theirs.total() > 0).collect();
    let reached = share("at most as many allocations and copies", &all, &Count::at_most);
    share("of those that have any", &some, &Count::at_most);
    share("at most as many allocations", &all, &|ours, theirs| ours.allocations <= theirs.allocations);
    share("at most as many copies", &all, &|ours, theirs| ours.copies <= theirs.copies);
    let sum = |of: &dyn Fn(&Both) -> usize| both.iter().map(of).sum::<usize>();
    println!(
        "in all: {} and {} allocations, {} and {} copies",
        sum(&|row| row.1.allocations),
        sum(&|row| row.2.allocations),
        sum(&|row| row.1.copies),
        sum(&|row| row.2.copies)
    );
    if both.is_empty() {
        println!("nothing could be compared");
    } else if reached < GOAL {
        println!("the goal is {:.0} %", 100.0 * GOAL);
    }
    !both.is_empty() && reached >= GOAL
}
