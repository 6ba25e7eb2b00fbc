//! The table and what it comes to.

use crate::goals::{self, Goals};
use kenaz_ir::Target;
pub(crate) use kenaz_measure::statistics::{least, median, most};
use std::fmt;
use std::time::Duration;

/// What was measured on one data set. Times are in microseconds, one for each round, memory in bytes.
#[derive(Clone, Default, Debug)]
pub(crate) struct Row {
    pub program: String,
    pub set: String,
    pub ours: Vec<f64>,
    pub peer: Vec<f64>,
    pub cpp: Vec<f64>,
    /// Our times in the rounds in which C++ was timed.
    pub ours_beside_cpp: Vec<f64>,
    /// Our times on one thread.
    pub on_one: Vec<f64>,
    pub memory: Option<u64>,
    pub peer_memory: Option<u64>,
    /// From text to C, in the first row of a program.
    pub to_c: Option<Duration>,
    pub peer_to_c: Option<Duration>,
    pub problems: Vec<String>,
}

impl Row {
    pub(crate) fn new(program: &str, set: &str) -> Row {
        Row { program: program.to_string(), set: set.to_string(), ..Row::default() }
    }

    /// How many times faster than the peer.
    pub(crate) fn ratio(&self) -> Option<f64> {
        Some(time(&self.peer)? / time(&self.ours)?.max(1.0))
    }

    /// How many times faster than on one thread.
    pub(crate) fn speedup(&self) -> Option<f64> {
        Some(time(&self.on_one)? / time(&self.ours)?.max(1.0))
    }

    /// How many times faster than C++.
    pub(crate) fn cpp_ratio(&self) -> Option<f64> {
        Some(time(&self.cpp)? / time(&self.ours_beside_cpp)?.max(1.0))
    }

    /// How much memory for each byte of the peer.
    pub(crate) fn memory_ratio(&self) -> Option<f64> {
        Some(self.memory? as f64 / self.peer_memory? as f64)
    }

    /// How many times faster from text to C.
    pub(crate) fn to_c_ratio(&self) -> Option<f64> {
        Some(self.peer_to_c?.as_secs_f64() / self.to_c?.as_secs_f64())
    }

    pub(crate) fn header(target: &Target) -> String {
        let cells: Vec<String> = columns(target).map(|(_, (name, width))| format!("{name:>width$}")).collect();
        format!("{:12} {:28} {}", "program", "data set", cells.join(" "))
    }

    /// The row of a table for people, and what went wrong.
    pub(crate) fn line(&self, target: &Target) -> String {
        let mut line = format!("{:12} {:28}", self.program, self.set);
        for (cell, (_, (_, width))) in self.cells(target).into_iter().zip(columns(target)) {
            line.push_str(&format!(" {cell:>width$}"));
        }
        for problem in &self.problems {
            line.push_str(&format!("\n    {problem}"));
        }
        line
    }

    /// What stands in the columns, for people.
    pub(crate) fn cells(&self, target: &Target) -> Vec<String> {
        let all = self.all_cells();
        columns(target).map(|(i, _)| all[i].clone()).collect()
    }

    fn all_cells(&self) -> [String; COLUMNS.len()] {
        let ms = |times: &[f64]| time(times).map(|time| format!("{:.2}", time / 1e3));
        let ratio = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2}"));
        let megabytes = |bytes: Option<u64>| bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6));
        let short = |time: Option<Duration>| time.map(|time| format!("{:.1}", time.as_secs_f64() * 1e3));
        [
            ms(&self.ours),
            ms(&self.peer),
            ratio(self.ratio()),
            ms(&self.cpp),
            ratio(self.cpp_ratio()),
            megabytes(self.memory),
            megabytes(self.peer_memory),
            ratio(self.memory_ratio()),
            short(self.to_c),
            short(self.peer_to_c),
            ratio(self.to_c_ratio()),
        ]
        .map(|cell| cell.unwrap_or("-".to_string()))
    }
}

/// The headings of a table, behind those of the program and its data set.
pub(crate) fn headings(target: &Target) -> Vec<&'static str> {
    columns(target).map(|(_, (name, _))| name).collect()
}

/// Which columns there are; programs on several threads are not compared with C++.
fn columns(target: &Target) -> impl Iterator<Item = (usize, (&'static str, usize))> + use<> {
    let is_parallel = target.is_parallel();
    let shown = move |i: usize| !is_parallel || !CPP_COLUMNS.contains(&i);
    COLUMNS.into_iter().enumerate().filter(move |(i, _)| shown(*i))
}

const CPP_COLUMNS: std::ops::Range<usize> = 3..5;

/// The columns behind the names, and how wide they are.
const COLUMNS: [(&str, usize); 11] = [
    ("ours ms", 9),
    ("peer ms", 9),
    ("ratio", 6),
    ("C++ ms", 9),
    ("ratio", 6),
    ("ours MB", 8),
    ("peer MB", 8),
    ("ratio", 6),
    ("to C", 7),
    ("peer", 7),
    ("ratio", 6),
];

/// A row for each data set, all numbers with all their digits.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut text =
        "program,data set,ours us,peer us,C++ us,ours beside C++ us,ours bytes,peer bytes,to C us,peer to C us\n"
            .to_string();
    for row in rows {
        let number = |times: &[f64]| time(times).map_or(String::new(), |x| x.to_string());
        let bytes = |x: Option<u64>| x.map_or(String::new(), |x| x.to_string());
        let micros = |x: Option<Duration>| x.map_or(String::new(), |x| x.as_micros().to_string());
        let cells = [
            row.program.clone(),
            format!("\"{}\"", row.set),
            number(&row.ours),
            number(&row.peer),
            number(&row.cpp),
            number(&row.ours_beside_cpp),
            bytes(row.memory),
            bytes(row.peer_memory),
            micros(row.to_c),
            micros(row.peer_to_c),
        ];
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// What the ratios of a table come to, beside what they should be.
pub(crate) struct Summary {
    pub lines: Vec<Line>,
    /// How many rows have a problem.
    pub wrong: usize,
}

/// A number and its goal.
pub(crate) struct Line {
    pub what: String,
    pub value: f64,
    pub goal: Goal,
    /// How many ratios it is made of.
    pub over: usize,
}

#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Line {
    /// What some numbers come to; nothing if there are none.
    pub(crate) fn new(what: &str, numbers: &[f64], of: fn(&[f64]) -> f64, goal: Goal) -> Option<Line> {
        (!numbers.is_empty()).then(|| Line { what: what.to_string(), value: of(numbers), goal, over: numbers.len() })
    }

    pub(crate) fn reached(&self) -> bool {
        match self.goal {
            Goal::AtLeast(goal) => self.value >= goal,
            Goal::AtMost(goal) => self.value <= goal,
        }
    }

    /// The number, with digits behind the point only where it is a ratio.
    pub(crate) fn value(&self) -> String {
        if self.value < 100.0 { format!("{:.2}", self.value) } else { format!("{:.0}", self.value) }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:44} {:>8}       goal {}, over {}", self.what, self.value(), self.goal, self.over)
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = match self {
            Goal::AtLeast(number) => ("at least", number),
            Goal::AtMost(number) => ("at most", number),
        };
        if *number < 100.0 { write!(f, "{word} {number:.2}") } else { write!(f, "{word} {number:.0}") }
    }
}

