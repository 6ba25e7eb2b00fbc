//! The search for the thresholds of a program: from which size on it uses which version of a nest.
//!
//! A threshold is compared with a size when the program runs, so that one value is a choice for each data set: those
//! that are larger run in one way, the others in another one. So values between the sizes are tried, by powers of four,
//! one threshold after the other and the outermost first. One that makes no difference where it is lowest and highest
//! is left alone. What is measured is how long each data set takes relative to its time before; what counts is the
//! geometric mean of that. The results are compared with those before, too.

use crate::bench::median;
use crate::{TuneError, bench};
use kenaz_ir::TunableClass;
use kenaz_runtime::{Tolerance, Value};
use kenaz_testing::{Compiled, DataSet, RunError, Tuning, agree};
use std::collections::BTreeSet;
use std::time::Duration;

/// What was found.
pub struct Tuned {
    /// The thresholds that make a difference.
    pub tuning: Tuning,
    /// The time of all data with them over that with the defaults.
    pub ratio: f64,
    /// How many thresholds the entry points have.
    pub thresholds: usize,
    /// Values with which the results are others, which is a fault of the compiler, and what differs.
    pub wrong: Vec<String>,
}

/// Something that is told how far a search is.
pub trait Watch {
    /// What is measured next or was found, from the most important (0) to the least.
    fn tell(&mut self, importance: u8, text: &str);
    /// The untuned program has run once with all data, in so long at most.
    fn ran(&mut self, _slowest: Duration) {}
}

/// The largest value: what is compared with it is always smaller.
const NEVER: u64 = i32::MAX as u64;
/// How much of the time a threshold must change to make a difference.
const DIFFERENCE: f64 = 0.03;
/// How much better a value must be than what it replaces.
const BETTER: f64 = 0.98;

struct Measured {
    set: DataSet,
    results: Vec<Value>,
    /// In seconds, with the defaults.
    before: f64,
}

/// Searches for the thresholds of a program with which its data take the least time, running each so often.
pub fn thresholds(
    program: &Compiled,
    data: Vec<DataSet>,
    runs: usize,
    tolerance: &Tolerance,
    watch: &mut dyn Watch,
) -> Result<Tuned, TuneError> {
    let mut measured = Vec::new();
    let mut slowest = Duration::ZERO;
    for set in data {
        let failed = |message: String| TuneError::Run(format!("{}, {}: {message}", set.entry, set.name));
        let (time, results) = time(program, &set, runs).map_err(|error| failed(bench::text(error)))?;
        if let Some(expected) = &set.expected {
            agree(expected, &results, tolerance).map_err(failed)?;
        }
        watch.tell(1, &format!("{}, {}: {:.3} ms", set.entry, set.name, time * 1e3));
        slowest = slowest.max(Duration::from_secs_f64(time));
        measured.push(Measured { set, results, before: time });
    }
    watch.ran(slowest);
    let entries: BTreeSet<String> = measured.iter().map(|one| one.set.entry.clone()).collect();
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let params = program.program.tuning_params(&entry).map_err(|error| TuneError::Run(bench::text(error)))?;
        let is_threshold = |(name, class): (String, String)| (class == TunableClass::Threshold.name()).then_some(name);
        let new: Vec<String> =
            params.into_iter().filter_map(is_threshold).filter(|name| !names.contains(name)).collect();
        names.extend(new);
    }
    let mut tuned = Tuned { tuning: Vec::new(), ratio: 1.0, thresholds: names.len(), wrong: Vec::new() };
    let mut search = Search { program, data: &measured, runs, tolerance, watch };
    let mut best = vec![1.0; measured.len()];
    for name in names {
        let (lowest, highest) =
            (search.with(&name, 0, &mut tuned.wrong)?, search.with(&name, NEVER, &mut tuned.wrong)?);
        let pairs = || lowest.iter().zip(&highest);
        let is_mixed = pairs().any(|(low, high)| low < high) && pairs().any(|(low, high)| high < low);
        let differ = pairs().any(|(low, high)| (low / high - 1.0).abs() > DIFFERENCE);
        let mut found = vec![(0, lowest.clone()), (NEVER, highest.clone())];
        // Where one way is best for all data, nothing between is better.
        if differ && is_mixed {
            for exponent in (2..=30).step_by(2) {
                let value = 1 << exponent;
                found.push((value, search.with(&name, value, &mut tuned.wrong)?));
            }
        }
        found.retain(|(_, ratios)| differ && mean(ratios) < BETTER * mean(&best));
        let chosen = found.into_iter().min_by(|(_, a), (_, b)| mean(a).total_cmp(&mean(b)));
        search.set(&name, chosen.as_ref().map(|(value, _)| *value))?;
        match chosen {
            Some((value, ratios)) => {
                search.watch.tell(0, &format!("{name}={value}: {:.2} of the time", mean(&ratios)));
                tuned.tuning.push((name, value));
                best = ratios;
            }
            None => search.watch.tell(1, &format!("{name} stays as it is")),
        }
    }
    tuned.ratio = mean(&best);
    Ok(tuned)
}

struct Search<'a> {
    program: &'a Compiled,
    data: &'a [Measured],
    runs: usize,
    tolerance: &'a Tolerance,
    watch: &'a mut dyn Watch,
}

