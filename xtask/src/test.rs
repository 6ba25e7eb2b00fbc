//! `cargo xtask test` and `cargo xtask bless`.

use crate::step::{cargo, run, step, watch, works};
use anyhow::{Context, Result, bail};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lints {
    Checked,
    LeftOut,
}

/// Whether all holds that must. The last line printed is `N passed, N failed`.
pub fn test(lints: Lints) -> Result<bool> {
    for component in ["fmt", "clippy"] {
        if !works(&mut cargo(&format!("{component} --version"))) {
            println!("`cargo {component}` is missing, installing it");
            let package = if component == "fmt" { "rustfmt" } else { component };
            run(std::process::Command::new("rustup").args(["component", "add", package]))
                .with_context(|| format!("please install the Rust component `{package}`"))?;
        }
    }
    // A failed step does not hide the results of the next.
    let mut results = vec![("format", step("format", || run(&mut cargo("fmt --all --check"))))];
    if lints == Lints::Checked {
        let clippy = "clippy --quiet --workspace --all-targets --locked -- -D warnings";
        results.push(("lints", step("lints", || run(&mut cargo(clippy)))));
        // A browser has no processes and loads no libraries.
        let portable = "clippy --quiet --package kenaz-driver --no-default-features --locked -- -D warnings";
        results.push(("portable", step("portable", || run(&mut cargo(portable)))));
    }
    let mut counts = Counts::default();
    results.push(("tests", step("tests", || run_tests(&mut counts))));
    let is_clang = |name: &&str| works(std::process::Command::new(name).arg("--version"));
    if !["clang-15", "clang"].iter().any(is_clang) {
        println!("without clang ThreadSanitizer was left out; in Debian the packages are clang-15 and libomp-15-dev");
    }

    let failed: Vec<_> = results.into_iter().filter_map(|(name, result)| Some((name, result.err()?))).collect();
    for (name, error) in &failed {
        println!("{name}: {error:#}");
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    Ok(failed.is_empty())
}

/// Rewrites the expectations of tests whose name contains a filter, or of all.
pub fn bless(filter: &[&str]) -> Result<()> {
    let mut command = cargo("test --quiet --workspace --no-fail-fast --");
    run(command.env("BLESS", "1").args(filter))
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Counts {
    passed: usize,
    failed: usize,
}

/// Unit tests, file tests and the hygiene test, by nextest where it is installed.
fn run_tests(counts: &mut Counts) -> Result<()> {
    let nextest = works(&mut cargo("nextest --version"));
    let mut command = if nextest {
        cargo("nextest run --workspace --locked --no-fail-fast --status-level fail --final-status-level fail")
    } else {
        cargo("test --workspace --locked --no-fail-fast")
    };
    let (text, ok) = watch(&mut command)?;
    let found = if nextest { count_nextest(&text) } else { count_libtest(&text) };
    *counts = found.context("the test runner printed no result")?;
    if !ok || counts.failed > 0 {
        bail!("some failed");
    }
    Ok(())
}

/// From `Summary [ 0.1s] 12 tests run: 11 passed (1 slow), 1 failed, 0 skipped`.
fn count_nextest(text: &str) -> Option<Counts> {
    let summary = text.lines().rev().find(|line| line.contains("Summary ["))?;
    let number = |what: &str| {
        let words: Vec<&str> = summary.split_whitespace().map(|word| word.trim_matches([',', '('])).collect();
        let pair = words.windows(2).find(|pair| pair[1] == what)?;
        pair[0].parse::<usize>().ok()
    };
    // Tests that end by a signal, run too long or cannot be started have their own words.
    let failed = ["failed", "timed", "exec"].iter().filter_map(|what| number(what)).sum();
    Some(Counts { passed: number("passed").unwrap_or(0), failed })
}

/// From the lines `test result: ok. 3 passed; 0 failed; …`, one per test binary.
fn count_libtest(text: &str) -> Option<Counts> {
    let mut counts = None;
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
        let number = |what: &str| {
            let before = line.split(what).next()?;
            before.split_whitespace().next_back()?.parse::<usize>().ok()
        };
        let Counts { passed, failed } = counts.unwrap_or_default();
        counts = Some(Counts {
            passed: passed + number(" passed").unwrap_or(0),
            failed: failed + number(" failed").unwrap_or(0),
        });
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nextest_results_are_read() {
        let text = "x\n     Summary [   0.005s] 13/14 tests run: 12 passed (1 slow), 1 failed, 2 skipped\n   FAIL a\n";
        assert_eq!(count_nextest(text), Some(Counts { passed: 12, failed: 1 }));
        let text = "     Summary [   0.005s] 12 tests run: 12 passed, 0 skipped\n";
        assert_eq!(count_nextest(text), Some(Counts { passed: 12, failed: 0 }));
        assert_eq!(count_nextest("error: could not compile"), None);
    }

    #[test]
    fn libtest_results_are_added_up() {
        let text =
            "test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 4 passed; 2 failed; 0 ignored\n";
        assert_eq!(count_libtest(text), Some(Counts { passed: 7, failed: 2 }));
        assert_eq!(count_libtest(""), None);
    }
}
