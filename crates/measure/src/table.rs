//! Measurements as lines of text.

use crate::compare::{Compared, Comparison, Difference, SHORTEST, Verdict};
use crate::results::{Measurement, Outcome};
use crate::statistics::{interval, median, without_outliers};

/// A time in microseconds with three or four digits that count.
pub fn time(microseconds: f64) -> String {
    let (number, unit) = match microseconds {
        t if !t.is_finite() => return "?".to_string(),
        t if t < 1000.0 => (t, "µs"),
        t if t < 1e6 => (t / 1e3, "ms"),
        t => (t / 1e6, "s"),
    };
    let digits = match number {
        n if unit == "µs" && n < 100.0 => {
            if n < 10.0 {
                2
            } else {
                1
            }
        }
        n if n < 10.0 => 3,
        n if n < 100.0 => 2,
        n if n < 1000.0 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

/// A number of bytes.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let (mut number, mut unit) = (bytes as f64, 0);
    while number >= 999.5 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    if unit == 0 || number >= 99.95 {
        format!("{number:.0} {}", UNITS[unit])
    } else {
        format!("{number:.1} {}", UNITS[unit])
    }
}

/// A round number of the units of a text like `1.000 ms`, without the zeros that say nothing.
pub fn round(text: &str) -> String {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number} {unit}").trim_end().to_string()
}

/// A ratio with as many digits as one reads.
pub fn ratio(ratio: f64) -> String {
    match ratio {
        r if r >= 99.5 => format!("{r:.0}"),
        r if r >= 9.95 => format!("{r:.1}"),
        r if r >= 0.1 => format!("{r:.2}"),
        r => format!("{r:.4}"),
    }
}

/// A probability; no number of draws makes one certain.
pub fn probability(part: f64) -> String {
    // Never more than it is.
    if part > 0.999 { "> 99.9 %".to_string() } else { format!("{:.1} %", (part * 1000.0).floor() / 10.0) }
}

/// The median, of which the clock tells whole microseconds.
fn middle(times: &[f64]) -> String {
    const SHORT: f64 = 100.0;
    let middle = median(times);
    if middle < SHORT { format!("{middle:.0} µs") } else { time(middle) }
}

/// Half an interval as a part of its mean.
fn spread(measurement: &[f64]) -> String {
    let found = interval(measurement);
    match 100.0 * found.half / found.mean {
        part if !part.is_finite() => "?".to_string(),
        part if part < 9.95 => format!("±{part:.1} %"),
        part => format!("±{part:.0} %"),
    }
}

/// Rows of which each column is as wide as it must be.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    /// A cell, and lines under it.
    Note(String, String),
}

/// Numbers end at the same place, the name before them begins there.
impl Table {
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    pub fn note(&mut self, name: String, text: &str) {
        self.rows.push(Row::Note(name, text.to_string()));
    }

    pub fn text(&self) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            widths.resize(widths.len().max(cells.len()), 0);
            cells.iter().zip(&mut widths).for_each(|(cell, width)| *width = (*width).max(cell.chars().count()));
        }
        let mut text = String::new();
        for row in &self.rows {
            match row {
                Row::Cells(cells) => {
                    let mut line = String::from("  ");
                    for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                        let room = " ".repeat(width - cell.chars().count());
                        line.push_str(&if i == 0 { format!("{cell}{room}") } else { format!("  {room}{cell}") });
                    }
                    text.push_str(line.trim_end());
                    text.push('\n');
                }
                Row::Note(name, note) => {
                    text.push_str(&format!("  {name}: "));
                    for (i, line) in note.lines().enumerate() {
                        text.push_str(if i > 0 && !line.is_empty() { "    " } else { "" });
                        text.push_str(line);
                        text.push('\n');
                    }
                }
            }
        }
        text
    }
}

/// The columns of measurements.
pub const COLUMNS: [&str; 6] = ["", "mean", "95 % interval", "median", "runs", "memory"];

