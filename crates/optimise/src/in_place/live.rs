//! What is used later, as seen by a walk from the end of a function to its beginning.

use kenaz_ir::Name;
use kenaz_ir::alias::{Aliases, StoreId};
use rustc_hash::FxHashMap;

/// What uses a name: the first name of a statement's pattern, or none for the results of a body.
pub(super) type User = Option<Name>;

pub(super) struct Live<'a> {
    aliases: &'a Aliases,
    names: FxHashMap<Name, User>,
    /// For each store, how many names that may lie in it are used later, and one that was.
    stores: Vec<(u32, Option<Name>)>,
    /// The names in the order in which they were added, those included that are gone.
    added: Vec<Name>,
}

impl<'a> Live<'a> {
    pub(super) fn new(aliases: &'a Aliases) -> Live<'a> {
        Live { aliases, names: FxHashMap::default(), stores: vec![(0, None); aliases.len()], added: Vec::new() }
    }

    pub(super) fn add(&mut self, name: Name, user: User) {
        let set = self.aliases.get(name);
        if set.is_empty() || self.names.contains_key(&name) {
            return;
        }
        self.names.insert(name, user);
        self.added.push(name);
        for id in set {
            let (count, one) = &mut self.stores[*id as usize];
            *count += 1;
            *one = Some(name);
        }
    }

    /// Before a name is bound nothing of it is used.
    pub(super) fn remove(&mut self, name: Name) -> Option<User> {
        let user = self.names.remove(&name)?;
        for id in self.aliases.get(name) {
            self.stores[*id as usize].0 -= 1;
        }
        Some(user)
    }

    pub(super) fn has(&self, store: StoreId) -> bool {
        self.stores[store as usize].0 > 0
    }

    /// A name that lies in a store and is used later, and by what, if that is easily said.
    pub(super) fn user(&self, store: StoreId) -> Option<(Name, User)> {
        let name = self.stores[store as usize].1?;
        self.names.get(&name).map(|user| (name, *user))
    }

    /// The place to which [`Live::rewind`] goes back.
    pub(super) fn now(&self) -> usize {
        self.added.len()
    }

    /// Takes away what was added since then, and gives it.
    pub(super) fn rewind(&mut self, then: usize) -> Vec<(Name, User)> {
        let added = self.added.split_off(then);
        added.into_iter().filter_map(|name| self.remove(name).map(|user| (name, user))).collect()
    }
}
