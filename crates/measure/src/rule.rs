//! When enough is known about how long something takes.

use crate::compare::{Difference, difference_of_rounds};
use crate::statistics::{interval, without_outliers};
use std::time::Duration;

/// How long to go on. There are at least so many runs and so much time; then runs go on until the 95 % confidence
/// interval of their mean is tight, or the time is up.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub runs: usize,
    pub least: Duration,
    /// For how long to wait for a tight interval; none if it is not waited for.
    pub convergence: Option<Duration>,
}

/// An interval is tight if its ends are within so large a part of the mean, or nearer than so many microseconds, of
/// which the clock tells whole ones only.
const TIGHT: f64 = 0.01;
const TIGHT_MICROSECONDS: f64 = 0.05;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    GoOn,
    Enough {
        /// Whether the interval is tight, if anybody waits for that.
        converged: Option<bool>,
    },
}

impl Rule {
    /// What is to be done after these runs, which have taken so long together with all that is around them.
    pub fn decide(&self, times: &[f64], elapsed: Duration) -> Decision {
        self.after(times.len(), elapsed, || is_tight(times))
    }

    /// The same after rounds in which two programs took turns: the interval of their ratio counts.
    pub fn decide_rounds(&self, rounds: &[(f64, f64)], elapsed: Duration) -> Decision {
        let is_tight = |found: Difference| found.high - found.low <= 2.0 * TIGHT * found.ratio;
        self.after(rounds.len(), elapsed, || difference_of_rounds(rounds).is_some_and(is_tight))
    }

    fn after(&self, count: usize, elapsed: Duration, is_tight: impl FnOnce() -> bool) -> Decision {
        if count < self.runs || elapsed < self.least {
            return Decision::GoOn;
        }
        match self.convergence {
            None => Decision::Enough { converged: None },
            Some(_) if is_tight() => Decision::Enough { converged: Some(true) },
            Some(most) if elapsed >= most + self.least => Decision::Enough { converged: Some(false) },
            Some(_) => Decision::GoOn,
        }
    }
}

fn is_tight(times: &[f64]) -> bool {
    let found = interval(&without_outliers(times).numbers);
    found.half <= (TIGHT * found.mean).max(TIGHT_MICROSECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { runs: 10, least: Duration::from_millis(500), convergence: Some(Duration::from_secs(20)) };

    fn enough(converged: Option<bool>) -> Decision {
        Decision::Enough { converged }
    }

    #[test]
    fn runs_and_time_are_both_needed() {
        let second = Duration::from_secs(1);
        assert_eq!(RULE.decide(&[100.0; 9], second), Decision::GoOn);
        assert_eq!(RULE.decide(&[100.0; 10], second / 10), Decision::GoOn);
        assert_eq!(RULE.decide(&[100.0; 10], second), enough(Some(true)));
        let calm = Rule { convergence: None, ..RULE };
        let restless: Vec<f64> = (0..10).map(|i| f64::from(i) * 100.0).collect();
        assert_eq!(calm.decide(&restless, second), enough(None));
    }

    #[test]
    fn what_varies_takes_longer() {
        let varying: Vec<f64> = (0..10).map(|i| 1000.0 + 50.0 * f64::from(i % 2)).collect();
        assert_eq!(RULE.decide(&varying, Duration::from_secs(1)), Decision::GoOn);
        assert_eq!(RULE.decide(&varying, Duration::from_secs(21)), enough(Some(false)));
        // 25 / sqrt(400) is little, even times two.
        let many: Vec<f64> = (0..400).map(|i| 1000.0 + 50.0 * f64::from(i % 2)).collect();
        assert_eq!(RULE.decide(&many, Duration::from_secs(1)), enough(Some(true)));
        // One run in a hundred that takes ten times as long.
        let mut disturbed = vec![1000.0; 100];
        disturbed[50] = 10_000.0;
        assert_eq!(RULE.decide(&disturbed, Duration::from_secs(1)), enough(Some(true)));
    }

    #[test]
    fn of_rounds_the_ratio_counts() {
        let rounds: Vec<(f64, f64)> = (1..=10).map(|i| 100.0 * f64::from(i)).map(|t| (t, 2.0 * t)).collect();
        assert_eq!(RULE.decide_rounds(&rounds, Duration::from_secs(1)), enough(Some(true)));
        let unlike: Vec<(f64, f64)> = (0..10).map(|i| (100.0, 100.0 + 50.0 * f64::from(i % 2))).collect();
        assert_eq!(RULE.decide_rounds(&unlike, Duration::from_secs(1)), Decision::GoOn);
    }
}
