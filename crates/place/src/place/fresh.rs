//! Branches that all make their result.
//!
//! ```text
//! let ym, y @ ym = if c then {                 let ym = alloc host b
//!   let am = alloc host b                      let y @ ym = if c then {
//!   let a @ am = …                               let a @ ym = …
//!   in am, a                               →     in a
//! } else {                                     } else {
//!   let bm = alloc host b                        let b @ ym = …
//!   let b @ bm = …                               in b
//!   in bm, b                                   }
//! }
//! ```
//!
//! When no branch yields what exists already, and the size is known in front of them, one block is allocated there and
//! handed down. So it is as good as any other: it can leave loops, be merged with others, and its layout is known. A
//! branch that yields what exists would have to copy it, so then the block stays what the branches choose.

use super::plan::{Dest, Planner, is_made};
use kenaz_ir::effects;
use kenaz_ir::facts::Answer;
use kenaz_ir::{Body, Exp, Name, Operand, Param, Poly, Stm};

impl Planner {
    /// Branches of which one runs, each with what is known to hold in it.
    pub(super) fn branches<'b>(
        &mut self,
        stm: &Stm,
        bodies: impl Iterator<Item = (&'b Body, Option<(Operand, bool)>)>,
    ) {
        let bodies: Vec<(&Body, Option<(Operand, bool)>)> = bodies.collect();
        let is_planned = |p: &Self, param: &Param| matches!(p.plan.dests.get(&param.name), Some(Dest::Into(_)));
        let is_known =
            |param: &Param| !param.ty.dims().iter().any(|n| stm.pat.iter().any(|p| Some(p.name) == n.name()));
        let mut tried = Vec::new();
        for (i, param) in stm.pat.iter().enumerate().filter(|(_, p)| p.ty.is_array()) {
            let results = || bodies.iter().map(|(body, _)| (*body, body.results[i].name()));
            let may_try = || is_known(param) && results().all(|(body, x)| x.is_some_and(|x| !is_part_there(body, x)));
            if is_planned(self, param) || may_try() {
                results().for_each(|(body, x)| x.into_iter().for_each(|x| self.result(x, param.name, body)));
                tried.push((i, param));
            }
        }
        for (body, cond) in &bodies {
            self.branch(body, *cond);
        }
        for (i, param) in tried {
            let values = || bodies.iter().filter_map(|(body, _)| Some((*body, body.results[i].name()?)));
            if is_known(param) && values().all(|(body, x)| self.arrives(body, x, param.name)) {
                self.plan.fresh.insert(param.name);
            } else if !is_planned(self, param) {
                values().for_each(|(_, x)| self.forget(x, param.name));
            }
        }
    }

    /// There will be no place for the whole before it is made.
    fn forget(&mut self, x: Name, whole: Name) {
        if self.is_for(x, whole) {
            self.plan.dests.remove(&x);
        }
    }

    fn is_for(&self, x: Name, whole: Name) -> bool {
        matches!(self.plan.dests.get(&x), Some(Dest::Into(into)) if into.whole == whole)
    }

    /// Whether what a body makes under this name is made where the whole is, if there is a place for that.
    fn arrives(&self, body: &Body, mut x: Name, mut whole: Name) -> bool {
        for stm in body.stms.iter().rev() {
            let Some(at) = stm.pat.iter().position(|p| p.name == x) else { continue };
            if !self.is_for(x, whole) || self.apart.contains(&x) {
                return false;
            }
            let before = match &stm.exp {
                Exp::If(..) | Exp::Match(..) => return self.plan.fresh.contains(&x),
                Exp::Loop { params, .. } => match &params[at] {
                    (param, Operand::Var(init)) if self.plan.in_place.contains(&param.name) => Some(*init),
                    _ => None,
                },
                Exp::Reshape(..) | Exp::Resize(..) => effects::viewed(&stm.exp).filter(|a| self.same_size(*a, x)),
                exp => effects::viewed(exp).or(effects::over(exp, at)),
            };
            match before {
                Some(before) => (x, whole) = (before, x),
                None => return is_made(stm, x),
            }
        }
        false
    }

    /// Whether two arrays are known to have the same number of elements.
    fn same_size(&self, a: Name, b: Name) -> bool {
        let size = |name: Name| {
            let dims = self.relative.dims(name)?;
            dims.into_iter().try_fold(Poly::constant(1), |n, dim| n.times(&Poly::operand(dim)?))
        };
        matches!((size(a), size(b)), (Some(a), Some(b)) if self.facts.poly_eq(&a, &b) == Answer::Proved)
    }
}

/// Whether a body makes an array part of another that it makes, so that it had better be made there.
fn is_part_there(body: &Body, x: Name) -> bool {
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::Concat(_, parts) => parts.contains(&x),
        Exp::Array(elems, _) => elems.contains(&x.into()),
        Exp::Copy(a) => *a == x,
        Exp::Update(_, _, value) => *value == x.into(),
        Exp::FlatUpdate(.., value) => *value == x,
        _ => false,
    })
}
