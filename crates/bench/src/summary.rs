//! The table and what it comes to.

use std::fmt;
use std::time::Duration;

/// What was measured on one data set. Times are in microseconds, memory in bytes.
#[derive(Clone, Default, Debug)]
pub struct Row {
    pub program: String,
    pub set: String,
    pub ours: Option<f64>,
    pub peer: Option<f64>,
    pub cpp: Option<f64>,
    /// Our time in the rounds in which C++ was timed.
    pub ours_beside_cpp: Option<f64>,
    pub memory: Option<u64>,
    pub peer_memory: Option<u64>,
    /// From text to C, in the first row of a program.
    pub to_c: Option<Duration>,
    pub peer_to_c: Option<Duration>,
    pub problems: Vec<String>,
}

impl Row {
    pub fn new(program: &str, set: &str) -> Row {
        Row { program: program.to_string(), set: set.to_string(), ..Row::default() }
    }

    /// How many times faster than the peer.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.peer? / self.ours?.max(1.0))
    }

    /// How many times faster than C++.
    pub fn cpp_ratio(&self) -> Option<f64> {
        Some(self.cpp? / self.ours_beside_cpp?.max(1.0))
    }

    /// How much memory for each byte of the peer.
    pub fn memory_ratio(&self) -> Option<f64> {
        Some(self.memory? as f64 / self.peer_memory? as f64)
    }

    /// How many times faster from text to C.
    pub fn to_c_ratio(&self) -> Option<f64> {
        Some(self.peer_to_c?.as_secs_f64() / self.to_c?.as_secs_f64())
    }

    pub fn header() -> String {
        let names =
            ["ours ms", "peer ms", "ratio", "C++ ms", "ratio", "ours MB", "peer MB", "ratio", "to C", "peer", "ratio"];
        let cells: Vec<String> = names.iter().zip(WIDTHS).map(|(name, width)| format!("{name:>width$}")).collect();
        format!("{:12} {:28} {}", "program", "data set", cells.join(" "))
    }
}

const WIDTHS: [usize; 11] = [9, 9, 6, 9, 6, 8, 8, 6, 7, 7, 6];

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Option<f64>| time.map(|time| format!("{:.2}", time / 1e3));
        let ratio = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2}"));
        let megabytes = |bytes: Option<u64>| bytes.map(|bytes| format!("{:.1}", bytes as f64 / 1e6));
        let short = |time: Option<Duration>| time.map(|time| format!("{:.1}", time.as_secs_f64() * 1e3));
        let cells = [
            ms(self.ours),
            ms(self.peer),
            ratio(self.ratio()),
            ms(self.cpp),
            ratio(self.cpp_ratio()),
            megabytes(self.memory),
            megabytes(self.peer_memory),
            ratio(self.memory_ratio()),
            short(self.to_c),
            short(self.peer_to_c),
            ratio(self.to_c_ratio()),
        ];
        write!(f, "{:12} {:28}", self.program, self.set)?;
        for (cell, width) in cells.into_iter().zip(WIDTHS) {
            write!(f, " {:>width$}", cell.unwrap_or("-".to_string()))?;
        }
        for problem in &self.problems {
            write!(f, "\n    {problem}")?;
        }
        Ok(())
    }
}

/// A row for each data set, all numbers with all their digits.
pub fn csv(rows: &[Row]) -> String {
    let mut text =
        "program,data set,ours us,peer us,C++ us,ours beside C++ us,ours bytes,peer bytes,to C us,peer to C us\n"
            .to_string();
    for row in rows {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let bytes = |x: Option<u64>| x.map_or(String::new(), |x| x.to_string());
        let micros = |x: Option<Duration>| x.map_or(String::new(), |x| x.as_micros().to_string());
        let cells = [
            row.program.clone(),
            format!("\"{}\"", row.set),
            number(row.ours),
            number(row.peer),
            number(row.cpp),
            number(row.ours_beside_cpp),
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
pub struct Summary {
    ratios: Vec<f64>,
    cpp_ratios: Vec<f64>,
    memory_ratios: Vec<f64>,
    to_c_ratios: Vec<f64>,
    /// How many rows have a problem.
    wrong: usize,
}

/// A ratio counts at most so much in the mean, so that a few huge wins cannot hide many losses.
const CAP: f64 = 4.0;

impl Summary {
    pub fn new(rows: &[Row]) -> Summary {
        let all = |ratio: fn(&Row) -> Option<f64>| rows.iter().filter_map(ratio).collect();
        Summary {
            ratios: all(Row::ratio),
            cpp_ratios: all(Row::cpp_ratio),
            memory_ratios: all(Row::memory_ratio),
            to_c_ratios: all(Row::to_c_ratio),
            wrong: rows.iter().filter(|row| !row.problems.is_empty()).count(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = |ratios: &[f64]| ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
        let capped: Vec<f64> = self.ratios.iter().map(|ratio| ratio.min(CAP)).collect();
        let mut line = |what: &str, ratios: &[f64], value: &dyn Fn() -> f64, goal: &str| match ratios {
            [] => Ok(()),
            _ => writeln!(f, "{what:44} {:>8.2}       goal {goal}, over {}", value(), ratios.len()),
        };
        line("peer / ours, geometric mean, capped at 4", &self.ratios, &|| geometric_mean(&capped), "at least 1.30")?;
        line("peer / ours, median", &self.ratios, &|| median(&self.ratios), "at least 1.15")?;
        line("peer / ours, least", &self.ratios, &|| least(&self.ratios), "at least 0.90")?;
        line("C++ / ours, geometric mean", &self.cpp_ratios, &|| geometric_mean(&self.cpp_ratios), "at least 1.00")?;
        line("memory, ours / peer, most", &self.memory_ratios, &|| most(&self.memory_ratios), "at most 1.05")?;
        line("text to C, peer / ours, least", &self.to_c_ratios, &|| least(&self.to_c_ratios), "at least 5.00")?;
        if self.wrong > 0 {
            writeln!(f, "{} data sets with problems", self.wrong)?;
        }
        Ok(())
    }
}

/// The middle of some numbers, of which there is one at least.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

fn geometric_mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|x| x.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ours: f64, peer: f64) -> Row {
        Row { ours: Some(ours), peer: Some(peer), ..Row::new("p", "d") }
    }

    #[test]
    fn middles_and_means() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }

    #[test]
    fn huge_ratios_are_capped_in_the_mean_only() {
        let text = Summary::new(&[row(10.0, 1000.0), row(10.0, 10.0)]).to_string();
        let value = |line: usize| text.lines().nth(line).and_then(|line| line[44..].split_whitespace().next());
        assert_eq!((value(0), value(1), value(2)), (Some("2.00"), Some("50.50"), Some("1.00")), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_left_out() {
        let text = Summary::new(&[Row::new("p", "d")]).to_string();
        assert_eq!(text, "");
        assert_eq!(Row::new("p", "d").to_string().matches(" -").count(), WIDTHS.len());
    }
}