impl Search<'_> {
    fn set(&mut self, name: &str, value: Option<u64>) -> Result<(), TuneError> {
        self.program.program.set_tuning_param(name, value).map_err(|error| TuneError::Run(bench::text(error)))
    }

    /// How long each data set takes with a value, relative to its time with the defaults. One that fails takes for
    /// ever.
    fn with(&mut self, name: &str, value: u64, wrong: &mut Vec<String>) -> Result<Vec<f64>, TuneError> {
        self.set(name, Some(value))?;
        let mut ratios = Vec::new();
        for Measured { set, results, before } in self.data {
            let ratio = match time(self.program, set, self.runs) {
                Ok((time, found)) => match agree(results, &found, self.tolerance) {
                    Ok(()) => time / before,
                    Err(message) => {
                        wrong.push(format!("{name}={value}, {}, {}: {message}", set.entry, set.name));
                        f64::INFINITY
                    }
                },
                // It takes too long, or more memory than there is.
                Err(_) => f64::INFINITY,
            };
            ratios.push(ratio);
        }
        self.watch.tell(2, &format!("{name}={value}: {:.2} of the time", mean(&ratios)));
        Ok(ratios)
    }
}

/// How long a data set takes, in seconds, and its results. The first run is not counted.
fn time(program: &Compiled, set: &DataSet, runs: usize) -> Result<(f64, Vec<Value>), RunError> {
    let timed = program.program.time(&set.entry, &set.arguments, runs.max(1) + 1)?;
    let times = timed.times.iter().skip(1).map(Duration::as_secs_f64).collect();
    Ok((median(times).unwrap_or_default().max(1e-6), timed.results))
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_testing::{EntryPoint, Program, Timed};
    use std::sync::Mutex;

    /// A program whose time depends on whether each of its sizes is at least a threshold.
    struct Toy {
        thresholds: Mutex<Vec<(String, u64)>>,
        /// For a size and the value of each threshold.
        time: fn(u64, &[(String, u64)]) -> u64,
    }

    impl Program for Toy {
        fn entry_points(&self) -> &[EntryPoint] {
            &[]
        }

        fn fingerprint(&self) -> String {
            String::new()
        }

        fn tuning_params(&self, _entry: &str) -> Result<Vec<(String, String)>, RunError> {
            let all = self.thresholds.lock().unwrap();
            let of = |name: &String| (name.clone(), "threshold".to_string());
            Ok(all.iter().map(|(name, _)| of(name)).chain([("chip".into(), "shared_memory".into())]).collect())
        }

        fn set_tuning_param(&self, name: &str, value: Option<u64>) -> Result<(), RunError> {
            let mut all = self.thresholds.lock().unwrap();
            all.iter_mut().filter(|(other, _)| other == name).for_each(|(_, old)| *old = value.unwrap_or(1000));
            Ok(())
        }

        fn run(&self, _entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
            Ok(arguments)
        }

        fn time(&self, _entry: &str, arguments: &[Value], runs: usize) -> Result<Timed, RunError> {
            let all = self.thresholds.lock().unwrap();
            let size: u64 = arguments[0].to_string().trim_end_matches("i64").parse().unwrap();
            let time = Duration::from_micros((self.time)(size, &all));
            // A program with nothing that is ever large computes something else.
            let is_wrong = all.iter().any(|(name, value)| name == "wrong" && *value == NEVER);
            let results = if is_wrong { Vec::new() } else { arguments.to_vec() };
            Ok(Timed { results, times: vec![time; runs] })
        }
    }

    struct Silent;

    impl Watch for Silent {
        fn tell(&mut self, _importance: u8, _text: &str) {}
    }

    fn tuned(names: &[&str], sizes: &[i64], time: fn(u64, &[(String, u64)]) -> u64) -> Tuned {
        let start = names.iter().map(|name| (name.to_string(), 1000)).collect();
        let toy = Compiled { program: Box::new(Toy { thresholds: Mutex::new(start), time }), warnings: String::new() };
        let set = |n: &i64| DataSet {
            entry: "main".to_string(),
            name: n.to_string(),
            arguments: vec![Value::from(*n)],
            expected: None,
        };
        let data = sizes.iter().map(set).collect();
        thresholds(&toy, data, 1, &Tolerance::EXACT, &mut Silent).unwrap_or_else(|error| panic!("{error:?}"))
    }

    #[test]
    fn a_threshold_lies_between_the_sizes() {
        // From 5000 on, one way is faster; the default uses it from 1000 on.
        let found = tuned(&["a"], &[100, 3000, 100_000], |n, all| {
            let is_wide = n >= all[0].1;
            if is_wide == (n >= 5000) { 100 } else { 200 }
        });
        let [(name, value)] = &found.tuning[..] else { panic!("{:?}", found.tuning) };
        assert!(name == "a" && (3001..=100_000).contains(value), "{name}={value}");
        assert!(found.ratio < 0.9 && found.wrong.is_empty() && found.thresholds == 1);
    }

    #[test]
    fn one_way_for_all() {
        let found = tuned(&["a", "b"], &[100, 100_000], |n, all| if n >= all[1].1 { 100 } else { 300 });
        assert_eq!(found.tuning, [("b".to_string(), 0)]);
    }

    #[test]
    fn defaults_that_are_best_stay() {
        let found = tuned(&["a"], &[100, 100_000], |n, all| if (n >= all[0].1) == (n > 500) { 100 } else { 300 });
        assert_eq!((found.tuning, found.ratio), (vec![], 1.0));
    }

    #[test]
    fn what_computes_something_else_never_wins() {
        let found = tuned(&["wrong"], &[100, 100_000], |_, all| if all[0].1 == NEVER { 1 } else { 300 });
        assert_eq!((found.tuning.len(), found.wrong.len()), (0, 2), "{:?}", found.wrong);
    }
}
