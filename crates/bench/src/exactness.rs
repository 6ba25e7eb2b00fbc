//! How exact the result of a program can be expected to be, as the comment in front of its test block says.
//!
//! ```text
//! -- compare "16M": within 0.05, because a sum of f32 one after the other loses as much
//! -- compare "256 steps": all but 0.5 %, because a fused multiplication rounds once instead of twice
//! ```
//!
//! A data set without such a line is compared strictly. What a line may allow is bounded, and it says why.

use anyhow::{Context, Result, bail};

/// What still counts as the same result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exactness {
    /// How far floats may be apart, relative to the larger one; a number below 1 counts as 1.
    pub f32: f64,
    pub f64: f64,
    /// The share of elements of an array that may differ by more.
    pub exceptions: f64,
}

impl Exactness {
    /// The difference that the order of a sum and fused multiplications may make.
    pub(crate) const STRICT: Exactness = Exactness { f32: 1e-3, f64: 1e-6, exceptions: 0.0 };
}

/// Nothing may be further apart, whatever a comment says: a wrong result would pass.
const FURTHEST: f64 = 0.1;
const MOST_PERCENT: f64 = 1.0;

const MARK: &str = "-- compare ";

/// What the lines in front of the test block allow, by data sets.
pub(crate) fn read(text: &str) -> Result<Vec<(String, Exactness)>> {
    let lines = text.lines().take_while(|line| line.trim_end() != "-- ==").enumerate();
    let marked = lines.filter_map(|(number, line)| Some((number + 1, line.strip_prefix(MARK)?)));
    marked.map(|(number, line)| statement(line).with_context(|| format!("line {number}"))).collect()
}

fn statement(line: &str) -> Result<(String, Exactness)> {
    const FORM: &str = "a comparison is `\"SET\": within NUMBER, because …` or `\"SET\": all but NUMBER %, because …`";
    let (name, rest) = line.strip_prefix('"').and_then(|line| line.split_once("\": ")).context(FORM)?;
    let (what, reason) = rest.split_once(", because ").context(FORM)?;
    if reason.trim().is_empty() {
        bail!("{FORM}");
    }
    let mut exactness = Exactness::STRICT;
    if let Some(number) = what.strip_prefix("within ") {
        let number: f64 = number.parse().context(FORM)?;
        if !(number > 0.0 && number <= FURTHEST) {
            bail!("results within {number} of each other are not compared; at most {FURTHEST} can be");
        }
        (exactness.f32, exactness.f64) = (number, number);
    } else {
        let number = what.strip_prefix("all but ").and_then(|what| what.strip_suffix(" %")).context(FORM)?;
        let number: f64 = number.parse().context(FORM)?;
        if !(number > 0.0 && number <= MOST_PERCENT) {
            bail!("{number} % is too much, at most {MOST_PERCENT} % of the elements may differ");
        }
        exactness.exceptions = number / 100.0;
    }
    Ok((name.to_string(), exactness))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_front_of_the_block_are_read() {
        let text = "-- A sum.\n-- compare \"a, b\": within 0.05, because of f32\n\
                    -- compare \"c\": all but 0.5 %, because of a bound\n-- ==\n-- compare \"d\": within 0.05, because";
        let read = read(text).expect("it is well-formed");
        let within = Exactness { f32: 0.05, f64: 0.05, exceptions: 0.0 };
        let all_but = Exactness { exceptions: 0.005, ..Exactness::STRICT };
        assert_eq!(read, [("a, b".to_string(), within), ("c".to_string(), all_but)]);
    }

    #[test]
    fn what_says_no_reason_or_too_much_is_refused() {
        for line in [
            "\"a\": within 0.05",
            "\"a\": within 0.05, because ",
            "\"a\": within 0.5, because",
            "\"a\": within 0.5, because of f32",
            "\"a\": within -1, because of f32",
            "\"a\": within NaN, because of f32",
            "\"a\": all but 2 %, because of f32",
            "\"a\": all but 0.5, because of f32",
            "a: within 0.05, because of f32",
            "\"a\": about right, because of f32",
        ] {
            assert!(read(&format!("{MARK}{line}\n-- ==\n")).is_err(), "{line}");
        }
    }
}
