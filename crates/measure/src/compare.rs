//! Whether one is faster than the other, and how sure that is.
//!
//! The test is a bootstrap. What was measured is replaced by as many numbers drawn from it, again and again; the ratios
//! that come out show how much depends on chance. Numbers that follow one another are alike, so that batches of runs
//! are drawn and not single runs; where both sides took turns, whole rounds are drawn, in which both saw the same state
//! of the machine.

use crate::results::{Measurement, Results};
use crate::statistics::{batch_means, mean, quantile, sorted, without_outliers, without_outliers_beyond};

/// How many times as long the second one takes as the first one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    pub ratio: f64,
    /// The 95 % confidence interval.
    pub low: f64,
    pub high: f64,
    /// That the second one is really slower if the ratio is greater than 1, or faster if it is less.
    pub probability: f64,
}

/// What people may conclude.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Faster,
    Slower,
    /// It may be chance.
    Undecided,
}

/// From which probability on something counts as known.
pub const SURE: f64 = 0.99;
/// Fewer numbers say nothing about chance.
pub const FEWEST: usize = 5;
const DRAWS: usize = 10_000;
/// If both take fewer microseconds, what is measured is how long a call takes.
pub const SHORTEST: f64 = 1.0;

impl Difference {
    /// What the second one is.
    pub fn verdict(&self) -> Verdict {
        match self.ratio {
            _ if self.probability < SURE => Verdict::Undecided,
            ratio if ratio < 1.0 => Verdict::Faster,
            _ => Verdict::Slower,
        }
    }
}

/// The difference between runs of two programs, each in its order; none if there are too few, or if they take no time
/// that a clock can tell.
pub fn difference(first: &[f64], second: &[f64]) -> Option<Difference> {
    let batches = |times: &[f64]| (times.len() >= FEWEST).then(|| batch_means(&without_outliers(times).numbers));
    let (first, second) = (batches(first)?, batches(second)?);
    let mut chance = Chance(1);
    let ratios = |chance: &mut Chance| chance.mean_of(&second) / chance.mean_of(&first);
    concluded(mean(&second) / mean(&first), (0..DRAWS).map(|_| ratios(&mut chance)).collect())
}

/// The same between programs that took turns, from the times of each round.
pub fn difference_of_rounds(rounds: &[(f64, f64)]) -> Option<Difference> {
    /// Of the logarithm of a ratio: one that is nearer to the others is no outlier.
    const NEAR: f64 = 0.05;
    if rounds.len() < FEWEST {
        return None;
    }
    let logarithms: Vec<f64> = rounds.iter().map(|(first, second)| (second / first).ln()).collect();
    if logarithms.iter().any(|x| !x.is_finite()) {
        // Sums of times too short for the clock can be compared, ratios of them cannot.
        let (first, second): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        return difference(&first, &second);
    }
    let kept = without_outliers_beyond(&logarithms, NEAR).numbers;
    let mut chance = Chance(1);
    concluded(mean(&kept).exp(), (0..DRAWS).map(|_| chance.mean_of(&kept).exp()).collect())
}

/// What the ratios of all draws say about the ratio that was measured.
fn concluded(ratio: f64, drawn: Vec<f64>) -> Option<Difference> {
    // Draws of nothing but times too short for the clock speak for neither.
    let drawn: Vec<f64> = drawn.into_iter().map(|x| if x.is_nan() { 1.0 } else { x }).collect();
    let share = |of: &dyn Fn(f64) -> bool| drawn.iter().filter(|x| of(**x)).count() as f64 / drawn.len() as f64;
    // What is equal speaks for neither.
    let slower = share(&|x| x > 1.0) + share(&|x| x == 1.0) / 2.0;
    let drawn = sorted(&drawn);
    let probability = if ratio > 1.0 { slower } else { 1.0 - slower };
    let (low, high) = (quantile(&drawn, 0.025), quantile(&drawn, 0.975));
    let is_known = ratio.is_finite() && low.is_finite() && high.is_finite();
    is_known.then_some(Difference { ratio, low, high, probability })
}

/// Always the same numbers, so that the same measurements always lead to the same words.
struct Chance(u64);

impl Chance {
    /// The mean of as many numbers, drawn from these.
    fn mean_of(&mut self, numbers: &[f64]) -> f64 {
        (0..numbers.len()).map(|_| numbers[self.below(numbers.len())]).sum::<f64>() / numbers.len() as f64
    }

    fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(x ^ (x >> 31)) * limit as u128) >> 64) as usize
    }
}

