//! Maps: a map over rows and the adjoints of results, which yields the adjoints of rows.
//!
//! ```text
//! let ys = map n (xs) \x -> { f x s a }
//! ⇒ let a_bar, s_part, xs_part = with_acc (a_bar) \acc ->
//!      screma n (acc, xs, ys_bar) map \acc x y_bar -> { both sweeps of f } reduce (0) \+
//! ```
//!
//! Scalars from outside get the sum of what all iterations add to them. To arrays from outside, each iteration adds
//! through an accumulator, at the places that it reads; one that exists already goes through the map.
//!
//! Of a map whose results have one element with an adjoint, such as the least one of all, only that iteration goes
//! back.

use super::super::Derived;
use super::super::arrays::{named, plus_lambda, sum, zero};
use super::Reverse;
use super::adjoint::{Adj, One};
use kenaz_ir::visit::free_in_lambda;
use kenaz_ir::{AccInput, Exp, Lambda, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::FxHashMap;

/// An accumulator on its way through a map.
struct Through {
    array: Name,
    /// Inside of the map.
    inner: Param,
    /// The token and the accumulator outside, for one that is made for this map.
    made: Option<(Param, Param)>,
}

impl Reverse<'_> {
    pub(super) fn map_back(&mut self, stm: &Stm, width: Operand, arrays: &[Name], map: &Lambda) -> Derived {
        if let Some(one) = self.only_seed(stm) {
            return self.iteration_back(arrays, map, one);
        }
        let seeds: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        let gathers = stm.pat.iter().any(|p| self.is_gathered(&p.ty));
        if seeds.iter().all(Option::is_none) && !gathers {
            return Ok(());
        }
        let outer = self.active_in(&free_in_lambda(map));
        let copy = self.copy(map);
        let before = self.adjoints.clone();
        // The accumulators, and a function with places for all of them.
        let mut through = Vec::new();
        let mut inside: FxHashMap<Name, Adj> = FxHashMap::default();
        for name in &outer {
            let ty = self.cx.b.type_of(*name);
            if !ty.is_array() {
                continue;
            }
            let one = match before.get(name) {
                Some(Adj::Acc(acc)) => {
                    let ty = self.cx.b.type_of(*acc);
                    Through { array: *name, inner: self.cx.b.param("acc", ty), made: None }
                }
                _ => {
                    let token = self.cx.b.param("token", Type::Cert);
                    let elems = vec![ty.row(ty.rank())];
                    let acc = Type::Acc { token: token.name, shape: ty.dims().to_vec(), elems };
                    let made = self.cx.b.param("acc", acc.clone());
                    Through { array: *name, inner: self.cx.b.param("acc", acc), made: Some((token, made)) }
                }
            };
            inside.insert(*name, Adj::Acc(one.inner.name));
            through.push(one);
        }
        let mut inputs: Vec<(Name, Param)> = Vec::new();
        for (array, p) in arrays.iter().zip(&copy.params) {
            if p.ty.prim().is_some() {
                inputs.push((*array, p.clone()));
            }
        }
        let mut seed_params = Vec::new();
        for (seed, ty) in seeds.iter().zip(&copy.ret) {
            seed_params.push(match seed {
                Some(seed) => {
                    let array = named(&mut self.cx.b, *seed);
                    let param = self.cx.b.param("bar", ty.clone());
                    inputs.push((array, param.clone()));
                    Some(param.name.into())
                }
                None => None,
            });
        }
        inputs.extend(self.known_params(&map.body, &copy.body));
        self.adjoints = inside;
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        self.cx.b.begin();
        self.depth += 1;
        let done = self.both_sweeps(&copy.body, seed_params);
        self.depth -= 1;
        for p in &copy.params {
            if let Some(Adj::One(one)) = self.adjoints.get(&p.name).copied() {
                let all = self.spread_out(p.name, one);
                self.adjoints.insert(p.name, Adj::Value(all));
            }
        }
        let inside = std::mem::replace(&mut self.adjoints, before);
        let mut results = Vec::new();
        let mut scalars = Vec::new();
        for name in &outer {
            if let Some(Adj::Value(x)) = inside.get(name) {
                scalars.push(*name);
                results.push(*x);
            }
        }
        through.retain(|one| inside.get(&one.array) != Some(&Adj::Acc(one.inner.name)));
        for one in &through {
            if let Some(Adj::Acc(acc)) = inside.get(&one.array) {
                results.push((*acc).into());
            }
        }
        let mut rows = Vec::new();
        for (array, p) in arrays.iter().zip(&copy.params) {
            if let Some(Adj::Value(x)) = inside.get(&p.name) {
                rows.push(*array);
                results.push(*x);
            }
        }
        let body = self.cx.b.end(results);
        done?;
        self.at(loc, &certs);
        if body.results.is_empty() {
            return Ok(());
        }
        // The map itself.
        let mut names = Vec::new();
        let mut params = Vec::new();
        for one in &through {
            names.push(match (&one.made, self.adjoints.get(&one.array)) {
                (Some((_, acc)), _) => acc.name,
                (None, Some(Adj::Acc(acc))) => *acc,
                (None, _) => return Err("an accumulator that is gone"),
            });
            params.push(one.inner.clone());
        }
        for (array, param) in inputs {
            names.push(array);
            params.push(param);
        }
        let ret: Vec<Type> = body.results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let mut reduces = Vec::new();
        for ty in &ret[..scalars.len()] {
            reduces.push(sum(&mut self.cx.b, ty));
        }
        let map = Lambda { params, body, ret };
        let soac = Exp::Soac(Soac::Screma { width, arrays: names, map, scans: Vec::new(), reduces, post: None });
        let made: Vec<usize> = (0..through.len()).filter(|i| through[*i].made.is_some()).collect();
        let results: Vec<Name> = if made.is_empty() {
            self.cx.b.let_infer_all("adj", soac)
        } else {
            self.in_accs(&through, &made, scalars.len(), soac)
        };
        let (sums, others) = results.split_at(scalars.len());
        let (accs, parts) = others.split_at(through.len());
        for (one, acc) in through.iter().zip(accs) {
            let adj = if one.made.is_some() { Adj::Value((*acc).into()) } else { Adj::Acc(*acc) };
            self.adjoints.insert(one.array, adj);
        }
        for (name, part) in scalars.iter().zip(sums) {
            self.add((*name).into(), (*part).into());
        }
        for (array, part) in rows.iter().zip(parts) {
            self.add((*array).into(), (*part).into());
        }
        Ok(())
    }

    /// The only element of the results of a map that has an adjoint, and which result it is in.
    fn only_seed(&mut self, stm: &Stm) -> Option<(usize, One)> {
        if stm.pat.iter().any(|p| matches!(p.ty, Type::Acc { .. })) {
            return None;
        }
        let mut with_adjoint = (0..stm.pat.len()).filter(|i| self.adjoints.contains_key(&stm.pat[*i].name));
        let (at, None) = (with_adjoint.next()?, with_adjoint.next()) else { return None };
        let Some(Adj::One(one)) = self.adjoints.get(&stm.pat[at].name) else { return None };
        let one = *one;
        self.adjoints.remove(&stm.pat[at].name);
        Some((at, one))
    }

    /// The second sweep of a map whose other iterations do not matter: that of one iteration, if it is there.
    fn iteration_back(&mut self, arrays: &[Name], map: &Lambda, (at, one): (usize, One)) -> Derived {
        self.cx.b.begin();
        self.cx.b.begin();
        let args: Vec<Operand> = arrays.iter().map(|a| self.cx.b.index(*a, vec![one.place])).collect();
        let results = self.apply(map, &args);
        let yes = self.cx.b.end(vec![results[at]]);
        let no = self.cx.b.body(|b| vec![zero(b, &map.ret[at])]);
        let names = self.cx.b.if_(one.is_inside, yes, no, vec![map.ret[at].clone()]);
        let stms = self.cx.b.end(Vec::new()).stms;
        self.replay(stms, vec![(names[0], one.value)])
    }

    /// An operator inside the accumulators that were made for it. Its results are in the order of the operator.
    fn in_accs(&mut self, through: &[Through], made: &[usize], scalars: usize, soac: Exp) -> Vec<Name> {
        let (mut inputs, mut tokens, mut accs) = (Vec::new(), Vec::new(), Vec::new());
        for i in made {
            let Some((token, acc)) = &through[*i].made else { continue };
            let ty = self.cx.b.type_of(through[*i].array);
            let before = self.adjoint_or_zero(through[*i].array);
            let dest = named(&mut self.cx.b, before);
            let elem = ty.row(ty.rank());
            let op = plus_lambda(&mut self.cx.b, &elem);
            let neutral = vec![zero(&mut self.cx.b, &elem)];
            inputs.push(AccInput { shape: ty.dims().to_vec(), dests: vec![dest], op: Some((op, neutral)) });
            tokens.push(token.clone());
            accs.push(acc.clone());
        }
        self.cx.b.begin();
        let certs = std::mem::take(&mut self.cx.b.certs);
        let all = self.cx.b.let_infer_all("adj", soac);
        self.cx.b.certs = certs;
        let is_made = |i: &usize| *i >= scalars && made.contains(&(*i - scalars));
        let order: Vec<usize> =
            made.iter().map(|i| scalars + i).chain((0..all.len()).filter(|i| !is_made(i))).collect();
        let results: Vec<Operand> = order.iter().map(|i| all[*i].into()).collect();
        let ret = results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let body = self.cx.b.end(results);
        let params = tokens.into_iter().chain(accs).collect();
        let with_acc = Soac::WithAcc { inputs, body: Lambda { params, body, ret } };
        let names = self.cx.b.let_infer_all("adj", Exp::Soac(with_acc));
        let mut out = all;
        for (i, name) in order.into_iter().zip(names) {
            out[i] = name;
        }
        out
    }
}
