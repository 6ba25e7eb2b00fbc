//! Which part of the compiler is at work, for the report of a fault in it.

use std::cell::Cell;

thread_local! {
    static CURRENT: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Runs `f` under the name of a pass. While `f` runs, [`current_pass`] on the same thread gives that name.
pub fn in_pass<R>(name: &'static str, f: impl FnOnce() -> R) -> R {
    struct Restore(Option<&'static str>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(Some(name)));
    f()
}

pub fn current_pass() -> Option<&'static str> {
    CURRENT.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_nest_and_end_even_by_panic() {
        let inner = in_pass("outer", || (in_pass("inner", current_pass), current_pass()));
        assert_eq!(inner, (Some("inner"), Some("outer")));
        let fault = std::panic::catch_unwind(|| in_pass("faulty", || std::panic::resume_unwind(Box::new(()))));
        assert!(fault.is_err());
        assert_eq!(current_pass(), None);
    }
}
