//! Branches: sizes on which the bodies agree, and sizes that can be computed in front.

use super::backward::{self, Defined, Defs, Slice};
use super::{Slicer, plain};
use kenaz_ir::visit::copy_body;
use kenaz_ir::{Body, DecisionKind, Exp, Name, Operand, Param, Stm, Type};
use rustc_hash::FxHashSet;

impl Slicer<'_> {
    pub(super) fn branch(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        let cond = match &stm.exp {
            Exp::If(cond, ..) => Some(*cond),
            _ => None,
        };
        for (i, body) in bodies_mut(&mut stm.exp).into_iter().enumerate() {
            let mark = self.facts.mark();
            if let Some(cond) = cond {
                self.facts.assume(cond, i == 0);
            }
            self.body(body);
            self.facts.reset(mark);
        }
        self.agreed_sizes(&mut stm, cond);
        self.sizes_first(&mut stm, out);
        self.checks_of_branch(&mut stm.exp, &stm.certs, out);
        if !stm.pat.is_empty() || !backward::is_pure(&stm) {
            out.push(stm);
        }
    }

    /// Takes the sizes out of a branch about which its bodies agree.
    fn agreed_sizes(&mut self, stm: &mut Stm, cond: Option<Operand>) {
        let sizes = backward::sizes(&stm.pat);
        let bodies = bodies(&stm.exp);
        // A number that is no size here may be one elsewhere. It is taken only if all bodies yield the same operand.
        let is_same = |i: &usize| bodies.iter().all(|body| body.results[*i] == bodies[0].results[*i]);
        let numbers = (0..stm.pat.len()).filter(|i| stm.pat[*i].ty == Type::I64);
        let sizes: Vec<usize> = numbers.filter(|i| sizes.contains(i) || is_same(i)).collect();
        if sizes.is_empty() {
            return;
        }
        let inner: FxHashSet<Name> =
            bodies.iter().flat_map(|body| &body.stms).flat_map(|stm| &stm.pat).map(|p| p.name).collect();
        // For each size the operands in scope outside that a body yields for it.
        let mut candidates: Vec<(usize, Vec<Operand>)> = Vec::new();
        for i in sizes {
            let mut outer: Vec<Operand> = Vec::new();
            for x in bodies.iter().map(|body| body.results[i]) {
                if !outer.contains(&x) && x.name().is_none_or(|name| !inner.contains(&name)) {
                    outer.push(x);
                }
            }
            outer.truncate(2);
            candidates.push((i, outer));
        }
        candidates.retain(|(_, outer)| !outer.is_empty());
        for (at, body) in bodies.iter().enumerate() {
            let differs = |(i, outer): &(usize, Vec<Operand>)| outer.iter().any(|x| *x != body.results[*i]);
            if !candidates.iter().any(differs) {
                continue;
            }
            let mark = self.facts.mark();
            if let Some(cond) = cond {
                self.facts.assume(cond, at == 0);
            }
            body.stms.iter().for_each(|stm| self.learn(stm));
            for (i, outer) in &mut candidates {
                let yielded = body.results[*i];
                outer.retain(|x| *x == yielded || self.facts.prove_eq(yielded, *x).is_proved());
            }
            self.facts.reset(mark);
        }
        let known: Vec<(usize, Operand)> =
            candidates.iter().filter_map(|(i, outer)| Some((*i, *outer.first()?))).collect();
        let known: Vec<(usize, Operand)> = known.into_iter().filter(|_| self.log.fire("slice-branch-agree")).collect();
        if !known.is_empty() {
            let pat = stm.pat.clone();
            for body in bodies_mut(&mut stm.exp) {
                self.fit(body, &known, &pat, stm.loc);
            }
            self.drop_sizes(&mut stm.pat, &known);
        }
    }

    /// Computes sizes in front of the branch that yields them, where that is cheap.
    fn sizes_first(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) {
        let mut cheap: Vec<usize> = Vec::new();
        for i in backward::sizes(&stm.pat) {
            match self.slices(&stm.exp, &[i]) {
                Ok(_) => cheap.push(i),
                Err(reason) => self.log.decide(DecisionKind::SizeStaysWithValue, stm.loc, reason),
            }
        }
        // Together they may be too much.
        let slices = match self.slices(&stm.exp, &cheap) {
            Ok(slices) if !cheap.is_empty() && self.log.fire("slice-branch-size") => slices,
            Ok(_) | Err(_) => return,
        };
        let mut exp = stm.exp.clone_without_bodies();
        for (body, slice) in bodies_mut(&mut exp).into_iter().zip(slices) {
            *body = copy_body(&slice, self.fresh);
        }
        let pat: Vec<Param> = cheap.iter().map(|i| stm.pat[*i].clone()).collect();
        let known: Vec<(usize, Operand)> = cheap.iter().map(|i| (*i, stm.pat[*i].name.into())).collect();
        let sizes = plain(pat, exp, stm.loc);
        self.facts.stm(&sizes);
        out.push(Stm { certs: stm.certs.clone(), ..sizes });
        let pat = stm.pat.clone();
        for body in bodies_mut(&mut stm.exp) {
            self.fit(body, &known, &pat, stm.loc);
        }
        self.drop_sizes(&mut stm.pat, &known);
    }

    /// For each body what it needs for these results.
    fn slices(&self, exp: &Exp, places: &[usize]) -> Result<Vec<Body>, backward::Refusal> {
        let slice = |body: &&Body| {
            let results: Vec<Operand> = places.iter().map(|i| body.results[*i]).collect();
            let slice = Slice::of(&body.stms, &Defs::of(&body.stms), results.iter().copied(), &self.cheap)?;
            if slice.has_assert() || slice.defined(&body.stms, |_| false, &self.cheap) == Defined::Here {
                return Err("checks inside the branch vouch for it");
            }
            Ok(Body { stms: slice.stms, results })
        };
        bodies(exp).iter().map(slice).collect()
    }
}

/// The bodies of a branch.
pub(super) fn bodies(exp: &Exp) -> Vec<&Body> {
    match exp {
        Exp::If(_, yes, no) => vec![yes, no],
        Exp::Match(_, cases, default) => cases.iter().map(|(_, body)| body).chain([default]).collect(),
        _ => unreachable!("a branch"),
    }
}

pub(super) fn bodies_mut(exp: &mut Exp) -> Vec<&mut Body> {
    match exp {
        Exp::If(_, yes, no) => vec![yes, no],
        Exp::Match(_, cases, default) => cases.iter_mut().map(|(_, body)| body).chain([default]).collect(),
        _ => unreachable!("a branch"),
    }
}

trait CloneWithoutBodies {
    /// A branch on the same condition, with empty bodies.
    fn clone_without_bodies(&self) -> Exp;
}

impl CloneWithoutBodies for Exp {
    fn clone_without_bodies(&self) -> Exp {
        match self {
            Exp::If(cond, ..) => Exp::If(*cond, Body::default(), Body::default()),
            Exp::Match(x, cases, _) => {
                let cases = cases.iter().map(|(value, _)| (*value, Body::default())).collect();
                Exp::Match(*x, cases, Body::default())
            }
            _ => unreachable!("a branch"),
        }
    }
}
