//! The names in scope, and the contents of modules.

use super::DefId;
use indexmap::IndexMap;
use kenaz_base::Symbol;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeMap;
use std::rc::Rc;

type Table<T> = IndexMap<Symbol, T, FxBuildHasher>;

/// A definition, and its description in the module type through which it is seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) def: DefId,
    pub(crate) described: Option<DefId>,
}

impl From<DefId> for Known {
    fn from(def: DefId) -> Known {
        Known { def, described: None }
    }
}

/// What a name of values and modules stands for.
#[derive(Clone)]
pub(crate) enum Term {
    Value(Known),
    Module(Known, Module),
}

impl Term {
    pub(crate) fn known(&self) -> Known {
        match self {
            Term::Value(known) | Term::Module(known, _) => *known,
        }
    }
}

#[derive(Clone)]
pub(crate) enum Module {
    Env(Rc<Env>),
    /// A parametric module: the contents of its parameter and of its result.
    Fun(Rc<(Module, Module)>),
    /// Nothing is known about it.
    Unknown,
}

/// The contents of a module, or of a module type.
#[derive(Clone, Default)]
pub(crate) struct Env {
    pub(crate) terms: Table<Term>,
    pub(crate) types: Table<Known>,
    pub(crate) mod_types: Table<(DefId, Module)>,
}

impl Env {
    pub(crate) fn extend(&mut self, other: &Env) {
        self.terms.extend(other.terms.iter().map(|(name, term)| (*name, term.clone())));
        self.types.extend(other.types.iter().map(|(name, known)| (*name, *known)));
        self.mod_types.extend(other.mod_types.iter().map(|(name, found)| (*name, found.clone())));
    }
}

/// The three spaces of names.
#[derive(Clone, Copy)]
enum Space {
    Terms,
    Types,
    ModTypes,
}

/// The names that can stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Values, and modules in front of them.
    Values,
    Types,
    Modules,
    ModTypes,
}

/// All that is in scope at a place, and what can stand there.
pub(crate) struct Seen {
    pub(crate) wanted: Wanted,
    pub(crate) terms: BTreeMap<&'static str, Term>,
    pub(crate) types: BTreeMap<&'static str, Known>,
    pub(crate) mod_types: BTreeMap<&'static str, (DefId, Module)>,
}

#[derive(Default)]
pub(super) struct Scope {
    terms: FxHashMap<Symbol, Vec<Term>>,
    types: FxHashMap<Symbol, Vec<Known>>,
    mod_types: FxHashMap<Symbol, Vec<(DefId, Module)>>,
    /// What was bound, in order.
    log: Vec<(Space, Symbol)>,
}

impl Scope {
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets what was bound since a mark.
    pub(super) fn leave(&mut self, mark: usize) {
        for (space, name) in self.log.drain(mark..).rev() {
            match space {
                Space::Terms => drop(self.terms.get_mut(&name).map(Vec::pop)),
                Space::Types => drop(self.types.get_mut(&name).map(Vec::pop)),
                Space::ModTypes => drop(self.mod_types.get_mut(&name).map(Vec::pop)),
            }
        }
    }

    pub(super) fn bind_term(&mut self, name: Symbol, term: Term) {
        self.terms.entry(name).or_default().push(term);
        self.log.push((Space::Terms, name));
    }

    pub(super) fn bind_type(&mut self, name: Symbol, known: Known) {
        self.types.entry(name).or_default().push(known);
        self.log.push((Space::Types, name));
    }

    pub(super) fn bind_mod_type(&mut self, name: Symbol, def: DefId, module: Module) {
        self.mod_types.entry(name).or_default().push((def, module));
        self.log.push((Space::ModTypes, name));
    }

    pub(super) fn open(&mut self, env: &Env) {
        for (name, term) in &env.terms {
            self.bind_term(*name, term.clone());
        }
        for (name, known) in &env.types {
            self.bind_type(*name, *known);
        }
        for (name, (def, module)) in &env.mod_types {
            self.bind_mod_type(*name, *def, module.clone());
        }
    }

    pub(super) fn term(&self, name: Symbol) -> Option<Term> {
        self.terms.get(&name)?.last().cloned()
    }

    pub(super) fn ty(&self, name: Symbol) -> Option<Known> {
        self.types.get(&name)?.last().copied()
    }

    pub(super) fn mod_type(&self, name: Symbol) -> Option<(DefId, Module)> {
        self.mod_types.get(&name)?.last().cloned()
    }

    pub(super) fn seen(&self, wanted: Wanted) -> Seen {
        fn last<T: Clone>(table: &FxHashMap<Symbol, Vec<T>>) -> BTreeMap<&'static str, T> {
            table.iter().filter_map(|(name, all)| Some((name.as_str(), all.last()?.clone()))).collect()
        }
        Seen { wanted, terms: last(&self.terms), types: last(&self.types), mod_types: last(&self.mod_types) }
    }
}
