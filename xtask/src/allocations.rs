//! `cargo xtask allocations SUITE --peer PATH`: how many allocations and copies are in the programs of the public suite
//! once arrays have places, compared with another compiler for the language.
//!
//! Both print their programs with the block that each array is in: `kenaz ir --stage memory` and `PATH dev --seq-mem`.
//! A copy is what moves an array that exists already: `copy` and `manifest`, and each array that is put together with
//! others (`concat`, a literal of arrays) or into another (`update`) and is not in the block of the result, where it would
//! have been built in place. What makes new elements, such as `replicate` or a loop, is none. Each is counted once, in
//! loops as well. Programs that one of the two does not compile are left out, and so is the folder of automatic
//! differentiation.

use crate::soacs::find;
use crate::step::{cargo, run, step};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    allocations: usize,
    copies: usize,
}

impl Count {
    /// Neither more allocations nor more copies.
    fn at_most(self, other: Count) -> bool {
        self.allocations <= other.allocations && self.copies <= other.copies
    }

    fn total(self) -> usize {
        self.allocations + self.copies
    }
}

type Row = (PathBuf, Count, Count);

pub fn allocations(suite: &str, peer: &str) -> Result<()> {
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
                    if let Some(ours) = text(Command::new(&kenaz).args(["ir", "--stage", "memory"]).arg(file))
                        && let Some(theirs) = text(Command::new(peer).args(["dev", "--seq-mem"]).arg(file))
                    {
                        let row = (file.clone(), count_ours(&ours), count_theirs(&theirs));
                        rows.lock().expect("no panic").push(row);
                    }
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
    let mut rows = rows.into_inner().context("a thread failed")?;
    report(&mut rows);
    Ok(())
}

fn report(rows: &mut [Row]) {
    // The worst first.
    rows.sort_by_key(|(file, ours, theirs)| {
        (std::cmp::Reverse(ours.total().saturating_sub(theirs.total())), file.clone())
    });
    for (file, ours, theirs) in rows.iter().filter(|(_, ours, theirs)| !ours.at_most(*theirs)) {
        println!(
            "{}: {} allocations and {} copies, not {} and {}",
            file.display(),
            ours.allocations,
            ours.copies,
            theirs.allocations,
            theirs.copies
        );
    }
    println!("counted as copies: copy, manifest, and parts of concat, array and update that are not in place");
    let summary = |what: &str, rows: &[&Row], holds: &dyn Fn(Count, Count) -> bool| {
        let fine = rows.iter().filter(|(_, ours, theirs)| holds(*ours, *theirs)).count();
        println!("{what}: {fine} of {} ({:.1} %)", rows.len(), 100.0 * fine as f64 / rows.len().max(1) as f64);
    };
    let all: Vec<&Row> = rows.iter().collect();
    let some: Vec<&Row> = rows.iter().filter(|(_, ours, theirs)| ours.total() + theirs.total() > 0).collect();
    summary("at most as many allocations and copies", &all, &Count::at_most);
    summary("of those that have any", &some, &Count::at_most);
    summary("at most as many allocations", &all, &|ours, theirs| ours.allocations <= theirs.allocations);
    summary("at most as many copies", &all, &|ours, theirs| ours.copies <= theirs.copies);
    let sum = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    println!(
        "in all: {} and {} allocations, {} and {} copies",
        sum(&|row| row.1.allocations),
        sum(&|row| row.2.allocations),
        sum(&|row| row.1.copies),
        sum(&|row| row.2.copies)
    );
}

fn text(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
}

/// The block in which each array is: `x: [n]f32 @ m -> …` says so, with or without spaces.
fn blocks(text: &str) -> HashMap<&str, &str> {
    let mut blocks = HashMap::new();
    for (at, _) in text.match_indices(" @ ") {
        let rest = &text[at + 3..];
        let block = rest.split(|c: char| !is_of_name(c)).next().unwrap_or("");
        let before = &text[..at];
        let Some(colon) = before.rfind(": ") else { continue };
        let name = before[..colon].trim_end().rsplit(|c: char| !is_of_name(c)).next().unwrap_or("");
        if !block.is_empty() && !name.is_empty() {
            blocks.insert(name, block);
        }
    }
    blocks
}

/// The whole place of each array, as text.
fn places(text: &str) -> HashMap<&str, &str> {
    let mut places = HashMap::new();
    for (name, block) in blocks(text) {
        let at = block.as_ptr() as usize - text.as_ptr() as usize;
        let end = text[at..].find('}').map_or(text.len(), |end| at + end);
        places.insert(name, &text[at..end]);
    }
    places
}

/// Whether a copy is elsewhere than what is copied.
fn moves(places: &HashMap<&str, &str>, to: &str, from: &str) -> bool {
    places.get(to).is_none_or(|place| places.get(from) != Some(place))
}

/// Names of operators have other characters than letters.
fn is_of_name(c: char) -> bool {
    !c.is_whitespace() && !"(){},:".contains(c)
}

