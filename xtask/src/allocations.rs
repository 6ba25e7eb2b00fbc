//! `cargo xtask allocations FOLDER… [--peer PATH]`: how many allocations and copies are in the programs of the public
//! suite, of `bench/apps` or of other folders once arrays have places, compared with another compiler for the language.
//!
//! Both print their programs with the block that each array is in: `kenaz ir --stage memory` and `PATH dev --seq-mem`.
//! A copy is what moves an array that exists already: `copy` and `manifest`, and each array that is put together with
//! others (`concat`, a literal of arrays) or into another (`update`) and is not in the block of the result, where it
//! would have been built in place. What makes new elements, such as `replicate` or a loop, is none. Each is counted
//! once in the text of the program; and because an allocation in a loop is worse than one in front of it, each is also
//! counted as often as it would run if every loop had ten iterations. The goal is about the latter: how often a program
//! allocates and copies. Those in loops, and in functions that are called there, are also counted apart. Programs that
//! one of the two does not compile are left out and counted apart, and so is the folder of automatic differentiation.

mod count;
mod report;

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

/// The share of programs in which ours should allocate and copy at most as often.
const GOAL: f64 = 0.97;

/// Neither compiler needs as long for any program of the suite, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Default)]
struct Options<'a> {
    folders: Vec<&'a str>,
    peer: Option<&'a str>,
    ours: Option<&'a str>,
    csv: Option<&'a str>,
    into: Option<&'a str>,
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
                "--into" => &mut options.into,
                _ if arg.starts_with('-') => bail!("`{arg}` is not expected here"),
                _ => {
                    options.folders.push(arg);
                    continue;
                }
            };
            *slot = Some(args.next().with_context(|| format!("`{arg}` needs a path"))?);
        }
        if options.folders.is_empty() {
            bail!("the folder with the programs is missing");
        }
        if options.into.is_some() && options.peer.is_none() {
            bail!("`--into` needs `--peer`");
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

/// Whether ours reaches the goal in each folder.
pub(crate) fn allocations(args: &[&str]) -> Result<bool> {
    let options = Options::parse(args)?;
    let peer = options.peer.map(|path| fs::canonicalize(path).with_context(|| path.to_string())).transpose()?;
    let mut parts = Vec::new();
    for folder in &options.folders {
        let mut files = Vec::new();
        find(Path::new(folder), &mut files)?;
        files.sort();
        if files.is_empty() {
            bail!("there are no programs in {folder}");
        }
        parts.push((*folder, files));
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

    println!("counted as copies: copy, manifest, and parts of concat, array and update that are not in place");
    if peer.is_none() {
        println!("note: without --peer PATH only ours are counted, and no goal is checked");
    }
    let (mut all, mut shares) = (Vec::new(), Vec::new());
    for (folder, files) in parts {
        println!("{folder}:");
        let rows = counted(&files, &kenaz, peer.as_deref())?;
        match &peer {
            None => alone(&rows),
            Some(_) => shares.push(compared(folder, &rows)),
        }
        all.extend(rows);
    }
    if let Some(path) = options.csv {
        fs::write(path, csv(&all)).with_context(|| path.to_string())?;
    }
    if let Some(path) = options.into {
        let page = fs::read_to_string(path).unwrap_or_default();
        fs::write(path, report::with_part(&page, &report::part(&shares))).with_context(|| path.to_string())?;
        println!("written to {path}");
    }
    Ok(shares.iter().all(Compared::reached))
}

fn counted(files: &[PathBuf], kenaz: &Path, peer: Option<&Path>) -> Result<Vec<Row>> {
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
                    let ours = output_within(LIMIT, Command::new(kenaz).args(["ir", "--stage", "memory"]).arg(file));
                    let theirs = peer
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
    Ok(rows)
}

/// A row for each program; what could not be counted is empty.
fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "program,our allocations,our copies,ours in loops,we allocate,we copy,peer's allocations,peer's copies,peer's in loops,it allocates,it copies\n",
    );
    for row in rows {
        let cells = |count: Option<Count>| {
            count.map_or(",,,,".to_string(), |it| {
                format!("{},{},{},{},{}", it.allocations, it.copies, it.in_loops, it.allocates, it.copied)
            })
        };
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

/// A program, and what is ours and the peer's.
type Both = (PathBuf, Count, Count);

/// What the programs of a folder come to.
struct Compared {
    folder: String,
    both: Vec<Both>,
    only_ours: usize,
    only_theirs: usize,
}

impl Compared {
    /// How many programs allocate and copy at most as often as the peer's.
    fn fine(&self) -> usize {
        self.both.iter().filter(|(_, ours, theirs)| ours.at_most_as_often(*theirs)).count()
    }

    fn share(&self) -> f64 {
        self.fine() as f64 / self.both.len().max(1) as f64
    }

    /// How many programs have more in loops than the peer's.
    fn more_in_loops(&self) -> usize {
        self.both.iter().filter(|(_, ours, theirs)| ours.in_loops > theirs.in_loops).count()
    }

    fn sum(&self, of: impl Fn(&Both) -> usize) -> usize {
        self.both.iter().map(of).sum()
    }

    fn reached(&self) -> bool {
        !self.both.is_empty() && self.share() >= GOAL
    }
}

/// Prints the comparison.
fn compared(folder: &str, rows: &[Row]) -> Compared {
    let mut both: Vec<Both> = rows.iter().filter_map(|row| Some((row.file.clone(), row.ours?, row.theirs?))).collect();
    // The worst first.
    both.sort_by_key(|(file, ours, theirs)| {
        (std::cmp::Reverse(ours.often().saturating_sub(theirs.often())), file.clone())
    });
    for (file, ours, theirs) in &both {
        let row = |count: &Count| {
            format!("{} allocations, {} copies, {} in loops", count.allocations, count.copies, count.in_loops)
        };
        if !ours.at_most_as_often(*theirs) {
            println!("{}: {}, not {}", file.display(), row(ours), row(theirs));
        } else if ours.in_loops > theirs.in_loops {
            println!("{}: {} in loops, not {}", file.display(), ours.in_loops, theirs.in_loops);
        }
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
    let share = |what: &str, rows: &[&Both], holds: &dyn Fn(Count, Count) -> bool| {
        let fine = rows.iter().filter(|(_, ours, theirs)| holds(*ours, *theirs)).count();
        let share = fine as f64 / rows.len().max(1) as f64;
        println!("{what}: {fine} of {} ({:.1} %)", rows.len(), 100.0 * share);
    };
    let all: Vec<&Both> = both.iter().collect();
    let some: Vec<&Both> = both.iter().filter(|(_, ours, theirs)| ours.total() + theirs.total() > 0).collect();
    share("at most as often allocations and copies", &all, &Count::at_most_as_often);
    share("of those that have any", &some, &Count::at_most_as_often);
    share("at most as many allocations and copies in the text", &all, &Count::at_most);
    share("at most as many allocations", &all, &|ours, theirs| ours.allocations <= theirs.allocations);
    share("at most as many copies", &all, &|ours, theirs| ours.copies <= theirs.copies);
    share("at most as many of both in loops", &all, &|ours, theirs| ours.in_loops <= theirs.in_loops);
    let compared = Compared { folder: folder.to_string(), only_ours, only_theirs: only_theirs.len(), both };
    println!(
        "in all: {} and {} allocations, {} and {} copies, {} and {} of both in loops",
        compared.sum(|row| row.1.allocations),
        compared.sum(|row| row.2.allocations),
        compared.sum(|row| row.1.copies),
        compared.sum(|row| row.2.copies),
        compared.sum(|row| row.1.in_loops),
        compared.sum(|row| row.2.in_loops)
    );
    if compared.both.is_empty() {
        println!("nothing could be compared");
    } else if !compared.reached() {
        println!("the goal is {:.0} %", 100.0 * GOAL);
    }
    compared
}
