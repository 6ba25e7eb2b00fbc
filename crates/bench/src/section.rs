//! One part of a measurement: a table, what it comes to, and the times behind it.

use crate::process;
use crate::summary::{Line, Row};
use anyhow::Result;
use indicatif::ProgressBar;

pub(crate) struct Section {
    /// The word by which it is asked for, and the name of its files.
    pub name: &'static str,
    pub title: &'static str,
    /// What is measured, and how, in Markdown.
    pub text: String,
    /// Headings, and how wide the columns are in a terminal. The first ones are names.
    pub columns: &'static [(&'static str, usize)],
    pub names: usize,
    pub rows: Vec<Vec<String>>,
    pub lines: Vec<Line>,
    pub times: Vec<Times>,
    pub chart: Option<String>,
    pub problems: Vec<String>,
}

/// The microseconds of a program on a data set, of each round.
pub(crate) struct Times {
    pub program: String,
    pub set: String,
    pub who: String,
    pub rounds: Vec<f64>,
}

impl Section {
    pub(crate) fn new(
        name: &'static str,
        title: &'static str,
        text: String,
        columns: &'static [(&'static str, usize)],
        names: usize,
    ) -> Section {
        let (rows, lines, times, problems) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Section { name, title, text, columns, names, rows, lines, times, chart: None, problems }
    }

    /// The headings, for a terminal.
    pub(crate) fn header(&self) -> String {
        let headings: Vec<String> = self.columns.iter().map(|(name, _)| name.to_string()).collect();
        self.line(&headings)
    }

    pub(crate) fn line(&self, cells: &[String]) -> String {
        let cells = cells.iter().zip(self.columns).enumerate().map(|(i, (cell, (_, width)))| {
            if i < self.names { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join(" ")
    }

    /// Adds a row to the table, and prints it.
    pub(crate) fn row(&mut self, bar: &ProgressBar, cells: Vec<String>) {
        bar.suspend(|| println!("{}", self.line(&cells)));
        self.rows.push(cells);
    }

    /// Keeps the times of a program that took turns with others.
    pub(crate) fn keep(&mut self, program: &str, set: &str, who: &str, rounds: &[f64]) {
        let (program, set, who) = (program.to_string(), set.to_string(), who.to_string());
        self.times.push(Times { program, set, who, rounds: rounds.to_vec() });
    }

    /// Adds what some numbers come to, if there are any.
    pub(crate) fn sum_up(&mut self, line: Option<Line>) {
        self.lines.extend(line);
    }

    /// What was measured, if all went well; otherwise the problem is noted. An interrupt ends the work.
    pub(crate) fn attempt<T>(&mut self, bar: &ProgressBar, what: &str, measured: Result<T>) -> Result<Option<T>> {
        process::interrupted()?;
        bar.inc(1);
        match measured {
            Ok(measured) => Ok(Some(measured)),
            Err(error) => {
                let problem = format!("{what}: {error:#}");
                bar.suspend(|| println!("{problem}"));
                self.problems.push(problem);
                Ok(None)
            }
        }
    }

    /// Removes the bar, and prints what the table comes to.
    pub(crate) fn finish(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        for line in &self.lines {
            println!("{line}");
        }
    }
}

/// The times of the programs of bench/c.
pub(crate) fn times(rows: &[Row]) -> Vec<Times> {
    let of_row = |row: &Row| {
        let all = [
            ("ours", &row.ours),
            ("peer", &row.peer),
            ("ours on one thread", &row.on_one),
            ("ours beside C++", &row.ours_beside_cpp),
            ("C++", &row.cpp),
        ];
        all.map(|(who, rounds)| {
            let (program, set, who) = (row.program.clone(), row.set.clone(), who.to_string());
            Times { program, set, who, rounds: rounds.clone() }
        })
    };
    rows.iter().flat_map(of_row).collect()
}

/// A line for each round.
pub(crate) fn csv(times: &[Times]) -> String {
    let mut out = String::from("program,data set,who,round,us\n");
    for times in times {
        for (round, time) in times.rounds.iter().enumerate() {
            let Times { program, set, who, .. } = times;
            out.push_str(&format!("{program},\"{set}\",\"{who}\",{},{time}\n", round + 1));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_is_kept() {
        let fine = Row { ours: vec![1000.0, 3000.0, 2000.0], peer: vec![8000.0; 3], ..Row::new("mm", "256, small") };
        let text = csv(&times(&[fine, Row::new("mm", "1024")]));
        assert_eq!(text.lines().count(), 1 + 6, "{text}");
        assert!(text.contains("mm,\"256, small\",\"ours\",2,3000\n"), "{text}");
    }

    #[test]
    fn names_stand_left_and_numbers_right() {
        let section = Section::new("x", "X", String::new(), &[("program", 8), ("ms", 6)], 1);
        assert_eq!(section.header(), "program      ms");
        assert_eq!(section.line(&["mm".to_string(), "1.50".to_string()]), "mm         1.50");
    }
}
