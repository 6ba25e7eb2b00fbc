//! Which arrays may share memory, and what has been consumed.
//!
//! A *store* is what one allocation of the program stands for: a statement that makes a new array, a parameter. Each
//! name has the set of stores in which its value may lie; a view lies in those of its array, the result of a branch in
//! those of either body. To consume a name is to consume all its stores, and a name can be used while none of its
//! stores is consumed. A store belongs to the loop, lambda or function, its *frame*, in which it was made, and only
//! there can it be consumed: the body of a loop or lambda runs many times. A body that runs once (a branch, that of
//! `with_acc`) has no frame of its own.
//!
//! An accumulator is like an array that is always unique.

use super::rule::Rule;
use crate::name::Name;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) type StoreId = u32;

/// Sorted, without repetitions.
pub(super) type Set = Rc<[StoreId]>;

struct Store {
    /// The name for which it was made.
    name: Name,
    /// How many frames are around the place where it was made.
    frame: usize,
    /// Whether it is that of a parameter that is not unique.
    fixed: bool,
    /// The name by which it was consumed, if it was.
    consumed: Option<Name>,
}

#[derive(Default)]
pub(super) struct Stores {
    stores: Vec<Store>,
    sets: FxHashMap<Name, Set>,
    /// How many frames are around the current place.
    frame: usize,
    /// The stores in the order in which they were consumed.
    log: Vec<StoreId>,
}

impl Stores {
    /// The stores of a name; scalars and certificates have none.
    pub(super) fn of(&self, name: Name) -> Set {
        self.sets.get(&name).cloned().unwrap_or_else(|| Rc::from([]))
    }

    pub(super) fn bind(&mut self, name: Name, set: Set) {
        if !set.is_empty() {
            self.sets.insert(name, set);
        }
    }

    /// A new store, the only one of a name.
    pub(super) fn make(&mut self, name: Name, fixed: bool) -> Set {
        let id = StoreId::try_from(self.stores.len()).expect("fewer stores than names");
        self.stores.push(Store { name, frame: self.frame, fixed, consumed: None });
        Rc::from([id])
    }

    pub(super) fn enter_frame(&mut self) {
        self.frame += 1;
    }

    pub(super) fn leave_frame(&mut self) {
        self.frame -= 1;
    }

    /// Makes what leaves a frame belong to the one around it.
    pub(super) fn adopt(&mut self, set: &Set) {
        for id in set.iter() {
            let store = &mut self.stores[*id as usize];
            store.frame = store.frame.min(self.frame);
        }
    }

    /// Whether a name can be used: if not, what consumed its memory.
    pub(super) fn consumer(&self, name: Name) -> Option<Name> {
        self.of(name).iter().find_map(|id| self.stores[*id as usize].consumed)
    }

    /// Consumes a name on behalf of another, or says which rule forbids that.
    pub(super) fn consume(&mut self, name: Name, by: Name) -> Result<(), (Rule, String)> {
        let set = self.of(name);
        for id in set.iter() {
            let store = &self.stores[*id as usize];
            let shared = if store.name == name { String::new() } else { format!(", which `{name}` may alias") };
            if store.fixed && store.frame == self.frame {
                let message = format!("`{}`{shared}, is consumed but is a parameter that is not unique", store.name);
                return Err((Rule::ConsumedParam, message));
            }
            if store.frame < self.frame {
                let message = format!("`{}`{shared}, is consumed in a body that may run again", store.name);
                return Err((Rule::ConsumedFree, message));
            }
        }
        for id in set.iter() {
            self.stores[*id as usize].consumed = Some(by);
            self.log.push(*id);
        }
        Ok(())
    }

    /// The place in time to which [`Stores::rewind`] goes back.
    pub(super) fn now(&self) -> usize {
        self.log.len()
    }

    /// Forgets what was consumed since then, and gives it for [`Stores::replay`].
    pub(super) fn rewind(&mut self, then: usize) -> Vec<(StoreId, Option<Name>)> {
        let undone = self.log.split_off(then);
        undone.into_iter().map(|id| (id, self.stores[id as usize].consumed.take())).collect()
    }

    pub(super) fn replay(&mut self, consumed: Vec<(StoreId, Option<Name>)>) {
        for (id, by) in consumed {
            self.stores[id as usize].consumed = by;
            self.log.push(id);
        }
    }

    /// The memory that keeps a value from being unique, if there is any: from outside the frame, or of a parameter that
    /// is not unique.
    pub(super) fn foreign(&self, set: &Set) -> Option<Name> {
        let is_foreign = |store: &&Store| store.fixed || store.frame < self.frame;
        set.iter().map(|id| &self.stores[*id as usize]).find(is_foreign).map(|store| store.name)
    }

    /// Which of the values at the end of a function lie in memory of their own.
    pub(super) fn unique(&self, sets: &[Set]) -> Vec<bool> {
        let is_own = |i: usize, set: &Set| {
            let is_shared = |(j, other): (usize, &Set)| i != j && !disjoint(set, other);
            !set.is_empty() && self.foreign(set).is_none() && !sets.iter().enumerate().any(is_shared)
        };
        sets.iter().enumerate().map(|(i, set)| is_own(i, set)).collect()
    }
}

pub(super) fn disjoint(a: &Set, b: &Set) -> bool {
    a.iter().all(|id| b.binary_search(id).is_err())
}

pub(super) fn union(sets: impl IntoIterator<Item = Set>) -> Set {
    let mut sets = sets.into_iter();
    let Some(mut first) = sets.next() else { return Rc::from([]) };
    for set in sets {
        if first.is_empty() {
            first = set;
        } else if !set.is_empty() && set != first {
            let mut all = [&first[..], &set[..]].concat();
            all.sort_unstable();
            all.dedup();
            first = Rc::from(all);
        }
    }
    first
}

pub(super) fn without(a: &Set, b: &Set) -> Set {
    a.iter().copied().filter(|id| b.binary_search(id).is_err()).collect()
}

/// The memory of loop results: `start[i]` and `next[i]` are that of the initial and next value of a parameter,
/// `own[i]` the store of the parameter if it is not unique. A parameter's own store stands for whatever the parameter
/// may have been.
pub(super) fn close_over(start: &[Set], next: &[Set], own: &[Option<StoreId>], i: usize) -> Set {
    let mut seen = vec![false; start.len()];
    let mut todo = vec![i];
    let mut found: Vec<StoreId> = Vec::new();
    while let Some(i) = todo.pop() {
        if std::mem::replace(&mut seen[i], true) {
            continue;
        }
        for id in start[i].iter().chain(next[i].iter()) {
            match own.iter().position(|own| *own == Some(*id)) {
                Some(param) => todo.push(param),
                None => found.push(*id),
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Rc::from(found)
}
