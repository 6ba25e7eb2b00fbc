//! Interned names. A [`Symbol`] is a number that stands for a string; equal strings have equal numbers.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex};

/// An interned string. The order of symbols is the order in which they were first seen,
/// so maps keyed by symbols iterate the same way on every run of a sequential front end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: FxHashMap<&'static str, u32>,
    names: Vec<&'static str>,
}

static INTERNER: LazyLock<Mutex<Interner>> = LazyLock::new(Mutex::default);

impl Symbol {
    pub fn intern(name: &str) -> Symbol {
        let mut interner = lock();
        if let Some(&id) = interner.ids.get(name) {
            return Symbol(id);
        }
        // Names live as long as the process: a compiler sees few distinct ones.
        let name: &'static str = Box::leak(name.into());
        let id = u32::try_from(interner.names.len()).expect("more than 2^32 names");
        interner.names.push(name);
        interner.ids.insert(name, id);
        Symbol(id)
    }

    pub fn as_str(self) -> &'static str {
        lock().names[self.0 as usize]
    }

    /// The symbol of a tuple's field: `0`, `1`, …
    pub fn field(index: usize) -> Symbol {
        Symbol::intern(&index.to_string())
    }
}

fn lock() -> std::sync::MutexGuard<'static, Interner> {
    INTERNER.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_equal_symbols() {
        assert_eq!(Symbol::intern("xs"), Symbol::intern("xs"));
        assert_ne!(Symbol::intern("xs"), Symbol::intern("ys"));
        assert_eq!(Symbol::intern("xs'").as_str(), "xs'");
        assert_eq!(Symbol::field(12).as_str(), "12");
    }
}
