//! How much a program has to move or to compute, as the comment in front of its test block says.
//!
//! ```text
//! -- work "64M": 0.53687091 GB
//! -- work "4096": 137.438953 GFLOP
//! -- work "512": 0.26843546 GFLOP of f64
//! ```
//!
//! Bytes are those of arguments and results, each once for each step: what no program can do without. Operations are on
//! f32, or on what is as fast, unless the line says otherwise.

use anyhow::{Context, Result, bail};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    /// In units of 10⁹.
    amount: f64,
    pub kind: Kind,
}

/// Which limit of a device a program meets first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bytes,
    F32,
    F64,
}

const MARK: &str = "-- work ";
const KINDS: [(&str, Kind); 3] = [("GB", Kind::Bytes), ("GFLOP", Kind::F32), ("GFLOP of f64", Kind::F64)];
const FORM: &str = "expected `-- work \"DATA SET\": NUMBER GB`, `GFLOP` or `GFLOP of f64`";

impl Work {
    /// How many units a second a run of so many microseconds comes to.
    pub(crate) fn rate(self, microseconds: f64) -> f64 {
        self.amount / (microseconds / 1e6)
    }

    /// The same, for people.
    pub(crate) fn speed(self, microseconds: f64) -> String {
        speed(self.kind, self.rate(microseconds))
    }
}

/// A number of units a second, for people.
pub(crate) fn speed(kind: Kind, rate: f64) -> String {
    let digits = if rate < 10.0 { 2 } else { usize::from(rate < 100.0) };
    let unit = if kind == Kind::Bytes { "GB" } else { "GFLOP" };
    format!("{rate:.digits$} {unit}/s")
}

/// What the lines in front of the test block say, by data sets.
pub(crate) fn read(text: &str) -> Result<Vec<(String, Work)>> {
    let lines = text.lines().take_while(|line| line.trim_end() != "-- ==").enumerate();
    let marked = lines.filter_map(|(number, line)| Some((number + 1, line.strip_prefix(MARK)?)));
    marked.map(|(number, line)| statement(line).with_context(|| format!("line {number}"))).collect()
}

fn statement(line: &str) -> Result<(String, Work)> {
    let (name, rest) = line.strip_prefix('"').and_then(|line| line.split_once("\": ")).context(FORM)?;
    let (amount, unit) = rest.trim_end().split_once(' ').context(FORM)?;
    let amount: f64 = amount.parse().context(FORM)?;
    let (_, kind) = KINDS.into_iter().find(|(known, _)| *known == unit).context(FORM)?;
    if !(amount > 0.0 && amount.is_finite()) {
        bail!("{FORM}");
    }
    Ok((name.to_string(), Work { amount, kind }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_units() {
        let text = "-- A copy.\n-- work \"a, b\": 0.5 GB\n-- work \"c\": 137.4 GFLOP\n-- ==\n-- work \"d\": 1 GB\n";
        let read = read(text).unwrap();
        assert_eq!(read.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a, b", "c"]);
        assert_eq!(read[0].1.speed(1000.0), "500 GB/s");
        assert_eq!([read[1].1.speed(1e7), read[1].1.speed(1e8)], ["13.7 GFLOP/s", "1.37 GFLOP/s"]);
    }

    #[test]
    fn operations_on_doubles_are_a_kind_of_their_own() {
        let read = read("-- work \"a\": 2 GFLOP of f64\n").unwrap();
        assert_eq!((read[0].1.kind, read[0].1.rate(1e6)), (Kind::F64, 2.0));
        assert_eq!(read[0].1.speed(1e6), "2.00 GFLOP/s");
    }

    #[test]
    fn other_forms_are_refused() {
        for line in
            ["\"a\": 1", "\"a\": 1 MB", "\"a\": -1 GB", "\"a\": inf GB", "a: 1 GB", "\"a\": x GB", "\"a\": 1 GB of f64"]
        {
            assert!(read(&format!("{MARK}{line}\n-- ==\n")).is_err(), "{line}");
        }
    }
}