/// What became of the data sets of an entry point.
pub fn of_benchmark<'a>(outcomes: impl IntoIterator<Item = (&'a str, &'a Outcome)>) -> String {
    let mut table = Table::default();
    table.row(COLUMNS.map(str::to_string));
    for (name, outcome) in outcomes {
        match outcome {
            Outcome::Measured(measurement) => table.row(cells(name, measurement)),
            Outcome::Failed(message) => table.note(name.to_string(), message),
        }
    }
    table.text()
}

fn cells(name: &str, measurement: &Measurement) -> Vec<String> {
    let kept = without_outliers(&measurement.times);
    if kept.numbers.is_empty() {
        return vec![name.to_string(), "no runs".to_string()];
    }
    let mut cells = vec![
        name.to_string(),
        time(interval(&kept.numbers).mean),
        spread(&kept.numbers),
        middle(&measurement.times),
        measurement.times.len().to_string(),
        if measurement.bytes.is_empty() { String::new() } else { bytes(measurement.peak()) },
    ];
    let mut remarks = Vec::new();
    if kept.outliers > 0 {
        let most = measurement.times.iter().copied().fold(0.0, f64::max);
        remarks.push(format!(
            "{} outlier{}, up to {}",
            kept.outliers,
            if kept.outliers == 1 { "" } else { "s" },
            time(most)
        ));
    }
    if measurement.converged == Some(false) {
        remarks.push("unsteady".to_string());
    }
    cells.extend((!remarks.is_empty()).then(|| remarks.join("; ")));
    cells
}

/// The differences of data sets, and what they come to. The sides have these names.
pub fn of_comparison(comparison: &Comparison, names: [&str; 2]) -> String {
    let mut text = String::new();
    let mut rest = comparison.rows.as_slice();
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|row| row.benchmark == first.benchmark).count();
        let (group, others) = rest.split_at(count);
        text.push_str(&of_sides(&first.benchmark, group, [], names));
        rest = others;
    }
    for (benchmark, dataset, why) in &comparison.missing {
        text.push_str(&format!("{benchmark}, {dataset}: {why}\n"));
    }
    text.push_str(&sum(comparison, names).unwrap_or_default());
    text
}

/// The differences of the data sets of an entry point, and what became of others.
pub fn of_sides<'a>(
    benchmark: &str,
    rows: &[Compared],
    failed: impl IntoIterator<Item = (&'a str, &'a Outcome)>,
    names: [&str; 2],
) -> String {
    let mut table = Table::default();
    if !rows.is_empty() {
        table.row(["", names[0], names[1], "ratio", "95 % interval", "verdict"].map(str::to_string));
    }
    rows.iter().for_each(|row| table.row(compared(row)));
    for (name, outcome) in failed {
        if let Outcome::Failed(message) = outcome {
            table.note(name.to_string(), message);
        }
    }
    format!("{benchmark}\n{}\n", table.text())
}

/// What all differences come to, if there are any.
pub fn sum(comparison: &Comparison, names: [&str; 2]) -> Option<String> {
    let [faster, slower, undecided] =
        [Verdict::Faster, Verdict::Slower, Verdict::Undecided].map(|verdict| comparison.count(verdict));
    let mean = ratio(comparison.ratio()?);
    let [first, second] = names;
    Some(format!(
        "{second} takes {mean} times as long as {first} in the geometric mean; it is faster in {faster}, slower in \
         {slower}, and undecided in {undecided}\n"
    ))
}

fn compared(row: &Compared) -> Vec<String> {
    let mut cells = vec![row.dataset.clone(), time(row.means.0), time(row.means.1)];
    match row.difference {
        None => {
            let is_short = row.means.0 < SHORTEST && row.means.1 < SHORTEST;
            let why = if is_short { "too short" } else { "too few runs" };
            cells.extend(["?", "", why].map(str::to_string));
        }
        Some(found) => {
            cells.extend([ratio(found.ratio), format!("{} … {}", ratio(found.low), ratio(found.high)), verdict(&found)])
        }
    }
    cells
}

/// How probable a difference is at least that is worth a word about its direction.
const LIKELY: f64 = 0.75;

