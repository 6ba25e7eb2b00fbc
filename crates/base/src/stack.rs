//! Protection against deep recursion.

/// Runs `f` with at least 128 KiB of stack left, on a new segment of 2 MiB if need be. Every function of
/// the compiler that recurses over user input calls this, so depth costs memory, never a crash.
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, f)
}