/// How many of these arrays are not in the block of the result. What has no block is no array.
fn elsewhere<'a>(blocks: &HashMap<&str, &str>, result: &str, parts: impl Iterator<Item = &'a str>) -> usize {
    let Some(here) = blocks.get(result) else { return 0 };
    parts.filter_map(|part| blocks.get(part.trim())).filter(|block| *block != here).count()
}

fn count_ours(text: &str) -> Count {
    let (blocks, places) = (blocks(text), places(text));
    let mut count = Count::default();
    for line in text.lines() {
        let Some((pattern, exp)) = line.trim().strip_prefix("let ").and_then(|line| line.split_once(" = ")) else {
            continue;
        };
        let exp = exp.rsplit_once(" at ").map_or(exp, |(exp, _)| exp);
        // Certificates come first.
        let exp = exp.strip_prefix('<').and_then(|exp| exp.split_once("> ")).map_or(exp, |(_, exp)| exp);
        let name = pattern.split(':').next().unwrap_or("");
        match exp.split(' ').next().unwrap_or("") {
            "alloc" => count.allocations += 1,
            "copy" => count.copies += usize::from(moves(&places, name, exp.split(' ').nth(1).unwrap_or(""))),
            "concat" => {
                let parts = exp.split_once('(').map_or("", |(_, parts)| parts).trim_end_matches(')');
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            "array" => {
                let parts =
                    exp.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or("", |(parts, _)| parts);
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            "update" | "flat_update" => {
                let value = exp.rsplit_once("= ").map_or("", |(_, value)| value);
                count.copies += elsewhere(&blocks, name, [value].into_iter());
            }
            _ => {}
        }
    }
    count
}

fn count_theirs(text: &str) -> Count {
    let blocks = blocks(text);
    let mut count = Count::default();
    for (at, _) in text.match_indices("let {") {
        let Some((pattern, exp)) = pattern_and_expression(&text[at + 5..]) else { continue };
        let name = pattern.split(':').next().unwrap_or("").trim();
        let word: String = exp.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let arguments = || exp.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(args, _)| args);
        match &word[..] {
            "alloc" => count.allocations += 1,
            "copy" | "manifest" => count.copies += 1,
            "concat" => count.copies += elsewhere(&blocks, name, arguments().split(',').skip(1)),
            "" if exp.starts_with('[') => {
                let parts = exp[1..].split_once(']').map_or("", |(parts, _)| parts);
                count.copies += elsewhere(&blocks, name, parts.split(','));
            }
            _ => {
                let line = exp.lines().next().unwrap_or("");
                if line[word.len()..].starts_with(" with [") || line[word.len()..].starts_with(" with flat") {
                    let all = exp.split_once("] =").map_or("", |(_, value)| value).trim_start();
                    let value = all.split(char::is_whitespace).next().unwrap_or("");
                    count.copies += elsewhere(&blocks, name, [value].into_iter());
                }
            }
        }
    }
    count
}

/// What is bound, up to the brace that closes the pattern, and what comes behind the equals sign.
fn pattern_and_expression(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let mut exp = text[at + 1..].trim_start().strip_prefix('=')?.trim_start();
            // Certificates and attributes come first.
            while let Some(rest) = exp.strip_prefix("#{").or_else(|| exp.strip_prefix("#[")) {
                exp = rest.split_once(['}', ']'])?.1.trim_start();
            }
            return Some((&text[..at], exp));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_place_are_no_copies() {
        let ours = "
  let m_1: mem = alloc host 80 at a.fut:1:1
  let a_2: [4]i32 @ m_1 -> 0 + {(4 : 1)} = copy p_9 at a.fut:1:1
  let b_3: [6]i32 @ m_1 -> 4 + {(6 : 1)} = par (i_4 < 6) own {
  let c_5: [10]i32 @ m_1 -> 0 + {(10 : 1)} = <q_7> concat 10 (a_2, b_3)
  let e_8: [4]i32 @ m_1 -> 0 + {(4 : 1)} = copy a_2 at a.fut:1:1
  let d_6: [10]i32 @ m_8 -> 0 + {(10 : 1)} = update d_5[0 :+ 4 * 1] = a_2 at a.fut:1:1";
        assert_eq!(count_ours(ours), Count { allocations: 1, copies: 2 });
    }

    #[test]
    fn the_other_notation_is_read() {
        let theirs = "
  let {mem_1 : mem} =
    alloc(bytes_2)
  let {a_3 : [n_4]i32 @ mem_1 ->
             {offset: 0i64;
              strides: [1i64];
              shape: [n_4]}} =
    replicate([n_4], 0i32)
  let {res_5 : [m_6]i32 @ mem_1 ->
               {offset: 0i64;
                strides: [1i64];
                shape: [m_6]}} =
    concat@0(m_6, a_3, b_7)
  let {up_8 : [m_6]i32 @ mem_1 ->
              {offset: 0i64;
               strides: [1i64];
               shape: [m_6]}} =
    res_5 with [0i64 :+ n_4 * 1i64] = b_7
  let {b_7 : [m_6]i32 @ mem_9 ->
              {offset: 0i64;
               strides: [1i64];
               shape: [m_6]}} =
    #{cert_11} manifest((1, 0), z_10)";
        assert_eq!(count_theirs(theirs), Count { allocations: 1, copies: 3 });
    }
}
