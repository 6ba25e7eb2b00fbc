//! What happened over many programs.

use kenaz_driver::compare::{Agreement, Answer};
use kenaz_ir::Log;
use std::collections::BTreeMap;
use std::fmt;

/// A rule that was used less often has hardly been tested.
pub const ENOUGH: u64 = 100;

#[derive(Clone, Default, Debug)]
pub struct Totals {
    pub programs: usize,
    /// Runs that ended with values.
    pub succeeded: usize,
    /// Runs that failed, before and after every pass.
    pub failed: usize,
    /// Those of them that failed with another message after some pass.
    pub other_message: usize,
    /// How often each rule was used.
    pub rules: BTreeMap<&'static str, u64>,
}

impl Totals {
    pub fn count_rules(&mut self, log: &Log) {
        for (rule, n) in log.counts() {
            *self.rules.entry(rule).or_default() += n;
        }
    }

    pub fn count_run(&mut self, agreement: &Agreement) {
        match agreement.answer {
            Answer::Values(..) => self.succeeded += 1,
            Answer::Failed(_) | Answer::Fault(_) => self.failed += 1,
        }
        self.other_message += usize::from(agreement.other_message);
    }

    pub fn add(&mut self, other: &Totals) {
        self.programs += other.programs;
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.other_message += other.other_message;
        for (rule, n) in &other.rules {
            *self.rules.entry(rule).or_default() += n;
        }
    }

    /// The rules that were not used [`ENOUGH`] times, with how often they were.
    pub fn rare(&self) -> Vec<(&'static str, u64)> {
        let used = |rule: &'static str| (rule, self.rules.get(rule).copied().unwrap_or(0));
        kenaz_optimise::rules().into_iter().map(used).filter(|(_, n)| *n < ENOUGH).collect()
    }

    /// The rules that were used but that no list has.
    pub fn unlisted(&self) -> Vec<&'static str> {
        let listed = kenaz_optimise::rules();
        self.rules.keys().filter(|rule| !listed.contains(rule)).copied().collect()
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rule, n) in &self.rules {
            writeln!(f, "{n:>10} {rule}")?;
        }
        for (rule, n) in self.rare() {
            writeln!(f, "{n:>10} {rule}: fewer than {ENOUGH}")?;
        }
        for rule in self.unlisted() {
            writeln!(f, "{rule} is not in the list of rules of its pass")?;
        }
        let Totals { programs, succeeded, failed, other_message, .. } = self;
        writeln!(
            f,
            "{programs} programs agree; of their runs {succeeded} succeeded and {failed} failed, {other_message} with \
             another message"
        )
    }
}
