//! Names of variables.

use kenaz_base::Symbol;
use std::fmt;

/// A variable. The number alone identifies it; the base is for people.
#[derive(Clone, Copy)]
pub struct Name {
    pub base: Symbol,
    pub id: u32,
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.id == other.id
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> std::cmp::Ordering {
        self.id.cmp(&other.id)
    }
}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The source of new names.
#[derive(Clone, Debug, Default)]
pub struct Fresh {
    next: u32,
}

impl Fresh {
    /// Names from `next` on are new.
    pub fn from(next: u32) -> Fresh {
        Fresh { next }
    }

    pub fn name(&mut self, base: Symbol) -> Name {
        let id = self.next;
        self.next = self.next.checked_add(1).expect("more than 2^32 names");
        Name { base, id }
    }

    pub fn named(&mut self, base: &str) -> Name {
        self.name(Symbol::intern(base))
    }

    /// A new name that looks like another.
    pub fn like(&mut self, name: Name) -> Name {
        self.name(name.base)
    }

    pub fn next_id(&self) -> u32 {
        self.next
    }
}