/// What a difference is, and how sure that is.
pub fn verdict(found: &Difference) -> String {
    let direction = if found.ratio > 1.0 { "slower" } else { "faster" };
    let sure = probability(found.probability);
    match found.verdict() {
        Verdict::Undecided if found.probability < LIKELY => "no difference seen".to_string(),
        Verdict::Undecided => format!("perhaps {direction}, {sure}"),
        Verdict::Faster | Verdict::Slower => format!("{direction}, {sure}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_for_people() {
        let times = [0.04, 12.34, 123.4, 1234.0, 12_340.0, 123_400.0, 1.234e6, 1.234e9, f64::NAN].map(time);
        let expected = ["0.04 µs", "12.3 µs", "123.4 µs", "1.234 ms", "12.34 ms", "123.4 ms", "1.234 s", "1234 s", "?"];
        assert_eq!(times, expected);
        let sizes = [0, 999, 1000, 99_949, 99_950, 999_400, 999_500, 12_000_000_000].map(bytes);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "99.9 kB", "100 kB", "999 kB", "1.0 MB", "12.0 GB"]);
        assert_eq!(["1.000 ms", "100 B", "0.20 µs", "3"].map(round), ["1 ms", "100 B", "0.2 µs", "3"]);
        assert_eq!([0.05, 0.5, 1.0, 12.34, 123.4].map(ratio), ["0.0500", "0.50", "1.00", "12.3", "123"]);
        assert_eq!([0.5, 0.9989, 0.9999].map(probability), ["50.0 %", "99.8 %", "> 99.9 %"]);
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut times = vec![1000.0; 99];
        times.push(5000.0);
        let bytes = BTreeMap::from([("default space".to_string(), 8_000_000)]);
        let measured = |times| {
            Outcome::Measured(Measurement {
                times,
                bytes: bytes.clone(),
                input_bytes: None,
                output_bytes: None,
                converged: Some(false),
            })
        };
        let outcomes =
            [("µ", measured(times)), ("longer", measured(vec![10.0; 5])), ("bad", Outcome::Failed("a\nb".into()))];
        let text = of_benchmark(outcomes.iter().map(|(name, outcome)| (*name, outcome)));
        let expected = "              mean  95 % interval    median  runs  memory
  µ       1.000 ms         ±0.0 %  1.000 ms   100  8.0 MB  1 outlier, up to 5.000 ms; unsteady
  longer   10.0 µs         ±0.0 %     10 µs     5  8.0 MB                             unsteady
  bad: a
    b
";
        assert_eq!(text, expected);
    }

    #[test]
    fn comparisons_say_how_sure_they_are() {
        let row = |dataset: &str, difference| Compared {
            benchmark: "a.fut:main".to_string(),
            dataset: dataset.to_string(),
            means: (1000.0, 500.0),
            peaks: (8, 8),
            difference,
        };
        let found = |ratio, probability| Some(Difference { ratio, low: ratio * 0.9, high: ratio * 1.1, probability });
        let rows =
            vec![row("d", found(0.5, 1.0)), row("e", found(2.0, 0.9)), row("f", None), row("g", found(1.0, 0.52))];
        let missing = vec![("b:main".to_string(), "d".to_string(), "not in the second".to_string())];
        let text = of_comparison(&Comparison { rows, missing }, ["old", "new"]);
        let expected = "a.fut:main
          old       new  ratio  95 % interval                 verdict
  d  1.000 ms  500.0 µs   0.50    0.45 … 0.55        faster, > 99.9 %
  e  1.000 ms  500.0 µs   2.00    1.80 … 2.20  perhaps slower, 90.0 %
  f  1.000 ms  500.0 µs      ?                           too few runs
  g  1.000 ms  500.0 µs   1.00    0.90 … 1.10      no difference seen

b:main, d: not in the second
new takes 1.00 times as long as old in the geometric mean; it is faster in 1, slower in 0, and undecided in 3
";
        assert_eq!(text, expected);
    }
}
