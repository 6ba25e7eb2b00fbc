//! Candidates in turns with the untuned program, on the same data.

use crate::record::{Record, Trial, Verdict};
use crate::search::Judge;
use crate::space::{Candidate, Space};
use crate::{Options, Progress, TuneError};
use kenaz_runtime::{Tolerance, Value};
use kenaz_testing::executors::CompiledByC;
use kenaz_testing::{CompileError, Compiled, DataSet, RunError, agree};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Measures candidates.
pub struct Bench<'a> {
    executor: CompiledByC,
    space: &'a Space,
    untuned: Compiled,
    pub data: Vec<Measured>,
    tolerance: Tolerance,
    start: Instant,
    budget: Duration,
    record: Record,
    /// All that was tried, in this order.
    pub trials: Vec<Trial>,
    /// Where each candidate is among the trials.
    known: BTreeMap<Candidate, usize>,
    /// Candidates that were compiled, the latest last.
    built: Vec<(Candidate, Compiled)>,
    pub wrong: Vec<(String, String)>,
    progress: &'a mut dyn Progress,
}

/// A data set, its results, and how long the untuned program takes for it.
pub struct Measured {
    pub set: DataSet,
    expected: Vec<Value>,
    pub untuned: Duration,
    /// How often it is run in a round, so that a round is long enough to be measured.
    runs: usize,
}

/// Rounds take about so long for each data set.
const ROUND: Duration = Duration::from_millis(40);
const MOST_RUNS: usize = 20;
/// Candidates whose servers are kept.
const MOST_BUILT: usize = 8;

