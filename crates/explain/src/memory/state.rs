//! Which blocks there are at a place, and which variables stand for them.

use kenaz_imp::symbolic::Sizes;
use kenaz_ir::Name;
use kenaz_ir::poly::Poly;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The block that a variable stands for; those of callers are in none.
    variables: FxHashMap<Name, usize>,
    /// How many references there are to each block that is there.
    references: BTreeMap<usize, usize>,
    /// The sizes of all blocks so far.
    bytes: Vec<Poly>,
    /// The two blocks of which another one is the larger, where branches have joined.
    parts: BTreeMap<usize, [usize; 2]>,
    /// Whether there may be less than is said.
    pub is_bound: bool,
}

impl State {
    pub(super) fn allocate(&mut self, name: Name, bytes: Poly) -> usize {
        let id = self.bytes.len();
        self.bytes.push(bytes);
        self.references.insert(id, 1);
        self.variables.insert(name, id);
        id
    }

    pub(super) fn block(&self, name: Name) -> Option<usize> {
        self.variables.get(&name).copied()
    }

    /// The variable stands for the block of another one, and takes its reference.
    pub(super) fn set(&mut self, name: Name, from: Name) {
        match self.block(from) {
            Some(id) => drop(self.variables.insert(name, id)),
            None => drop(self.variables.remove(&name)),
        }
    }

    /// The same with a reference of its own.
    pub(super) fn share(&mut self, name: Name, from: Name) {
        self.set(name, from);
        if let Some(references) = self.block(name).and_then(|id| self.references.get_mut(&id)) {
            *references += 1;
        }
    }

    /// Gives a reference up; the block, if it was the last one.
    pub(super) fn free(&mut self, name: Name) -> Option<usize> {
        let id = self.block(name)?;
        self.release(id).then_some(id)
    }

    fn release(&mut self, id: usize) -> bool {
        match self.references.get_mut(&id) {
            Some(1) => self.references.remove(&id).is_some(),
            Some(references) => {
                *references -= 1;
                false
            }
            None => false,
        }
    }

    /// How many bytes there are, if that is no number too large.
    pub(super) fn total(&self) -> Option<Poly> {
        self.references.keys().try_fold(Poly::default(), |sum, id| sum.plus(&self.bytes[*id], 1))
    }

    /// A block, and all that it may be where branches have joined.
    pub(super) fn parts_of(&self, whole: usize) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut left = vec![whole];
        while let Some(id) = left.pop() {
            if found.insert(id) {
                left.extend(self.parts.get(&id).into_iter().flatten());
            }
        }
        found
    }

    /// Takes over the blocks that another state has had, so that new ones have other numbers.
    pub(super) fn know(&mut self, other: &State) {
        self.bytes.clone_from(&other.bytes);
        self.parts.clone_from(&other.parts);
        self.is_bound |= other.is_bound;
    }

    /// What is known where one of two states has been reached, which both went on from the same one. The blocks of
    /// `self` are known to be more.
    pub(super) fn or(mut self, mut other: State, sizes: &mut Sizes) -> State {
        other.know(&self);
        let mut names: Vec<Name> =
            self.variables.keys().filter(|name| other.variables.contains_key(name)).copied().collect();
        names.sort_unstable();
        let mut joined: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for name in names {
            let (a, b) = (self.variables[&name], other.variables[&name]);
            let is_there = self.references.contains_key(&a) && other.references.contains_key(&b);
            if a == b || !is_there && !joined.contains_key(&(a, b)) {
                continue;
            }
            let id = *joined.entry((a, b)).or_insert_with(|| {
                let bytes = sizes.max(self.bytes[a].clone(), self.bytes[b].clone());
                let id = self.bytes.len();
                self.bytes.push(bytes);
                self.parts.insert(id, [a, b]);
                self.is_bound |= self.bytes[a] != self.bytes[b];
                id
            });
            if is_there {
                self.release(a);
                other.release(b);
                *self.references.entry(id).or_default() += 1;
            }
            self.variables.insert(name, id);
        }
        for (id, references) in other.references {
            match self.references.get_mut(&id) {
                Some(own) => *own = references.max(*own),
                None => {
                    self.is_bound = true;
                    self.references.insert(id, references);
                }
            }
        }
        for (name, id) in other.variables {
            self.variables.entry(name).or_insert(id);
        }
        self
    }
}
