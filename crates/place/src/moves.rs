//! Moving statements out of a body together with the scalars they depend on.

use kenaz_base::with_stack;
use kenaz_ir::effects;
use kenaz_ir::visit::free_in_stm;
use kenaz_ir::{Body, Exp, MemExp, Name, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which statements of a body can be moved in front of what the body belongs to.
pub(crate) struct Movable<'a> {
    /// Names that are bound by what is around the body, such as the index of a loop.
    bound: &'a FxHashSet<Name>,
    defs: FxHashMap<Name, usize>,
    known: FxHashMap<usize, bool>,
    taken: FxHashSet<usize>,
}

impl<'a> Movable<'a> {
    pub(crate) fn of(body: &Body, bound: &'a FxHashSet<Name>) -> Movable<'a> {
        let mut defs = FxHashMap::default();
        for (i, stm) in body.stms.iter().enumerate() {
            defs.extend(stm.pat.iter().map(|p| (p.name, i)));
        }
        Movable { bound, defs, known: FxHashMap::default(), taken: FxHashSet::default() }
    }

    /// Whether the statement depends on nothing in the body but what can be moved, too. Allocations and scalars that
    /// cannot go wrong can.
    pub(crate) fn can_move(&mut self, body: &Body, i: usize) -> bool {
        if let Some(known) = self.known.get(&i) {
            return *known;
        }
        let stm = &body.stms[i];
        let can = (is_cheap(stm) || matches!(stm.exp, Exp::Mem(MemExp::Alloc(..) | MemExp::AllocEach(_))))
            && with_stack(|| free_in_stm(stm).into_iter().all(|name| self.is_outside(body, name)));
        self.known.insert(i, can);
        can
    }

    /// Whether a name is bound outside the body, or can be.
    pub(crate) fn is_outside(&mut self, body: &Body, name: Name) -> bool {
        match self.defs.get(&name).copied() {
            Some(at) => self.can_move(body, at),
            None => !self.bound.contains(&name),
        }
    }

    pub(crate) fn take(&mut self, i: usize) {
        self.taken.insert(i);
    }

    /// Takes a name's statement along.
    pub(crate) fn take_name(&mut self, name: Name) {
        if let Some(i) = self.defs.get(&name) {
            self.taken.insert(*i);
        }
    }

    /// Removes what was taken from the body, with all it depends on, in the order in which it stood there.
    pub(crate) fn finish(mut self, body: &mut Body) -> Vec<Stm> {
        let mut work: Vec<usize> = self.taken.iter().copied().collect();
        while let Some(i) = work.pop() {
            for name in free_in_stm(&body.stms[i]) {
                if let Some(at) = self.defs.get(&name)
                    && self.taken.insert(*at)
                {
                    work.push(*at);
                }
            }
        }
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        for (i, stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
            if self.taken.contains(&i) { out.push(stm) } else { rest.push(stm) }
        }
        body.stms = rest;
        out
    }
}

/// Whether a statement computes scalars and cannot go wrong, so that it may stand anywhere its operands are in scope.
pub(crate) fn is_cheap(stm: &Stm) -> bool {
    let is_scalar = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    let effects = effects::of(stm);
    is_scalar && effects.may_speculate() && effects.cost.is_constant() && stm.certs.is_empty()
}
