//! Several programs at a time, where a machine with many cores is there for minutes only.

use crate::process;
use anyhow::{Context, Result};
use clap::Args;
use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct Pace {
    /// How many programs are compiled at a time and, if they run on one thread, measured at a time, each on a core of
    /// its own; these cores are as far apart as possible. Times from text to C are taken in the same way
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Begin no data set after so many seconds, compiling included; the report lists those that are missing
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
}

/// A pace and the time at which the work has begun.
#[derive(Clone, Copy)]
pub(crate) struct Clocked {
    pub jobs: usize,
    deadline: Option<Instant>,
}

impl Pace {
    pub(crate) fn start(&self) -> Clocked {
        let deadline = self.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
        Clocked { jobs: self.jobs, deadline }
    }
}

impl Clocked {
    /// One after the other, for as long as it takes.
    pub(crate) const CALM: Clocked = Clocked { jobs: 1, deadline: None };

    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Does something with each item on a number of threads, and returns what comes out in the order of the items. Thread k
/// has core k for itself, if there are cores, and so have the processes that it starts.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    cores: &[usize],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<R>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let run = |k: usize| {
        // Neighbours disturb each other more without, but all can be measured.
        if let Err(error) = cores.get(k).map_or(Ok(()), |core| pin(*core)) {
            println!("note: a thread has no core of its own: {error:#}");
        }
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = process::interrupted().and_then(|()| work(item));
            if let Ok(mut slot) = results[at].lock() {
                *slot = Some(result);
            }
        }
    };
    thread::scope(|scope| (0..jobs.max(1)).for_each(|k| drop(scope.spawn(move || run(k)))));
    let taken = results.into_iter().map(|slot| slot.into_inner().ok().flatten().context("a thread has ended")?);
    taken.collect()
}

/// Leaves this thread, and what it starts from now on, one processor.
fn pin(processor: usize) -> Result<()> {
    let this = fs::read_link("/proc/thread-self").context("no Linux, which has no cores to choose")?;
    let id = this.file_name().context("threads have numbers")?;
    process::run(Command::new("taskset").args(["-p", "-c", &processor.to_string()]).arg(id))?;
    Ok(())
}

/// A processor of each core that this process may use, as many as asked for at most, and as far apart as possible.
pub(crate) fn cores(wanted: usize) -> Result<Vec<usize>> {
    let status = fs::read_to_string("/proc/self/status").context("no Linux, which has no cores to choose")?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = listed(allowed.context("the system names no processors")?)?;
    let siblings = |processor: usize| {
        let file = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
        fs::read_to_string(file).ok().and_then(|text| listed(&text).ok()).unwrap_or_default()
    };
    let is_first = |processor: &usize| {
        let siblings = siblings(*processor);
        siblings.iter().find(|sibling| allowed.contains(sibling)).is_none_or(|first| first == processor)
    };
    Ok(spread(&allowed.iter().copied().filter(is_first).collect::<Vec<_>>(), wanted))
}

/// Some of the items, one of each of so many parts of them.
fn spread(items: &[usize], wanted: usize) -> Vec<usize> {
    let wanted = wanted.clamp(1, items.len().max(1));
    (0..wanted).filter_map(|k| items.get(k * items.len() / wanted).copied()).collect()
}

/// The numbers of a list like `0-2,8`.
fn listed(text: &str) -> Result<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<usize>().context("no number")?..=last.parse().context("no number")?);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let squares = in_parallel(&[3, 1, 2], 2, &[], |x| Ok(x * x)).unwrap();
        assert_eq!(squares, [9, 1, 4]);
        let failing = |x: &i32| if *x == 1 { anyhow::bail!("one") } else { Ok(*x) };
        assert!(in_parallel(&[3, 1, 2], 2, &[], failing).is_err());
    }

    #[test]
    fn a_thread_with_a_core_starts_processes_there() {
        let cores = cores(1).unwrap();
        let allowed = in_parallel(&[()], 1, &cores, |()| {
            process::run(Command::new("grep").args(["Cpus_allowed_list", "/proc/self/status"]))
        });
        let allowed = allowed.unwrap();
        assert_eq!(allowed[0].split_whitespace().last(), Some(cores[0].to_string().as_str()));
    }

    #[test]
    fn lists_of_processors_and_cores_among_them() {
        assert_eq!(listed(" 0-2,8\n").unwrap(), [0, 1, 2, 8]);
        assert!(listed("none").is_err());
        assert_eq!(spread(&[0, 1, 2, 3, 4, 5, 6, 7], 4), [0, 2, 4, 6]);
        assert_eq!(spread(&[0, 1], 4), [0, 1]);
        assert!(spread(&[], 4).is_empty());
    }
}
