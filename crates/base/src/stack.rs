//! Protection against deep recursion.

use crate::memory::Taken;

/// The stack that is left at least.
const RED_ZONE: usize = 128 * 1024;
const SEGMENT: usize = 2 * 1024 * 1024;

/// Runs `f` with at least 128 KiB of stack left, on a new segment of 2 MiB if need be. Every function of
/// the compiler that recurses over user input calls this, so depth costs memory, never a crash.
pub fn with_stack<R>(f: impl FnOnce() -> R) -> R {
    if stacker::remaining_stack().is_some_and(|left| left >= RED_ZONE) {
        return f();
    }
    let _segment = Taken::new(SEGMENT);
    stacker::grow(SEGMENT, f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::taken;

    /// Recurses, and returns how much memory is taken at the end.
    fn deep(depth: usize) -> usize {
        let frame = std::hint::black_box([0u8; 1024]);
        if depth == 0 { taken() } else { with_stack(|| deep(depth - 1)) + usize::from(frame[depth % 1024]) }
    }

    #[test]
    fn stacks_count_as_memory() {
        let before = taken();
        // More than ten segments.
        assert!(deep(20 * 1024) >= before + 10 * SEGMENT);
        assert!(std::panic::catch_unwind(|| stacker::grow(4096, || with_stack(|| panic!("on purpose")))).is_err());
        assert!(taken() <= before, "a segment is still counted");
    }
}