impl<'a> Bench<'a> {
    pub fn new(
        executor: CompiledByC,
        space: &'a Space,
        untuned: Compiled,
        data: Vec<DataSet>,
        options: &Options,
        record: Record,
        progress: &'a mut dyn Progress,
    ) -> Result<Bench<'a>, TuneError> {
        let start = Instant::now();
        let mut measured = Vec::new();
        for set in data {
            let failed = |message: String| TuneError::Run(format!("{}, {}: {message}", set.entry, set.name));
            let timed = untuned.program.time(&set.entry, &set.arguments, 2).map_err(|error| failed(text(error)))?;
            if let Some(expected) = &set.expected {
                agree(expected, &timed.results, &options.tolerance).map_err(failed)?;
            }
            let once = timed.times.iter().min().copied().unwrap_or_default();
            let runs = (ROUND.as_secs_f64() / once.as_secs_f64().max(1e-6)) as usize;
            measured.push(Measured { set, expected: timed.results, untuned: once, runs: runs.clamp(1, MOST_RUNS) });
        }
        // A candidate that hangs or is very slow is of no use.
        let slowest = measured.iter().map(|one| one.untuned).max().unwrap_or_default();
        let executor = executor.with_limit(slowest * 20 + Duration::from_secs(5));
        Ok(Bench {
            executor,
            space,
            untuned,
            data: measured,
            tolerance: options.tolerance,
            start,
            budget: options.budget,
            record,
            trials: Vec::new(),
            known: BTreeMap::new(),
            built: Vec::new(),
            wrong: Vec::new(),
            progress,
        })
    }

    /// The untuned program is the first trial.
    pub fn note_untuned(&mut self, model: f64) {
        let trial = Trial { choices: Vec::new(), verdict: Verdict::Ratios(vec![1.0]), model };
        self.known.insert(Candidate::default(), 0);
        self.trials.push(trial);
    }

    /// The choices of a candidate as they are known from one run to the next.
    fn names(&self, candidate: &Candidate) -> Vec<String> {
        let name = |i: &usize| {
            let choice = &self.space.choices[*i];
            format!("#[{}] at {}", choice.attribute, choice.position)
        };
        candidate.0.iter().map(name).collect()
    }

    /// The trial of a candidate, which is compiled if nobody knows about it.
    fn trial(&mut self, candidate: &Candidate) -> usize {
        if let Some(index) = self.known.get(candidate) {
            return *index;
        }
        let choices = self.names(candidate);
        let remembered = self.record.find(&choices);
        let is_new = remembered.is_none();
        let trial = remembered.unwrap_or_else(|| match self.compile(candidate) {
            Ok(model) => Trial { choices, verdict: Verdict::Ratios(Vec::new()), model },
            Err(verdict) => Trial { choices, verdict, model: 0.0 },
        });
        if is_new && !trial.is_usable() {
            self.record.add(&trial);
        }
        self.known.insert(candidate.clone(), self.trials.len());
        self.trials.push(trial);
        self.trials.len() - 1
    }

    /// Compiles a candidate, and compares its results; says how often it touches memory, by the model.
    fn compile(&mut self, candidate: &Candidate) -> Result<f64, Verdict> {
        let translated = match self.space.translate(&self.executor, candidate) {
            None | Some(Err(CompileError::Rejected(_))) => return Err(Verdict::Refused),
            Some(Err(CompileError::Failed(message))) => return Err(self.fault(candidate, message)),
            Some(Ok(translated)) => translated,
        };
        let model = crate::space::accesses(&translated.loops);
        let compiled = match self.executor.build(translated) {
            Ok(compiled) => compiled,
            Err(CompileError::Rejected(message) | CompileError::Failed(message)) => {
                return Err(self.fault(candidate, message));
            }
        };
        for i in 0..self.data.len() {
            let Measured { set, expected, .. } = &self.data[i];
            let ran = compiled.program.time(&set.entry, &set.arguments, 1);
            let problem = match ran {
                // One that takes much too long is slow, and not wrong.
                Err(RunError::Broken(message)) if message.contains("did not end within") => return Err(Verdict::Slow),
                Err(error) => Err(text(error)),
                Ok(timed) => agree(expected, &timed.results, &self.tolerance),
            };
            if let Err(message) = problem {
                let message = format!("{}, {}: {message}", set.entry, set.name);
                return Err(self.fault(candidate, message));
            }
        }
        if self.built.len() == MOST_BUILT {
            self.built.remove(0);
        }
        self.built.push((candidate.clone(), compiled));
        Ok(model)
    }

    /// A candidate that the compiler accepts, but that does not compute what it should.
    fn fault(&mut self, candidate: &Candidate, message: String) -> Verdict {
        self.wrong.push((self.space.annotated(candidate).unwrap_or_default(), message.clone()));
        Verdict::Wrong(message)
    }

    /// One more round; none if the candidate cannot be run any more.
    fn round(&mut self, candidate: &Candidate) -> Option<f64> {
        if !self.built.iter().any(|(other, _)| other == candidate) {
            self.compile(candidate).ok()?;
        }
        let (_, compiled) = self.built.iter().find(|(other, _)| other == candidate)?;
        let mut logarithms = 0.0;
        for Measured { set, runs, .. } in &self.data {
            let time = |program: &Compiled| -> Option<f64> {
                let timed = program.program.time(&set.entry, &set.arguments, *runs).ok()?;
                median(timed.times.iter().map(Duration::as_secs_f64).collect())
            };
            let (ours, theirs) = (time(compiled)?, time(&self.untuned)?);
            logarithms += (ours.max(1e-6) / theirs.max(1e-6)).ln();
        }
        Some((logarithms / self.data.len().max(1) as f64).exp())
    }

    /// So many more rounds.
    fn rounds(&mut self, candidate: &Candidate, rounds: usize) {
        let index = self.trial(candidate);
        for _ in 0..rounds {
            if !self.trials[index].is_usable() {
                break;
            }
            match self.round(candidate) {
                Some(ratio) => self.trials[index].add(ratio),
                None => self.trials[index].verdict = Verdict::Slow,
            }
        }
        self.record.add(&self.trials[index]);
        let best = self.trials.iter().filter_map(Trial::ratio).fold(1.0, f64::min);
        let (tried, left) = (self.trials.len(), self.left());
        self.progress.tried(tried, left, best);
    }
}

impl Judge for Bench<'_> {
    fn ratio(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64> {
        let index = self.trial(candidate);
        let done = self.trials[index].ratios().len();
        self.rounds(candidate, rounds.saturating_sub(done));
        self.trials[index].ratio()
    }

    fn again(&mut self, candidate: &Candidate, rounds: usize) -> Option<f64> {
        let index = self.trial(candidate);
        let done = self.trials[index].ratios().len();
        self.rounds(candidate, rounds);
        median(self.trials[index].ratios().get(done..)?.to_vec())
    }

    fn left(&self) -> f64 {
        1.0 - self.start.elapsed().as_secs_f64() / self.budget.as_secs_f64().max(1e-3)
    }
}

pub(crate) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => None,
        n if n % 2 == 1 => Some(numbers[middle]),
        _ => Some((numbers[middle - 1] + numbers[middle]) / 2.0),
    }
}

pub(crate) fn text(error: RunError) -> String {
    let (RunError::Failed(message) | RunError::Broken(message)) = error;
    message.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
