//! Numbers about numbers: middles, intervals, outliers.

/// The middle of some numbers, of which there is one at least.
pub fn median(numbers: &[f64]) -> f64 {
    quantile(&sorted(numbers), 0.5)
}

pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The least of some numbers.
pub fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The greatest of some numbers, none of which is negative.
pub fn most(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

pub fn sorted(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The number below which such a part of sorted numbers lies, of which there is one at least. Between two of them it is
/// interpolated.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (at - at.floor())
}

/// A mean and how far it may be from the truth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; infinite for one number.
    pub half: f64,
}

impl Interval {
    pub fn low(&self) -> f64 {
        self.mean - self.half
    }

    pub fn high(&self) -> f64 {
        self.mean + self.half
    }
}

/// Batches of which the means count as independent.
const BATCHES: usize = 20;

/// The means of some batches of numbers that follow one another, or the numbers themselves if there are few. What
/// follows one another is alike: a machine that is busy now is so in the next run. Means of long batches are much less
/// so, and nothing needs to be known about the way in which they are.
pub fn batch_means(numbers: &[f64]) -> Vec<f64> {
    let batches = numbers.len().min(BATCHES);
    let begin = |i: usize| i * numbers.len() / batches;
    (0..batches).map(|i| mean(&numbers[begin(i)..begin(i + 1)])).collect()
}

/// The mean of numbers in the order in which they were measured, with Student's 95 % confidence interval over the means
/// of batches.
pub fn interval(numbers: &[f64]) -> Interval {
    let mean = mean(numbers);
    let batches = batch_means(numbers);
    if batches.len() < 2 {
        return Interval { mean, half: f64::INFINITY };
    }
    let count = batches.len() as f64;
    let variance = batches.iter().map(|batch| (batch - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Interval { mean, half: student(batches.len() - 1) * (variance / count).sqrt() }
}

/// The 97.5 % quantile of Student's distribution with so many degrees of freedom, of which there is one at least.
fn student(degrees: usize) -> f64 {
    const TABLE: [f64; BATCHES - 1] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093,
    ];
    TABLE[degrees.clamp(1, TABLE.len()) - 1]
}

/// Numbers without those that are far from all others.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// In their order.
    pub numbers: Vec<f64>,
    /// How many were left out, and for what.
    pub outliers: usize,
    /// The least and the greatest number that stays.
    pub fences: (f64, f64),
}

/// How far from the middle a number is no outlier, whatever the others are: as a part of the median, and absolutely,
/// which is twice the resolution of clocks in microseconds.
const NEAR: f64 = 0.05;
const RESOLUTION: f64 = 2.0;
/// The largest part of numbers that may be outliers; if it were more, they would be what usually happens.
const MOST_OUTLIERS: f64 = 0.1;

/// Leaves out what is more than three times as far outside the quartiles as these are apart: runs in which the machine
/// did something else. Nothing is left out of a few numbers, nor more than a tenth of many.
pub fn without_outliers(numbers: &[f64]) -> Kept {
    let near = if numbers.is_empty() { 0.0 } else { NEAR * median(numbers) };
    without_outliers_beyond(numbers, near.max(RESOLUTION))
}

/// The same where what is at most so far outside the quartiles always stays.
pub fn without_outliers_beyond(numbers: &[f64], near: f64) -> Kept {
    const FEW: usize = 5;
    let all = Kept { numbers: numbers.to_vec(), outliers: 0, fences: (f64::NEG_INFINITY, f64::INFINITY) };
    if numbers.len() < FEW {
        return all;
    }
    let sorted = sorted(numbers);
    let (first, third) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let far = (3.0 * (third - first)).max(near);
    let fences = (first - far, third + far);
    let kept: Vec<f64> = numbers.iter().copied().filter(|x| (fences.0..=fences.1).contains(x)).collect();
    let outliers = numbers.len() - kept.len();
    if outliers as f64 > MOST_OUTLIERS * numbers.len() as f64 {
        return all;
    }
    Kept { numbers: kept, outliers, fences }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3 * b.abs().max(1.0)
    }

    #[test]
    fn middles_and_quantiles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!((quantile(&sorted, 0.25), quantile(&sorted, 1.0), quantile(&[7.0], 0.3)), (1.75, 4.0, 7.0));
        assert_eq!((least(&[2.0, 1.0]), most(&[1.0, 2.0]), mean(&[1.0, 2.0])), (1.0, 2.0, 1.5));
    }

    #[test]
    fn intervals_as_in_textbooks() {
        // Ten numbers with the standard deviation 3.0277: 2.262 * 3.0277 / sqrt(10).
        let numbers: Vec<f64> = (1..=10).map(f64::from).collect();
        let Interval { mean, half } = interval(&numbers);
        assert!(mean == 5.5 && near(half, 2.1659), "{half}");
        assert_eq!(interval(&[3.0, 3.0, 3.0]).half, 0.0);
        assert_eq!(interval(&[3.0]).half, f64::INFINITY);
    }

    #[test]
    fn numbers_that_stay_alike_for_a_while_say_less() {
        let runs =
            |period: usize| (0..4000).map(|i| if (i / period) % 2 < 1 { 90.0 } else { 110.0 }).collect::<Vec<_>>();
        // Batches of two hundred runs are all alike where each run differs from the next one, and are not where four
        // hundred runs in a row are alike: then their deviation is 10.26, and 2.093 * 10.26 / sqrt(20) is 4.80.
        assert!(near(interval(&runs(1)).half, 0.0));
        assert!(near(interval(&runs(400)).half, 4.802), "{}", interval(&runs(400)).half);
    }

    #[test]
    fn batches_have_all_numbers_once() {
        let numbers: Vec<f64> = (0..47).map(f64::from).collect();
        let batches = batch_means(&numbers);
        assert_eq!((batches.len(), batches[0], batches[19]), (20, 0.5, 45.0));
        assert_eq!(batch_means(&[1.0, 2.0]), [1.0, 2.0]);
    }

    #[test]
    fn outliers() {
        let mut numbers: Vec<f64> = (0..100).map(|i| 1000.0 + f64::from(i % 10)).collect();
        assert_eq!(without_outliers(&numbers).outliers, 0);
        // 1040 is within five percent.
        numbers.extend([1040.0, 2000.0, 10.0]);
        let kept = without_outliers(&numbers);
        assert_eq!((kept.outliers, kept.numbers.len(), kept.numbers.last()), (2, 101, Some(&1040.0)));
        // A fifth of all runs is no accident.
        numbers.extend([2000.0; 25]);
        assert_eq!(without_outliers(&numbers).outliers, 0);
        // A clock with microseconds says 0 or 1 for what takes less.
        let ticks: Vec<f64> = (0..100).map(|i| f64::from(u8::from(i % 20 == 0))).collect();
        assert_eq!(without_outliers(&ticks).outliers, 0);
        assert_eq!(without_outliers(&[1.0, 100.0]).numbers, [1.0, 100.0]);
    }
}
