//! A count of the memory that this process has taken, and a limit for it.
//!
//! Blocks of the heap are counted by an allocator, where a command has one, and stacks by [`crate::with_stack`]. When
//! the limit is passed, a thread that waits for that ends the process: whoever asked for memory may hold any lock, and
//! so gets it and goes on meanwhile.

use std::cell::Cell;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// What all threads have taken, but for less than [`BATCH`] of each, and so below zero for a moment.
static TAKEN: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static PASSED: AtomicBool = AtomicBool::new(false);
/// The thread that ends the process.
static WATCHER: OnceLock<Thread> = OnceLock::new();

thread_local! {
    /// What this thread has taken and not told the others, which would cost a twentieth of all time.
    static OWN: Cell<isize> = const { Cell::new(0) };
}

const BATCH: usize = 64 * 1024;

/// How long a thread waits for the end of the process, which takes much less.
const PATIENCE: Duration = Duration::from_secs(10);

/// From now on `stop`, which must end the process, is called on a thread of its own when more than so many bytes are
/// taken. To be called once.
pub fn limit(bytes: usize, stop: fn()) -> io::Result<()> {
    let watcher = thread::Builder::new().name("memory".to_string()).spawn(move || {
        while !PASSED.load(Ordering::SeqCst) {
            thread::park();
        }
        stop();
    })?;
    WATCHER.get_or_init(|| watcher.thread().clone());
    LIMIT.store(bytes, Ordering::SeqCst);
    Ok(())
}

/// Notes that so many bytes are taken.
#[inline]
pub fn take(bytes: usize) {
    note(bytes.cast_signed());
}

/// Notes that so many bytes are given back.
#[inline]
pub fn give(bytes: usize) {
    note(bytes.cast_signed().wrapping_neg());
}

#[inline]
fn note(change: isize) {
    let own = OWN.get().wrapping_add(change);
    let is_little = own.unsigned_abs() < BATCH;
    OWN.set(if is_little { own } else { 0 });
    if !is_little {
        tell(own);
    }
}

#[cold]
fn tell(own: isize) {
    let taken = TAKEN.fetch_add(own, Ordering::Relaxed).wrapping_add(own);
    if own > 0 && taken > LIMIT.load(Ordering::Relaxed).try_into().unwrap_or(isize::MAX) {
        pass();
    }
}

/// The bytes that are taken and not given back, roughly.
pub fn taken() -> usize {
    TAKEN.load(Ordering::SeqCst).try_into().unwrap_or(0)
}

/// The system has no more memory: where there is a limit, that is the end as well. Returns otherwise.
#[cold]
pub fn exhausted() {
    if LIMIT.load(Ordering::SeqCst) != usize::MAX {
        pass();
        wait_if_passed();
    }
}

/// Once the limit is passed, waits for the end of the process.
pub fn wait_if_passed() {
    if PASSED.load(Ordering::SeqCst) {
        thread::sleep(PATIENCE);
    }
}

/// Runs `f` without the limit; what it leaves behind does not count.
pub fn without_limit<R>(f: impl FnOnce() -> R) -> R {
    let limit = LIMIT.swap(usize::MAX, Ordering::SeqCst);
    let before = taken();
    let result = f();
    let more = taken().saturating_sub(before);
    LIMIT.store(limit.saturating_add(more), Ordering::SeqCst);
    result
}

/// Must not allocate, nor wait for anyone.
#[cold]
fn pass() {
    if !PASSED.swap(true, Ordering::SeqCst)
        && let Some(watcher) = WATCHER.get()
    {
        watcher.unpark();
    }
}

/// Memory that is given back in the end.
pub(crate) struct Taken(usize);

impl Taken {
    pub(crate) fn new(bytes: usize) -> Taken {
        take(bytes);
        Taken(bytes)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give(self.0);
    }
}
