//! Common subexpressions: what was computed before is not computed again.
//!
//! Two statements are the same when their expressions are, up to the names bound inside them. An array is the same only
//! if neither of the two is ever consumed: otherwise they have to stay two arrays.

use super::engine::Cx;
use kenaz_base::Symbol;
use kenaz_ir::effects;
use kenaz_ir::print::operator;
use kenaz_ir::visit::{Visit, VisitMut, bound_in_exp, has_bodies};
use kenaz_ir::{Attrs, Body, Exp, Name, Operand, Param, Stm};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// The statements so far, by a hash of their expressions.
#[derive(Default)]
pub(super) struct Same {
    table: FxHashMap<u64, Vec<Entry>>,
    /// The keys of the entries in the order in which they were made.
    log: Vec<u64>,
}

struct Entry {
    exp: Exp,
    attrs: Attrs,
    names: Vec<Name>,
}

impl Same {
    /// A mark of what is remembered now; [`Same::leave`] forgets everything after it.
    pub(super) fn enter(&self) -> usize {
        self.log.len()
    }

    pub(super) fn leave(&mut self, scope: usize) {
        for key in self.log.drain(scope..) {
            if let Some(entries) = self.table.get_mut(&key) {
                entries.pop();
            }
        }
    }

    /// The names of an earlier statement that computes the same.
    pub(super) fn find(&self, cx: &Cx<'_>, stm: &Stm, key: &Key) -> Option<Vec<Name>> {
        let exp = key.exp.as_ref().unwrap_or(&stm.exp);
        let found = self.table.get(&key.hash)?.iter().rev().find(|entry| {
            let may_merge = |(p, name): (&Param, &Name)| p.ty.rank() == 0 || cx.sharing.may_merge(p.name, *name);
            may_stand_for(&entry.attrs, &stm.attrs)
                && is_same(&entry.exp, exp)
                && entry.names.len() == stm.pat.len()
                && stm.pat.iter().zip(&entry.names).all(may_merge)
        })?;
        Some(found.names.clone())
    }

    pub(super) fn remember(&mut self, stm: &Stm, key: Key) {
        if stm.pat.is_empty() {
            return;
        }
        let exp = key.exp.unwrap_or_else(|| stm.exp.clone());
        let entry = Entry { exp, attrs: stm.attrs.clone(), names: stm.pat.iter().map(|p| p.name).collect() };
        self.table.entry(key.hash).or_default().push(entry);
        self.log.push(key.hash);
    }
}

/// Whether what has these attributes does all that others ask for: the same, but it may run in sequence unasked. A
/// pinned operator stays.
fn may_stand_for(attrs: &Attrs, others: &Attrs) -> bool {
    !attrs.is_pin() && attrs == others || attrs.is_free() && others.0.iter().all(|attr| attrs.0.contains(attr))
}

/// The key by which statements are compared.
pub(super) struct Key {
    hash: u64,
    /// The expression with names numbered from the top, if it binds any.
    exp: Option<Exp>,
}

impl Key {
    /// Nothing for what must not be merged with anything.
    pub(super) fn of(cx: &Cx<'_>, stm: &Stm) -> Option<Key> {
        if !is_repeatable(cx, stm) {
            return None;
        }
        let exp = canonical(cx, &stm.exp)?;
        Some(Key { hash: hash(exp.as_ref().unwrap_or(&stm.exp)), exp })
    }
}

/// Checks are the same when their conditions are: the second would fail only where the first already did.
fn is_same(a: &Exp, b: &Exp) -> bool {
    match (a, b) {
        (Exp::Assert(x, _), Exp::Assert(y, _)) => x == y,
        _ => a == b,
    }
}

/// Whether evaluating the expression again gives the same and nobody can tell, apart from what its bodies print.
fn is_repeatable(cx: &Cx<'_>, stm: &Stm) -> bool {
    match &stm.exp {
        // An operand is put in the place of its name instead.
        Exp::Operand(_) => false,
        // These are not compared.
        Exp::Match(..) | Exp::Loop { .. } | Exp::Jvp(..) | Exp::Vjp(..) => false,
        Exp::Call(..) => cx.sharing.is_movable(&stm.exp),
        exp if effects::of(stm).may_repeat() => !has_bodies(exp) || cx.sharing.is_movable(exp),
        _ => false,
    }
}

/// The expression with the names bound in it numbered from the top, if there are any; nothing for an expression that
/// is too large to be looked at again and again, or that traces.
fn canonical(cx: &Cx<'_>, exp: &Exp) -> Option<Option<Exp>> {
    const MOST_NAMES: usize = 100;
    if !has_bodies(exp) {
        return (!matches!(exp, Exp::Call(f, _) if cx.traces.contains(f))).then_some(None);
    }
    let bound = bound_in_exp(exp);
    if bound.len() > MOST_NAMES {
        return None;
    }
    if effects::any_inside(exp, |stm| is_watched(stm, cx.traces)) {
        return None;
    }
    let map = bound.into_iter().zip((0..u32::MAX).rev()).collect();
    let mut copy = exp.clone();
    Renumber { map }.exp(&mut copy);
    Some(Some(copy))
}

/// Whether a function traces, by itself or by a call of one of those that do.
pub(super) fn is_tracing(body: &Body, traces: &FxHashSet<Symbol>) -> bool {
    effects::any(body, |stm| is_watched(stm, traces))
}

fn is_watched(stm: &Stm, traces: &FxHashSet<Symbol>) -> bool {
    match &stm.exp {
        Exp::Call(f, _) => traces.contains(f),
        _ => effects::of(stm).is_watched(),
    }
}

struct Renumber {
    map: FxHashMap<Name, u32>,
}

impl VisitMut for Renumber {
    fn name(&mut self, name: &mut Name) {
        if let Some(id) = self.map.get(name) {
            name.id = *id;
        }
    }

    fn binder(&mut self, name: &mut Name) {
        self.name(name);
    }

    fn stm(&mut self, stm: &mut Stm) {
        // Where it stands makes no difference.
        stm.loc = kenaz_ir::Locs::NOWHERE();
        kenaz_ir::visit::walk_mut::stm(self, stm);
    }
}

fn hash(exp: &Exp) -> u64 {
    struct Hashing(FxHasher);
    impl Visit for Hashing {
        fn name(&mut self, name: &Name) {
            name.hash(&mut self.0);
        }

        fn operand(&mut self, x: &Operand) {
            x.hash(&mut self.0);
        }

        fn stm(&mut self, stm: &Stm) {
            operator(&stm.exp).hash(&mut self.0);
            kenaz_ir::visit::walk::stm(self, stm);
        }
    }
    let mut hashing = Hashing(FxHasher::default());
    operator(exp).hash(&mut hashing.0);
    match exp {
        Exp::Assert(cond, _) => cond.hash(&mut hashing.0),
        _ => hashing.exp(exp),
    }
    hashing.0.finish()
}
