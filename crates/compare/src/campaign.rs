//! Many random programs, some at a time, by seeds.

use crate::native::{Backend, Compared, Expected};
use crate::{Finding, Outcome, Totals, compare, program};
use kenaz_driver::Pipeline;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What is to be compared.
#[derive(Clone)]
pub struct Campaign {
    pub first: u64,
    pub count: u64,
    /// How many programs are compared at a time.
    pub jobs: usize,
    /// How many programs are compiled as one file.
    pub batch: u64,
    pub pipeline: Pipeline,
    pub backends: Vec<Backend>,
    pub stop_at_first: bool,
    /// Whether operators have attributes that say how they run.
    pub strategies: bool,
}

/// What came of it so far.
#[derive(Default)]
pub struct Results {
    /// How many programs were looked at.
    pub programs: u64,
    pub totals: Totals,
    pub found: Vec<(u64, Finding)>,
    /// What the front end did not accept.
    pub rejected: Vec<(u64, String)>,
    pub compiled: Compared,
    /// Programs whose comparison did not end.
    pub stuck: Vec<u64>,
    /// All programs before this seed were looked at.
    pub next: u64,
    /// Batches that were finished before others in front of them: their first seeds and the seeds after their last.
    ahead: BTreeMap<u64, u64>,
}

/// How long passes and interpreters may take for one program. They have limits of their own, so this is for what hangs
/// where none is.
const STUCK: Duration = Duration::from_secs(120);

struct Shared {
    campaign: Campaign,
    results: Mutex<Results>,
    work: Mutex<Work>,
}

struct Work {
    next: u64,
    /// Batches to do again, without the programs that are stuck.
    again: Vec<Batch>,
    /// What each worker is busy with.
    busy: BTreeMap<usize, (Batch, u64, Instant)>,
    workers: usize,
    stopped: bool,
}

#[derive(Clone)]
struct Batch {
    first: u64,
    end: u64,
    without: BTreeSet<u64>,
}

impl Results {
    pub fn differing(&self) -> usize {
        self.found.len() + self.compiled.differences.len() + self.stuck.len()
    }

    fn finish(&mut self, batch: &Batch) {
        self.programs += batch.end - batch.first;
        self.ahead.insert(batch.first, batch.end);
        while let Some(end) = self.ahead.remove(&self.next) {
            self.next = end;
        }
    }
}

impl Campaign {
    /// Compares all programs, and shows now and then what came of them so far.
    pub fn run(self, mut show: impl FnMut(&Results)) -> Results {
        let jobs = self.jobs.max(1);
        let results = Results { next: self.first, ..Results::default() };
        let work = Work { next: self.first, again: Vec::new(), busy: BTreeMap::new(), workers: 0, stopped: false };
        let shared = Arc::new(Shared { campaign: self, results: Mutex::new(results), work: Mutex::new(work) });
        (0..jobs).for_each(|_| shared.start());
        while !lock(&shared.work).busy.is_empty() {
            thread::sleep(Duration::from_millis(100));
            shared.abandon();
            show(&lock(&shared.results));
        }
        let mut results = std::mem::take(&mut *lock(&shared.results));
        results.found.sort_by_key(|(seed, _)| *seed);
        results.rejected.sort();
        results.compiled.differences.sort();
        results.compiled.refused.sort();
        results
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Starts a worker, which is not waited for: it may never end.
    fn start(self: &Arc<Shared>) {
        let mut work = lock(&self.work);
        work.workers += 1;
        let worker = work.workers;
        let Some(batch) = self.take(&mut work, worker) else { return };
        drop(work);
        let shared = Arc::clone(self);
        thread::spawn(move || {
            let mut next = Some(batch);
            while let Some(batch) = next {
                let Some(results) = shared.work(worker, &batch) else { return };
                let mut work = lock(&shared.work);
                if !work.busy.contains_key(&worker) {
                    return;
                }
                let mut all = lock(&shared.results);
                results.add_to(&mut all);
                all.finish(&batch);
                work.stopped |= shared.campaign.stop_at_first && all.differing() > 0;
                next = shared.take(&mut work, worker);
            }
        });
    }

    /// The next batch of a worker, who is not busy any more if there is none.
    fn take(&self, work: &mut Work, worker: usize) -> Option<Batch> {
        let end = self.campaign.first + self.campaign.count;
        let batch = match work.again.pop() {
            Some(batch) => Some(batch),
            None if work.next < end && !work.stopped => {
                let first = work.next;
                work.next = end.min(first + self.campaign.batch.max(1));
                Some(Batch { first, end: work.next, without: BTreeSet::new() })
            }
            None => None,
        };
        match &batch {
            Some(batch) => work.busy.insert(worker, (batch.clone(), batch.first, Instant::now())),
            None => work.busy.remove(&worker),
        };
        batch
    }

    /// Leaves workers alone that are stuck, and starts others instead.
    fn abandon(self: &Arc<Shared>) {
        let mut work = lock(&self.work);
        let stuck: Vec<usize> =
            work.busy.iter().filter(|(_, (_, _, since))| since.elapsed() > STUCK).map(|(worker, _)| *worker).collect();
        for worker in &stuck {
            if let Some((mut batch, seed, _)) = work.busy.remove(worker) {
                lock(&self.results).stuck.push(seed);
                batch.without.insert(seed);
                work.again.push(batch);
            }
        }
        drop(work);
        stuck.iter().for_each(|_| self.start());
    }

    /// What comes of a batch, unless its worker has been left alone.
    fn work(&self, worker: usize, batch: &Batch) -> Option<Part> {
        let mut part = Part::default();
        let mut expected = Vec::new();
        for seed in (batch.first..batch.end).filter(|seed| !batch.without.contains(seed)) {
            lock(&self.work).busy.get_mut(&worker).map(|busy| (busy.1, busy.2) = (seed, Instant::now()))?;
            let program = program(seed);
            let program = if self.campaign.strategies { program.with_strategies() } else { program };
            match compare(&program, &self.campaign.pipeline) {
                Outcome::Agrees(totals, runs) => {
                    part.totals.add(&totals);
                    expected.push(Expected { seed, program, runs });
                }
                Outcome::Rejected(message) => part.rejected.push((seed, message)),
                Outcome::Differs(difference) => {
                    let name = format!("seed {seed}");
                    part.found.push((seed, Finding { name, difference: *difference, program: Some(program) }));
                }
            }
        }
        for backend in &self.campaign.backends {
            // Compilers and servers have limits of their own.
            lock(&self.work).busy.get_mut(&worker).map(|busy| busy.2 = Instant::now() + Duration::from_secs(3600))?;
            backend.compare(&expected, &mut part.compiled);
        }
        Some(part)
    }
}

/// What came of a batch.
#[derive(Default)]
struct Part {
    totals: Totals,
    found: Vec<(u64, Finding)>,
    rejected: Vec<(u64, String)>,
    compiled: Compared,
}

impl Part {
    fn add_to(self, all: &mut Results) {
        all.totals.add(&self.totals);
        all.found.extend(self.found);
        all.rejected.extend(self.rejected);
        all.compiled.differences.extend(self.compiled.differences);
        all.compiled.refused.extend(self.compiled.refused);
        all.compiled.other_message += self.compiled.other_message;
    }
}
