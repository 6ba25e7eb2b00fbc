//! Runs many jobs on several threads, under the eyes of a watchdog.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a thread is busy with: since when, and how to reproduce it.
type Busy = Mutex<Option<(Instant, String)>>;

/// Runs `work` for every number below `count`. It gets the number and a function to which it says what it is about to
/// do. Whatever takes longer than `limit` after that is printed, and the process ends: a thread cannot be stopped.
pub fn for_each(count: u64, threads: usize, limit: Duration, work: impl Fn(u64, &dyn Fn(String)) + Sync) {
    let next = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    let busy: Vec<Busy> = (0..threads.max(1)).map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        let watchdog = scope.spawn(|| watch(&busy, limit, &done));
        let workers: Vec<_> = busy
            .iter()
            .map(|slot| {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count {
                            break;
                        }
                        work(index, &|what| set(slot, Some((Instant::now(), what))));
                        set(slot, None);
                    }
                })
            })
            .collect();
        let results: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Relaxed);
        watchdog.thread().unpark();
        for result in results {
            if let Err(panic) = result {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

fn set(slot: &Busy, value: Option<(Instant, String)>) {
    if let Ok(mut slot) = slot.lock() {
        *slot = value;
    }
}

fn watch(busy: &[Busy], limit: Duration, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        for slot in busy {
            if let Ok(slot) = slot.lock()
                && let Some((since, what)) = &*slot
                && since.elapsed() > limit
            {
                let _ = writeln!(std::io::stderr(), "no answer after {} s: {what}", limit.as_secs());
                std::process::exit(1);
            }
        }
        thread::park_timeout(Duration::from_secs(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_once() {
        let seen = Mutex::new(Vec::new());
        for_each(100, 3, Duration::from_secs(60), |i, announce| {
            announce(i.to_string());
            seen.lock().unwrap().push(i);
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    }
}
