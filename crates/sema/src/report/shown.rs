//! How the names in one message are told apart: different sizes and types may have the same name.

use crate::checker::Checker;
use crate::names::{Shown, VarKind};
use crate::scope::{Env, Module, Term};
use crate::types::{Size, Ty, TyKind, TypeId, VarId};
use crate::walk::TyVisit;
use kenaz_base::{Span, Symbol};

/// How deeply modules are searched for a type.
const MAX_DEPTH: usize = 3;

/// The sizes and types with a name, in the order of their first occurrence.
#[derive(Default)]
struct Named {
    vars: Vec<VarId>,
    types: Vec<TypeId>,
}

impl TyVisit for Named {
    fn size(&mut self, size: &Size, bound: &[VarId]) {
        size.for_each_var(&mut |v| {
            if !self.vars.contains(&v) && !bound.contains(&v) {
                self.vars.push(v);
            }
        });
    }

    fn con(&mut self, id: TypeId) {
        if !self.types.contains(&id) {
            self.types.push(id);
        }
    }
}

impl Checker<'_> {
    /// From here on, what has the same name in these types is shown differently, until [`Checker::forget_shown`].
    pub(crate) fn tell_apart(&mut self, types: &[&Ty]) {
        let mut named = Named::default();
        for ty in types {
            named.walk(&self.names.zonk(ty), &mut Vec::new());
        }
        // What the program names keeps its name.
        named.vars.sort_by_key(|v| matches!(self.names.vars[*v].kind, VarKind::Flexible(..) | VarKind::Bound));
        let mut shown = Shown::default();
        let name_of = |v: &VarId| self.names.vars[*v].name;
        for (at, v) in named.vars.iter().enumerate() {
            let same = named.vars[..at].iter().filter(|other| name_of(other) == name_of(v)).count();
            // Sizes that nobody named are numbered anyway.
            let is_numbered = |v: &VarId| matches!(self.names.vars[*v].kind, VarKind::Unknown(_));
            if same > 0 && !is_numbered(v) {
                let taken: Vec<String> =
                    named.vars.iter().filter(|v| is_numbered(v)).map(|v| self.names.show_var(*v)).collect();
                let numbers = (same..).map(|n| format!("{}{}", name_of(v), crate::display::subscript(n)));
                let fresh = numbers.into_iter().find(|name| !taken.contains(name));
                shown.vars.extend(fresh.map(|name| (*v, name)));
            }
        }
        for id in &named.types {
            let name = self.names.types[*id].name;
            let is_other = |other: &&TypeId| *other != id && self.names.types[**other].name == name;
            if !named.types.iter().any(|other| is_other(&other)) {
                continue;
            }
            let path = self.path_of_type(*id).unwrap_or_else(|| {
                let numbers = (1..).map(|n| format!("{name}{}", crate::display::subscript(n)));
                let mut unused = numbers.filter(|new| !shown.types.values().any(|other| other == new));
                unused.next().unwrap_or_default()
            });
            shown.types.insert(*id, path);
        }
        self.names.shown = shown;
    }

    pub(crate) fn forget_shown(&mut self) {
        self.names.shown = Shown::default();
    }

    /// Where the sizes come from that are shown with a number because of another one of the same name.
    pub(super) fn told_apart(&self, sizes: &[&Size]) -> Vec<(Span, String)> {
        let mut vars = Vec::new();
        for size in sizes {
            self.names.size(size).for_each_var(&mut |v| vars.push(v));
        }
        let is_shared = |v: &VarId| {
            self.names.shown.vars.iter().any(|(other, _)| {
                other == v || (self.names.vars[*other].name == self.names.vars[*v].name && vars.contains(other))
            })
        };
        vars.iter()
            .filter(|v| is_shared(v) && matches!(self.names.vars[**v].kind, VarKind::SizeParam | VarKind::Value))
            .map(|v| (self.names.vars[*v].span, format!("this is `{}`", self.names.show_var(*v))))
            .collect()
    }

    /// How a type can be named here.
    fn path_of_type(&self, id: TypeId) -> Option<String> {
        let name = self.names.types[id].name;
        let is_it = |ty: &Ty| matches!(ty.kind(), TyKind::Con(other, _) if *other == id);
        if self.scope.ty(name).is_some_and(|entry| is_it(&entry.abbr.body)) {
            return Some(name.to_string());
        }
        let mut modules: Vec<Symbol> = self.scope.term_names().collect();
        modules.sort_unstable_by_key(|name| name.as_str());
        (1..=MAX_DEPTH).find_map(|depth| {
            modules.iter().find_map(|module| match self.scope.term(*module) {
                Some(Term::Module(Module::Env(env))) => path_in(env, id, depth).map(|path| format!("{module}.{path}")),
                _ => None,
            })
        })
    }
}

/// The path of a type so many levels down in a module.
fn path_in(env: &Env, id: TypeId, depth: usize) -> Option<String> {
    if depth == 1 {
        let found =
            env.types.iter().find(|(_, entry)| matches!(entry.abbr.body.kind(), TyKind::Con(other, _) if *other == id));
        return found.map(|(name, _)| name.to_string());
    }
    env.terms.iter().find_map(|(name, term)| match term {
        Term::Module(Module::Env(inner)) => path_in(inner, id, depth - 1).map(|path| format!("{name}.{path}")),
        _ => None,
    })
}
