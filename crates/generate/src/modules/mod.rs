//! Random programs about modules, with what they compute.
//!
//! A program is made of a few kinds of [`Component`]s: a type together with the functions that make and take apart its
//! values, or a number together with an array of that size and a function that yields some of its elements. Bodies,
//! signatures, parametric modules, applications, refinements and `open` combine them. Names come from a small pool, so
//! that nearly everything is shadowed somewhere.
//!
//! What a program computes is found by looking at it without types: a module is a table of functions, a parametric
//! module a function from tables to tables ([`meaning`]). Types only decide what may be written, and for that a type
//! is a number ([`Component::id`]): an alias has the number of its type, everything else one of its own.

mod bodies;
mod definitions;
mod meaning;
mod signatures;
mod top;

use crate::choices::Choices;
use std::collections::{BTreeMap, BTreeSet};

pub use top::{Case, ModuleProgram, generate_modules, replay_modules};

/// The identity of a type.
type Id = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// `type t  val mk_t : i64 -> t  val un_t : t -> i64`
    Plain,
    /// `type t [n]  val mk_t [n] : [n]i64 -> t [n]  val un_t [n] : t [n] -> [n]i64`
    Sized,
    /// `type t 'a  val mk_t 'a : i64 -> a -> t a  val un_t 'a : t a -> a  val tag_t 'a : t a -> i64`
    Poly,
    /// `val t : i64  val arr_t : [t]i64  val few_t : i64 -> []i64`
    Number,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    kind: Kind,
    id: Id,
}

/// What is known about a module, or about everything in scope.
#[derive(Clone, Default, Debug)]
struct Known {
    components: BTreeMap<&'static str, Component>,
    modules: BTreeMap<String, Module>,
}

#[derive(Clone, Debug)]
enum Module {
    Plain(Known),
    Parametric(Box<Parametric>),
}

#[derive(Clone, Debug)]
struct Parametric {
    param: Known,
    /// The types of the parameter that can be anything.
    open: BTreeSet<Id>,
    result: Module,
    /// The types that each application makes anew.
    makes: BTreeSet<Id>,
}

/// A module type with a name.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    known: Known,
    /// The types that can be anything.
    open: BTreeSet<Id>,
}

/// The state of generation.
struct Gen {
    choices: Choices,
    scope: Known,
    signatures: Vec<Signature>,
    next: Id,
    modules: usize,
}

impl Gen {
    fn id(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    fn module_name(&mut self) -> String {
        self.modules += 1;
        // A name that is used again hides the older module.
        match self.choices.chance(4) {
            true => "again".to_string(),
            false => format!("m{}", self.modules),
        }
    }

    /// What `f` makes in a scope of its own.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Gen) -> T) -> T {
        let (scope, signatures) = (self.scope.clone(), self.signatures.clone());
        let result = f(self);
        self.scope = scope;
        self.signatures = signatures;
        result
    }

    /// The components of a kind that can be named, with what stands in front of their names.
    fn reachable(&self, kind: Kind) -> Vec<(String, &'static str, Component)> {
        let mut found = Vec::new();
        self.scope.reach("", kind, &mut found);
        found
    }

    fn some(&mut self, kind: Kind) -> Option<(String, &'static str, Component)> {
        let all = self.reachable(kind);
        if all.is_empty() { None } else { Some(self.choices.pick(&all)) }
    }
}

impl Known {
    fn reach(&self, prefix: &str, kind: Kind, found: &mut Vec<(String, &'static str, Component)>) {
        for (name, component) in &self.components {
            if component.kind == kind {
                found.push((prefix.to_string(), name, *component));
            }
        }
        for (name, module) in &self.modules {
            if let Module::Plain(known) = module {
                known.reach(&format!("{prefix}{name}."), kind, found);
            }
        }
    }

    /// The same with other types.
    fn renamed(&self, id: &mut dyn FnMut(Id) -> Id) -> Known {
        let component = |c: &Component, id: &mut dyn FnMut(Id) -> Id| Component { id: id(c.id), ..*c };
        Known {
            components: self.components.iter().map(|(name, c)| (*name, component(c, id))).collect(),
            modules: self.modules.iter().map(|(name, module)| (name.clone(), module.renamed(id))).collect(),
        }
    }

    /// All types in it.
    fn ids(&self, out: &mut BTreeSet<Id>) {
        out.extend(self.components.values().map(|c| c.id));
        self.modules.values().for_each(|module| module.ids(out));
    }

    /// The types in it from this one on.
    fn ids_from(&self, first: Id) -> BTreeSet<Id> {
        let mut out = BTreeSet::new();
        self.ids(&mut out);
        out.split_off(&first)
    }

    /// Adds what another module has; the same names are hidden.
    fn open(&mut self, other: &Known) {
        self.components.extend(other.components.iter().map(|(name, c)| (*name, *c)));
        self.modules.extend(other.modules.iter().map(|(name, m)| (name.clone(), m.clone())));
    }
}

impl Module {
    fn renamed(&self, id: &mut dyn FnMut(Id) -> Id) -> Module {
        match self {
            Module::Plain(known) => Module::Plain(known.renamed(id)),
            Module::Parametric(fun) => {
                let mut set = |ids: &BTreeSet<Id>| ids.iter().map(|i| id(*i)).collect();
                let (open, makes) = (set(&fun.open), set(&fun.makes));
                let (param, result) = (fun.param.renamed(id), fun.result.renamed(id));
                Module::Parametric(Box::new(Parametric { param, open, result, makes }))
            }
        }
    }

    fn ids(&self, out: &mut BTreeSet<Id>) {
        match self {
            Module::Plain(known) => known.ids(out),
            Module::Parametric(fun) => {
                fun.param.ids(out);
                fun.result.ids(out);
            }
        }
    }
}