/// A ratio counts at most so much in the mean, so that a few huge wins cannot hide many losses.
const CAP: f64 = 4.0;

impl Summary {
    /// Sums up the rows, and how many lines of C there are for a program of one line, if that is known.
    pub(crate) fn new(goals: &Goals, rows: &[Row], smallest: Option<usize>) -> Summary {
        let all = |ratio: fn(&Row) -> Option<f64>| rows.iter().filter_map(ratio).collect::<Vec<f64>>();
        let (ratios, cpp) = (all(Row::ratio), all(Row::cpp_ratio));
        let (memory, to_c) = (all(Row::memory_ratio), all(Row::to_c_ratio));
        let smallest: Vec<f64> = smallest.iter().map(|lines| *lines as f64).collect();
        let mut lines = vec![
            Line::new("peer / ours, geometric mean, capped at 4", &ratios, capped_mean, goals.mean),
            goals.median.and_then(|goal| Line::new("peer / ours, median", &ratios, median, goal)),
            Line::new("peer / ours, least", &ratios, least, goals.least),
        ];
        if let Some(goals) = &goals.sequential {
            lines.push(Line::new("C++ / ours, geometric mean", &cpp, geometric_mean, goals.cpp));
            lines.push(Line::new("memory, ours / peer, most", &memory, most, goals.memory));
        }
        lines.push(goals.to_c.and_then(|goal| Line::new("text to C, peer / ours, least", &to_c, least, goal)));
        lines.push(Line::new("1 thread / several, least", &all(Row::speedup), least, goals::ON_ALL_THREADS));
        if let Some(goals) = &goals.sequential {
            let what = "lines of C of bench/programs/1.fut";
            lines.push(Line::new(what, &smallest, most, goals.lines_of_smallest));
        }
        let wrong = rows.iter().filter(|row| !row.problems.is_empty()).count();
        Summary { lines: lines.into_iter().flatten().collect(), wrong }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        if self.wrong > 0 {
            writeln!(f, "{} data sets with problems", self.wrong)?;
        }
        Ok(())
    }
}

/// The time that counts of those of all rounds.
pub(crate) fn time(rounds: &[f64]) -> Option<f64> {
    (!rounds.is_empty()).then(|| median(rounds))
}

/// The geometric mean of ratios, of which each counts at most [`CAP`].
pub(crate) fn capped_mean(ratios: &[f64]) -> f64 {
    geometric_mean(&ratios.iter().map(|ratio| ratio.min(CAP)).collect::<Vec<_>>())
}

fn geometric_mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|x| x.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::target::{C, MULTICORE};

    fn row(ours: f64, peer: f64) -> Row {
        Row { ours: vec![ours], peer: vec![peer], ..Row::new("p", "d") }
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn huge_ratios_are_capped_in_the_mean_only() {
        let text = Summary::new(Goals::of(&C).unwrap(), &[row(10.0, 1000.0), row(10.0, 10.0)], None).to_string();
        let value = |line: usize| text.lines().nth(line).and_then(|line| line[44..].split_whitespace().next());
        assert_eq!((value(0), value(1), value(2)), (Some("2.00"), Some("50.50"), Some("1.00")), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let text = Summary::new(Goals::of(&C).unwrap(), &[Row::new("p", "d")], None).to_string();
        assert_eq!(text, "");
        assert_eq!(Row::new("p", "d").line(&C).matches(" -").count(), COLUMNS.len());
    }

    #[test]
    fn targets_have_goals_and_columns_of_their_own() {
        let rows = [Row { cpp: vec![5.0], ours_beside_cpp: vec![5.0], ..row(10.0, 12.5) }];
        let goals = |target| Summary::new(Goals::of(target).unwrap(), &rows, Some(1)).to_string();
        assert!(goals(&C).contains("goal at least 1.30") && goals(&C).contains("C++"));
        assert!(goals(&MULTICORE).contains("goal at least 1.50") && !goals(&MULTICORE).contains("C++"));
        assert!(Row::header(&C).contains("C++ ms") && !Row::header(&MULTICORE).contains("C++ ms"));
        assert_eq!(rows[0].cells(&MULTICORE).len(), headings(&MULTICORE).len());
    }
}
