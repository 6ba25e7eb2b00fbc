//! Copies of functions that are called with attributes about what runs in parallel.
//!
//! ```text
//! fun f (…) = { let s = par … in s }          fun f (…) = { let s = par … in s }
//! entry main (…) = {                          fun f_sequential (…) = { let s_1 = #[sequential] par … in s_1 }
//!   let a = call f (…)                   ⇒    entry main (…) = {
//!   let b = #[sequential] call f (…)            let a = call f (…)
//!   in a, b                                     let b = #[sequential] call f_sequential (…)
//! }                                             in a, b
//!                                             }
//! ```

use kenaz_base::Symbol;
use kenaz_ir::visit::VisitMut;
use kenaz_ir::{Attr, Attrs, Body, Fresh, Fun, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Which attributes a call has.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    all: bool,
    outer: bool,
    inner: bool,
}

impl Key {
    pub(super) const SEQUENTIAL: Key = Key { all: true, outer: false, inner: false };

    pub(super) fn of(attrs: &Attrs) -> Key {
        match attrs.has(Attr::Sequential) {
            true => Key::SEQUENTIAL,
            false => {
                Key { all: false, outer: attrs.has(Attr::SequentialOuter), inner: attrs.has(Attr::SequentialInner) }
            }
        }
    }

    fn attrs(self) -> impl Iterator<Item = Attr> {
        [(self.all, Attr::Sequential), (self.outer, Attr::SequentialOuter), (self.inner, Attr::SequentialInner)]
            .into_iter()
            .filter_map(|(is_there, attr)| is_there.then_some(attr))
    }

    /// Says this of the statements of a body that can run in parallel, or contain some that can.
    pub(super) fn add_to(self, body: &mut Body) {
        for stm in body.stms.iter_mut().filter(|stm| stm.exp.may_run_in_parallel()) {
            for attr in self.attrs().filter(|attr| !stm.attrs.has(*attr)).collect::<Vec<Attr>>() {
                stm.attrs.0.push(attr);
            }
        }
    }
}

/// The copies that calls have asked for.
pub(super) struct Copies {
    taken: FxHashSet<Symbol>,
    wanted: FxHashMap<Symbol, BTreeMap<Key, Symbol>>,
    /// The functions that are called as they are.
    called: FxHashSet<Symbol>,
}

impl Copies {
    /// For functions of these names.
    pub(super) fn new(names: impl Iterator<Item = Symbol>) -> Copies {
        Copies { taken: names.collect(), wanted: FxHashMap::default(), called: FxHashSet::default() }
    }

    /// The function to call.
    pub(super) fn called(&mut self, f: Symbol, key: Key) -> Symbol {
        if key == Key::default() {
            self.called.insert(f);
            return f;
        }
        let taken = &mut self.taken;
        *self.wanted.entry(f).or_default().entry(key).or_insert_with(|| {
            let mut name = key.attrs().fold(f.to_string(), |name, more| format!("{name}_{more}"));
            while !taken.insert(Symbol::intern(&name)) {
                name.push('_');
            }
            Symbol::intern(&name)
        })
    }

    pub(super) fn is_called(&self, f: Symbol) -> bool {
        self.called.contains(&f)
    }

    /// The copies of a function, after all who call it.
    pub(super) fn of(&mut self, fun: &Fun, fresh: &mut Fresh) -> Vec<Fun> {
        let wanted = self.wanted.remove(&fun.name).unwrap_or_default();
        let copy = |(key, name): (Key, Symbol)| {
            let mut copy = fun.clone();
            Renaming { names: FxHashMap::default(), fresh }.fun(&mut copy);
            (copy.name, copy.entry) = (name, None);
            key.add_to(&mut copy.body);
            copy
        };
        wanted.into_iter().map(copy).collect()
    }
}

/// Gives new names to all that a function binds, which is all that it uses.
struct Renaming<'a> {
    names: FxHashMap<Name, Name>,
    fresh: &'a mut Fresh,
}

impl VisitMut for Renaming<'_> {
    fn name(&mut self, name: &mut Name) {
        *name = *self.names.entry(*name).or_insert_with(|| self.fresh.like(*name));
    }

    fn binder(&mut self, name: &mut Name) {
        self.name(name);
    }
}
