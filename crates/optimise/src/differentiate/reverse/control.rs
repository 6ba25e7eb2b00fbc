//! Branches and calls.

use super::super::{Derived, renamed};
use super::Reverse;
use super::adjoint::Adj;
use kenaz_base::Symbol;
use kenaz_ir::visit::free_in_body;
use kenaz_ir::{Body, Exp, Fun, Name, Operand, Param, Stm, Type};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Reverse<'_> {
    /// The active variables that a body uses and does not bind, in order.
    pub(super) fn active_in(&self, free: &BTreeSet<Name>) -> Vec<Name> {
        let is_value = |name: &&Name| self.active.contains(name) && self.cx.b.type_of_name(**name).prim().is_some();
        free.iter().filter(is_value).copied().collect()
    }

    pub(super) fn branches_back(&mut self, stm: &Stm) -> Derived {
        let bodies: Vec<&Body> = match &stm.exp {
            Exp::If(_, yes, no) => vec![yes, no],
            Exp::Match(_, cases, default) => cases.iter().map(|(_, body)| body).chain([default]).collect(),
            _ => return Ok(()),
        };
        let seeds: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        let gathers = stm.pat.iter().any(|p| self.is_gathered(&p.ty));
        if seeds.iter().all(Option::is_none) && !gathers {
            return Ok(());
        }
        // Sizes that the branches bring along have the names of the pattern outside.
        let free: BTreeSet<Name> = bodies.iter().flat_map(|body| free_in_body(body)).collect();
        let outer = self.active_in(&free);
        let before = self.adjoints.clone();
        let mut branches = Vec::new();
        for body in bodies {
            let (_, copy) = self.cx.copy_body(body, &[], &mut self.active);
            self.adjoints = before.clone();
            self.cx.b.begin();
            let mut own = Vec::new();
            for ((p, x), seed) in stm.pat.iter().zip(&copy.results).zip(&seeds) {
                own.push(match seed {
                    Some(seed) if self.cx.b.type_of(*x).prim().is_some() => Some((*x, *seed, p.ty.clone())),
                    _ => None,
                });
            }
            let done = self.branch_back(&copy, own);
            let after = self.adjoints.clone();
            let open = self.cx.b.end(Vec::new());
            done?;
            branches.push((open, after));
        }
        self.adjoints = before.clone();
        let changed: Vec<Name> = outer
            .into_iter()
            .filter(|name| branches.iter().any(|(_, after)| after.get(name) != before.get(name)))
            .collect();
        let mut closed = Vec::new();
        for (open, after) in branches {
            self.adjoints = after;
            self.cx.b.begin();
            self.cx.b.splice(open);
            let results = changed.iter().map(|name| self.adjoint_or_zero(*name)).collect();
            closed.push(self.cx.b.end(results));
        }
        self.adjoints = before;
        let types: Vec<Type> = changed
            .iter()
            .map(|name| match self.adjoints.get(name) {
                Some(Adj::Acc(acc)) => self.cx.b.type_of(*acc),
                _ => self.cx.b.type_of(*name),
            })
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let mut closed = closed.into_iter();
        let mut next = || closed.next().unwrap_or_default();
        let exp = match &stm.exp {
            Exp::If(cond, ..) => Exp::If(*cond, next(), next()),
            Exp::Match(x, cases, _) => {
                let cases = cases.iter().map(|(c, _)| (*c, next())).collect();
                Exp::Match(*x, cases, next())
            }
            _ => return Ok(()),
        };
        let names = self.cx.b.let_types("adj", exp, types);
        for (name, new) in changed.iter().zip(names) {
            let adj = match self.adjoints.get(name) {
                Some(Adj::Acc(_)) => Adj::Acc(new),
                _ => Adj::Value(new.into()),
            };
            self.adjoints.insert(*name, adj);
        }
        Ok(())
    }

    /// Both sweeps of one branch; a seed has the sizes of the pattern, which are those of the result here.
    fn branch_back(&mut self, body: &Body, seeds: Vec<Option<(Operand, Operand, Type)>>) -> Derived {
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        let steps = self.first_sweep(&body.stms)?;
        self.at(loc, &certs);
        for (x, seed, ty) in seeds.into_iter().flatten() {
            let own = self.cx.b.type_of(x);
            let seed = match seed {
                Operand::Var(name) if own != ty => {
                    self.cx.b.let_infer("sized", Exp::Resize(own.dims().to_vec(), name)).into()
                }
                _ => seed,
            };
            self.add(x, seed);
        }
        self.second_sweep(steps)
    }

    pub(super) fn call_back(&mut self, stm: &Stm, f: Symbol, args: &[Operand]) -> Derived {
        let seeds: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        if seeds.iter().all(Option::is_none) {
            return Ok(());
        }
        let mask: Vec<bool> = args.iter().map(|x| self.is_active(*x)).collect();
        let has: Vec<bool> = seeds.iter().map(Option::is_some).collect();
        let name = self.fun_back(f, &mask, &has)?;
        self.at(stm.loc, &stm.certs);
        let mut all = args.to_vec();
        // Sizes that the function yields come first, since the seeds have them.
        all.extend(stm.pat.iter().filter(|p| p.ty == Type::I64).map(|p| Operand::Var(p.name)));
        all.extend(seeds.iter().flatten());
        let targets: Vec<Operand> = args.iter().zip(&mask).filter(|(_, on)| **on).map(|(x, _)| *x).collect();
        let types: Vec<Type> = targets.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let names = self.cx.b.call(name, all, types);
        for (x, part) in targets.iter().zip(names) {
            self.add(*x, part.into());
        }
        Ok(())
    }

    /// The function that does both sweeps of another.
    fn fun_back(&mut self, f: Symbol, mask: &[bool], has: &[bool]) -> Derived<Symbol> {
        let key = (f, true, mask.to_vec(), has.to_vec());
        if let Some(name) = self.cx.made.get(&key) {
            return Ok(*name);
        }
        let fun = self.cx.fun(f)?.clone();
        let (params, results, body) = renamed(self.cx, &fun);
        let plain = |p: &Param| Param { unique: false, ..p.clone() };
        let mut all: Vec<Param> = params.iter().map(plain).collect();
        all.extend(results.iter().filter(|r| r.ty == Type::I64).cloned());
        let mut seeds = Vec::new();
        for (r, on) in results.iter().zip(has) {
            let seed = self.cx.b.param("seed", r.ty.clone());
            seeds.push(on.then_some((seed.name, r.ty.clone())));
            if *on {
                all.push(seed);
            }
        }
        let mut active: FxHashSet<Name> = params.iter().zip(mask).filter(|(_, on)| **on).map(|(p, _)| p.name).collect();
        super::activity::spread(&self.cx.b, &body, &mut active);
        let mut inner = Reverse::new(self.cx, active);
        inner.cx.b.begin();
        let own = body.results.iter().zip(seeds).map(|(x, seed)| seed.map(|(name, ty)| (*x, name.into(), ty)));
        let own = own.collect();
        inner.at(fun.loc, &[]);
        let done = inner.branch_back(&body, own);
        inner.at(fun.loc, &[]);
        let targets: Vec<&Param> = params.iter().zip(mask).filter(|(_, on)| **on).map(|(p, _)| p).collect();
        let adjoints: Vec<Operand> = targets.iter().map(|p| inner.adjoint_or_zero(p.name)).collect();
        let body = inner.cx.b.end(adjoints);
        done?;
        let results = targets.iter().map(|p| Param::new(self.cx.b.fresh.like(p.name), p.ty.clone())).collect();
        let name = self.cx.fun_name(f, "vjp");
        let new = Fun { name, entry: None, params: all, results, body, attrs: fun.attrs, loc: fun.loc };
        self.cx.add(new);
        self.cx.made.insert(key, name);
        Ok(name)
    }
}