/// A data set that was measured on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    pub benchmark: String,
    pub dataset: String,
    /// Microseconds without outliers.
    pub means: (f64, f64),
    pub peaks: (u64, u64),
    /// None if there are too few runs, or both are too short.
    pub difference: Option<Difference>,
}

impl Compared {
    pub fn of(benchmark: &str, dataset: &str, sides: (&Measurement, &Measurement)) -> Compared {
        let (first, second) = sides;
        Compared::with(benchmark, dataset, sides, difference(&first.times, &second.times))
    }

    /// The same where the difference is known already.
    pub fn with(
        benchmark: &str,
        dataset: &str,
        (first, second): (&Measurement, &Measurement),
        difference: Option<Difference>,
    ) -> Compared {
        let usual = |measured: &Measurement| mean(&without_outliers(&measured.times).numbers);
        let means = (usual(first), usual(second));
        Compared {
            benchmark: benchmark.to_string(),
            dataset: dataset.to_string(),
            means,
            peaks: (first.peak(), second.peak()),
            difference: difference.filter(|_| means.0 >= SHORTEST || means.1 >= SHORTEST),
        }
    }
}

/// Two files of measurements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    pub rows: Vec<Compared>,
    /// Data sets that only one of them has measured: of which entry point, which, and what there is to say.
    pub missing: Vec<(String, String, String)>,
}

impl Comparison {
    pub fn of(first: &Results, second: &Results) -> Comparison {
        let mut comparison = Comparison::default();
        for (benchmark, dataset, outcome) in first.iter() {
            let other = second.find(benchmark, dataset);
            let measured = (outcome.measurement(), other.and_then(|outcome| outcome.measurement()));
            if let (Some(one), Some(other)) = measured
                && !one.times.is_empty()
                && !other.times.is_empty()
            {
                comparison.rows.push(Compared::of(benchmark, dataset, (one, other)));
                continue;
            }
            let why = match (measured.0, other) {
                (None, _) => "failed in the first",
                (Some(_), None) => "not in the second",
                (Some(_), Some(_)) if measured.1.is_none() => "failed in the second",
                (Some(_), Some(_)) => "no runs",
            };
            comparison.missing.push((benchmark.to_string(), dataset.to_string(), why.to_string()));
        }
        for (benchmark, dataset, _) in second.iter() {
            if first.find(benchmark, dataset).is_none() {
                let why = "not in the first".to_string();
                comparison.missing.push((benchmark.to_string(), dataset.to_string(), why));
            }
        }
        comparison
    }

    /// The geometric mean of all ratios.
    pub fn ratio(&self) -> Option<f64> {
        let logarithms: Vec<f64> = self.rows.iter().filter_map(|row| Some(row.difference?.ratio.ln())).collect();
        (!logarithms.is_empty()).then(|| mean(&logarithms).exp())
    }

