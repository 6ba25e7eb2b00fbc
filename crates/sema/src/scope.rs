//! What names mean where: the symbol table of the program text being checked, and the contents of modules.

use crate::types::{FunctorId, TypeAbbr, TypeId, VarId};
use indexmap::IndexMap;
use kenaz_base::{Span, Symbol};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

type Table<T> = IndexMap<Symbol, T, FxBuildHasher>;

/// What a name in the space of terms stands for: values and modules share it.
#[derive(Clone)]
pub enum Term {
    Value(VarId),
    Module(Module),
}

#[derive(Clone)]
pub enum Module {
    Env(Arc<Env>),
    Fun(Arc<ModFun>),
    /// After an error: has every name one asks for, about which nothing more is said.
    Error,
}

/// The contents of a module.
#[derive(Clone, Default)]
pub struct Env {
    pub terms: Table<Term>,
    pub types: Table<TypeEntry>,
    pub mod_types: Table<Arc<ModType>>,
    /// The module of intrinsics, which cannot be passed around.
    pub is_intrinsics: bool,
}

#[derive(Clone)]
pub struct TypeEntry {
    pub abbr: Arc<TypeAbbr>,
    pub span: Option<Span>,
}

/// A parametric module.
pub struct ModFun {
    pub id: FunctorId,
    pub param: ModType,
    /// Its abstract types are those that each application makes anew, inside of parametric modules in it as well.
    pub result: ModType,
    /// The unknown sizes of the result's constants, which each application makes anew as well.
    pub sizes: Vec<VarId>,
}

/// A module together with the types that are abstract in it.
#[derive(Clone)]
pub struct ModType {
    pub abstract_types: Vec<TypeId>,
    pub module: Module,
}

/// The names in scope. Inner bindings hide outer ones until [`Scope::leave`].
#[derive(Default)]
pub struct Scope {
    terms: FxHashMap<Symbol, Vec<Term>>,
    types: FxHashMap<Symbol, Vec<TypeEntry>>,
    mod_types: FxHashMap<Symbol, Vec<Arc<ModType>>>,
    log: Vec<(Space, Symbol)>,
}

#[derive(Clone, Copy)]
enum Space {
    Terms,
    Types,
    ModTypes,
}

/// A point to return to.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl Scope {
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Forgets what was bound since the mark.
    pub fn leave(&mut self, mark: Mark) {
        for (space, name) in self.log.drain(mark.0..).rev() {
            match space {
                Space::Terms => drop(self.terms.get_mut(&name).map(Vec::pop)),
                Space::Types => drop(self.types.get_mut(&name).map(Vec::pop)),
                Space::ModTypes => drop(self.mod_types.get_mut(&name).map(Vec::pop)),
            }
        }
    }

    pub fn bind_term(&mut self, name: Symbol, term: Term) {
        self.terms.entry(name).or_default().push(term);
        self.log.push((Space::Terms, name));
    }

    pub fn bind_value(&mut self, name: Symbol, var: VarId) {
        self.bind_term(name, Term::Value(var));
    }

    pub fn bind_type(&mut self, name: Symbol, entry: TypeEntry) {
        self.types.entry(name).or_default().push(entry);
        self.log.push((Space::Types, name));
    }

    pub fn bind_mod_type(&mut self, name: Symbol, mod_type: Arc<ModType>) {
        self.mod_types.entry(name).or_default().push(mod_type);
        self.log.push((Space::ModTypes, name));
    }

    /// Binds everything in a module, as `open` does.
    pub fn open(&mut self, env: &Env) {
        for (name, term) in &env.terms {
            self.bind_term(*name, term.clone());
        }
        for (name, entry) in &env.types {
            self.bind_type(*name, entry.clone());
        }
        for (name, mod_type) in &env.mod_types {
            self.bind_mod_type(*name, mod_type.clone());
        }
    }

    pub fn term(&self, name: Symbol) -> Option<&Term> {
        self.terms.get(&name).and_then(|stack| stack.last())
    }

    pub fn ty(&self, name: Symbol) -> Option<&TypeEntry> {
        self.types.get(&name).and_then(|stack| stack.last())
    }

    pub fn mod_type(&self, name: Symbol) -> Option<&Arc<ModType>> {
        self.mod_types.get(&name).and_then(|stack| stack.last())
    }

    /// All names of values and modules in scope, in no particular order.
    pub fn term_names(&self) -> impl Iterator<Item = Symbol> {
        self.terms.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| *name)
    }

    pub fn type_names(&self) -> impl Iterator<Item = Symbol> {
        self.types.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| *name)
    }

    pub fn mod_type_names(&self) -> impl Iterator<Item = Symbol> {
        self.mod_types.iter().filter(|(_, stack)| !stack.is_empty()).map(|(name, _)| *name)
    }
}

/// The candidate nearest to a misspelt name, if it is near enough to be meant.
pub fn nearest(name: Symbol, candidates: impl Iterator<Item = Symbol>) -> Option<Symbol> {
    let is_operator = |n: &str| crate::display::is_operator(n);
    let names: Vec<&str> =
        candidates.map(Symbol::as_str).filter(|c| is_operator(c) == is_operator(name.as_str())).collect();
    let found = kenaz_base::similar(name.as_str(), names);
    // A name of one letter is near every other: only its case can be wrong.
    let found = found.into_iter().find(|c| name.as_str().len() > 1 || c.eq_ignore_ascii_case(name.as_str()));
    found.map(Symbol::intern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_neighbour() {
        let names = ["length", "map", "reduce", "x", "xs"].map(Symbol::intern);
        let near = |name| nearest(Symbol::intern(name), names.into_iter()).map(Symbol::as_str);
        assert_eq!(near("lenght"), Some("length"));
        assert_eq!(near("mpa"), Some("map"));
        assert_eq!(near("X"), Some("x"));
        assert_eq!(near("quux"), None);
        assert_eq!(near("y"), None);
    }
}