    /// In how many data sets the second one is so.
    pub fn count(&self, verdict: Verdict) -> usize {
        let verdicts = self.rows.iter().map(|row| row.difference.map_or(Verdict::Undecided, |it| it.verdict()));
        verdicts.filter(|other| *other == verdict).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Outcome;
    use std::collections::BTreeMap;

    fn measured(times: &[f64]) -> Measurement {
        let bytes = BTreeMap::from([("default space".to_string(), 8)]);
        Measurement { times: times.to_vec(), bytes, input_bytes: None, output_bytes: None, converged: None }
    }

    #[test]
    fn certain_and_impossible_differences() {
        let twice = difference(&[10.0; 8], &[20.0; 8]).unwrap();
        assert_eq!(twice, Difference { ratio: 2.0, low: 2.0, high: 2.0, probability: 1.0 });
        assert_eq!(twice.verdict(), Verdict::Slower);
        assert_eq!(difference(&[20.0; 8], &[10.0; 8]).unwrap().verdict(), Verdict::Faster);
        let same = difference(&[10.0; 8], &[10.0; 8]).unwrap();
        assert_eq!((same.probability, same.verdict()), (0.5, Verdict::Undecided));
        assert_eq!(difference(&[10.0; 4], &[20.0; 8]), None);
        assert_eq!(difference(&[0.0; 8], &[0.0; 8]), None);
    }

    #[test]
    fn draws_find_the_probability_that_all_draws_together_have() {
        // Of five numbers a = {10, 10, 10, 10, 15} and b = {11, …}, a mean is 10 + k with k of the binomial
        // distribution of 5 draws with probability 1/5. It is below 11 without the 15, which is so in 0.8^5 = 0.32768
        // of all cases, and equal with one of them, in 5 * 0.2 * 0.8^4 = 0.4096.
        let (a, b) = ([10.0, 10.0, 10.0, 10.0, 15.0], [11.0; 5]);
        let found = difference(&a, &b).unwrap();
        assert_eq!(found.ratio, 1.0);
        // The ratio is 1, so that the probability is that of being faster.
        let expected = 1.0 - (0.32768 + 0.4096 / 2.0);
        assert!((found.probability - expected).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn intervals_of_ratios() {
        // Twenty numbers half apart have the standard deviation 2.883, and a mean of as many drawn from them 0.6447.
        // The ratio of such means of about 100 and 110 has 1.1 * sqrt(0.006447^2 + 0.005861^2) = 0.00958, and its
        // interval 1.96 times that on either side.
        let around = |middle: f64| (0..20).map(|i| middle + f64::from(i * 7 % 20) * 0.5 - 4.75).collect::<Vec<_>>();
        let found = difference(&around(100.0), &around(110.0)).unwrap();
        assert!((found.ratio - 1.1).abs() < 1e-9);
        assert!((found.low - 1.0812).abs() < 0.002 && (found.high - 1.1188).abs() < 0.002, "{found:?}");
        assert!(found.probability > 0.999);
    }

    #[test]
    fn rounds_tell_what_the_state_of_the_machine_hides() {
        // The machine becomes slower all the time, but the second one takes two percent longer in every round.
        let rounds: Vec<(f64, f64)> = (0..20).map(|i| 100.0 + 10.0 * f64::from(i)).map(|t| (t, t * 1.02)).collect();
        let found = difference_of_rounds(&rounds).unwrap();
        assert!((found.ratio - 1.02).abs() < 1e-9 && found.probability == 1.0, "{found:?}");
        let (first, second): (Vec<f64>, Vec<f64>) = rounds.iter().copied().unzip();
        assert_eq!(difference(&first, &second).unwrap().verdict(), Verdict::Undecided);
        // A round in which something else happened does not count.
        let mut disturbed = rounds.clone();
        disturbed.push((100.0, 1000.0));
        assert!((difference_of_rounds(&disturbed).unwrap().ratio - 1.02).abs() < 1e-9);
        assert_eq!(difference_of_rounds(&rounds[..4]), None);
        assert!(difference_of_rounds(&[(0.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 2.0)]).is_some());
    }

    #[test]
    fn files_side_by_side() {
        let mut first = Results::default();
        let mut second = Results::default();
        let good = |times: &[f64]| Outcome::Measured(measured(times));
        first.add("a:main", "both", good(&[10.0; 6]));
        second.add("a:main", "both", good(&[5.0; 6]));
        first.add("a:main", "failed", good(&[10.0; 6]));
        second.add("a:main", "failed", Outcome::Failed("no".to_string()));
        first.add("a:main", "one", good(&[10.0; 6]));
        second.add("b:main", "other", good(&[10.0; 6]));
        first.add("c:main", "few", good(&[10.0]));
        second.add("c:main", "few", good(&[20.0]));
        first.add("c:main", "short", good(&[0.0, 1.0, 0.0, 1.0, 0.0]));
        second.add("c:main", "short", good(&[0.0, 1.0, 0.0, 0.0, 0.0]));
        first.add("c:main", "none", good(&[]));
        second.add("c:main", "none", good(&[]));
        let comparison = Comparison::of(&first, &second);
        let rows: Vec<_> = comparison.rows.iter().map(|row| (&*row.dataset, row.means)).collect();
        assert_eq!(rows, [("both", (10.0, 5.0)), ("few", (10.0, 20.0)), ("short", (0.4, 0.2))]);
        assert_eq!(comparison.ratio(), Some(0.5));
        assert_eq!(
            comparison.rows.iter().map(|row| row.difference.is_some()).collect::<Vec<_>>(),
            [true, false, false]
        );
        let missing: Vec<_> = comparison.missing.iter().map(|(_, set, why)| (&**set, &**why)).collect();
        let expected = [
            ("failed", "failed in the second"),
            ("one", "not in the second"),
            ("none", "no runs"),
            ("other", "not in the first"),
        ];
        assert_eq!(missing, expected);
        let counts = [Verdict::Faster, Verdict::Slower, Verdict::Undecided].map(|verdict| comparison.count(verdict));
        assert_eq!(counts, [1, 0, 2]);
    }
}
