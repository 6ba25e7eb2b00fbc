//! Loops: the first sweep keeps what the parameters were in each iteration, and the second is a loop from the last to
//! the first.
//!
//! ```text
//! let r = loop (x = x0) for i < n { f x i }
//! ⇒ first sweep:  let r, xs = loop (x = x0, xs = scratch) for i < n { let xs' = update xs[i] = x; in f x i, xs' }
//! ⇒ second sweep: let x_bar, s_bar = loop (x_bar = r_bar, s_bar = s_bar0) for j < n {
//!                    let i = n - 1 - j; let x = index xs[i]; both sweeps of f
//!                  }
//! ```
//!
//! Adjoints of variables from outside are parameters of that loop. A `while` loop counts its iterations in the first
//! sweep; the second begins with the same loop over that number.
//!
//! Of an array that each iteration updates in a few places, only what was there before is kept, with the places. The
//! second sweep takes the updates back, from the array as it was in the end, so that time and memory are those of the
//! updates.

use super::super::Derived;
use super::super::arrays::{slice_at, zero};
use super::adjoint::Adj;
use super::kept::{self, Known};
use super::strips::{self, Split};
use super::{Reverse, Step};
use kenaz_base::Prim;
use kenaz_ir::infer::mentions;
use kenaz_ir::visit::{bound_in_body, free_in_body};
use kenaz_ir::{BinOp, Body, DimSlice, Exp, LoopForm, Name, Operand, Param, Scalar, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is left of the first sweep of a loop.
pub(super) enum Kept {
    /// What each parameter was in all iterations, and other values that the second sweep needs.
    Values(Vec<Values>, Known, Option<Box<Split>>),
    /// The number of iterations.
    Count(Name),
}

/// What a parameter was in all iterations.
pub(super) enum Values {
    /// Nobody needs to know.
    Unused,
    /// An array of its values.
    All(Name),
    /// Its value after the last iteration, and how each iteration changed it.
    Last(Name, Vec<Change>),
}

impl Values {
    /// The arrays that have something for each iteration.
    pub(super) fn arrays(&mut self) -> Vec<&mut Name> {
        match self {
            Values::Unused => Vec::new(),
            Values::All(array) => vec![array],
            Values::Last(_, changes) => changes
                .iter_mut()
                .flat_map(|change| change.places.iter_mut().flatten().chain([&mut change.before]))
                .collect(),
        }
    }
}

/// An update in each iteration.
pub(super) struct Change {
    dims: Vec<DimSlice>,
    /// For each dimension an array of the places in all iterations, unless these are known without it.
    places: Vec<Option<Name>>,
    /// What was there before, in all iterations.
    before: Name,
}

impl Reverse<'_> {
    /// A number of iterations as a size.
    fn trip_count(&mut self, prim: Prim, n: Operand) -> Operand {
        if let Operand::Const(Scalar::I64(k)) = n {
            return Operand::i64(k.max(0));
        }
        let n = self.as_place(prim, n);
        self.cx.b.bin(BinOp::Max, n, Operand::i64(0))
    }

    /// Makes a number of type i64 the index of a loop, or one of the index's own type.
    fn bind_index(&mut self, index: Param, i: Operand) {
        let exp = match index.ty == self.cx.b.type_of(i) {
            true => Exp::Operand(i),
            false => Exp::Conv(index.ty.prim().unwrap_or(Prim::I64), i),
        };
        self.cx.b.let_pat(vec![index], exp);
    }

    fn as_place(&mut self, prim: Prim, x: Operand) -> Operand {
        if prim == Prim::I64 { x } else { self.cx.b.conv(Prim::I64, x) }
    }

    /// Adds a loop that keeps what its second sweep needs.
    pub(super) fn keep(&mut self, stm: &Stm) -> Derived<Step> {
        let Exp::Loop { params, form, body } = &stm.exp else { return Err("no loop") };
        let names: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
        let Some(plain) = self.without_gathered(stm) else {
            let unused = params.iter().map(|_| Values::Unused).collect();
            return Ok(Step::Loop(stm.clone(), Kept::Values(unused, Vec::new(), None)));
        };
        let Stm { pat, exp: Exp::Loop { params: own, form: _, body: own_body }, .. } = &plain else {
            return Err("no loop");
        };
        let (mut pat, mut own, mut results) = (pat.clone(), own.clone(), own_body.results.clone());
        let (prim, n, index) = match form {
            LoopForm::While(_) => {
                let count = self.cx.b.param("count", Type::I64);
                let out = self.cx.b.param("count", Type::I64);
                own.push((count.clone(), Operand::i64(0)));
                self.cx.b.begin();
                self.cx.b.splice(own_body.clone());
                results.push(self.cx.b.bin(BinOp::Add, count.name, Operand::i64(1)));
                let body = self.cx.b.end(results);
                let kept = Kept::Count(out.name);
                pat.push(out);
                self.cx.b.push(Stm { pat, exp: Exp::Loop { params: own, form: form.clone(), body }, ..plain.clone() });
                return Ok(Step::Loop(stm.clone(), kept));
            }
            LoopForm::For(i, prim, n) => (*prim, *n, *i),
        };
        let used = free_in_body(body);
        let count = self.trip_count(prim, n);
        let inner: FxHashSet<Name> = bound_in_body(own_body).into_iter().chain(names.iter().copied()).collect();
        let is_whole = |(i, (p, _)): &(usize, &(Param, Operand))| {
            used.contains(&p.name) && updates_of(p, body.results[*i], own_body, &inner).is_empty()
        };
        let wholes: Vec<Type> = params.iter().enumerate().filter(is_whole).map(|(_, (p, _))| p.ty.clone()).collect();
        let shapes: Vec<Vec<Operand>> = wholes.iter().map(|ty| ty.dims().to_vec()).collect();
        let found = match self.gathered.is_empty() {
            true => kept::costly(&self.cx.b, own_body, &[], &shapes),
            false => kept::Costly::default(),
        };
        let total = count;
        let split = match wholes.iter().any(|ty| mentions(ty, &names)) {
            true => None,
            false => self.split_of(total, wholes.iter().chain(found.values()), &stm.attrs),
        };
        // Of a loop in strips, values are kept for one strip at a time.
        let count = split.map_or(total, |(size, _)| size);
        let mut kept = Vec::new();
        let mut whole = Vec::new();
        // For each statement of the body that updates something, what is kept in front of it.
        let mut changes: FxHashMap<Name, Vec<(Name, Option<Operand>)>> = FxHashMap::default();
        for (i, (p, _)) in params.iter().enumerate() {
            let needs = p.ty.prim().filter(|_| used.contains(&p.name));
            let Some(elem) = needs else {
                kept.push(Values::Unused);
                continue;
            };
            if mentions(&p.ty, &names) {
                return Err("a loop in which the size of an array changes");
            }
            let updates = updates_of(p, body.results[i], own_body, &inner);
            let mut add = |r: &mut Self, ty: Type, elem: Prim| {
                let blank = r.cx.b.let_infer("kept", Exp::Scratch(ty.dims().to_vec(), elem));
                let param = r.cx.b.param("kept", ty.clone());
                let out = r.cx.b.param("kept", ty);
                let names = (param.name, out.name);
                own.push((param, blank.into()));
                pat.push(out);
                names
            };
            if updates.is_empty() {
                let (param, out) = add(self, p.ty.array_of(count), elem);
                whole.push((p.name, param));
                kept.push(Values::All(out));
                continue;
            }
            let mut all = Vec::new();
            for (updated, dims) in updates {
                let mut parts = Vec::new();
                let slice = kenaz_ir::infer::slice(&dims, elem);
                let (param, before) = add(self, slice.array_of(count), elem);
                parts.push((param, None));
                let mut places = Vec::new();
                for dim in &dims {
                    let at = match dim {
                        DimSlice::Fix(x) | DimSlice::Range { start: x, .. } => *x,
                    };
                    let is_inner = at.name().is_some_and(|name| inner.contains(&name));
                    places.push(is_inner.then(|| {
                        let (param, out) = add(self, Type::I64.array_of(count), Prim::I64);
                        parts.push((param, Some(at)));
                        out
                    }));
                }
                changes.insert(updated, parts);
                all.push(Change { dims, places, before });
            }
            kept.push(Values::Last(stm.pat[i].name, all));
        }
        let (own_body, values) = self.yielding(own_body.clone(), &found);
        let mut known = Vec::new();
        for (name, value) in values {
            let ty = self.cx.b.type_of(value).array_of(count);
            let prim = ty.prim().unwrap_or(Prim::F64);
            let blank = self.cx.b.let_infer("kept", Exp::Scratch(ty.dims().to_vec(), prim));
            let (param, out) = (self.cx.b.param("kept", ty.clone()), self.cx.b.param("kept", ty));
            whole.push((value, param.name));
            known.push((name, out.name));
            own.push((param, blank.into()));
            pat.push(out);
        }
        let added: Vec<Name> = own[own_body.results.len()..].iter().map(|(p, _)| p.name).collect();
        let mut after: FxHashMap<Name, Operand> = FxHashMap::default();
        let (start, step) = (self.cx.b.name("start", Type::I64), self.cx.b.name("j", Type::I64));
        self.cx.b.begin();
        let place = match split {
            None => self.as_place(prim, index.into()),
            Some(_) => {
                let i = self.cx.b.bin(BinOp::Add, start, step);
                self.bind_index(Param::new(index, Type::Prim(prim)), i);
                step.into()
            }
        };
        let keep = |r: &mut Self, after: &mut FxHashMap<Name, Operand>, (x, param): (Name, Name)| {
            let ty = r.cx.b.type_of(param);
            let next = r.cx.b.update(param, slice_at(&ty, &[place]), x);
            after.insert(param, next.into());
        };
        let (params_first, values) = whole.split_at(whole.len() - known.len());
        params_first.iter().for_each(|one| keep(self, &mut after, *one));
        for inner in &own_body.stms {
            if let (Exp::Update(array, dims, _), [p]) = (&inner.exp, &inner.pat[..])
                && let Some(parts) = changes.get(&p.name)
            {
                self.at(inner.loc, &inner.certs);
                for (param, at) in parts {
                    let value = match (at, super::all_fixed(dims)) {
                        (Some(at), _) => *at,
                        (None, Some(index)) => self.cx.b.index(*array, index),
                        (None, None) => self.cx.b.slice(*array, dims.clone()).into(),
                    };
                    let ty = self.cx.b.type_of(*param);
                    let next = self.cx.b.update(*param, slice_at(&ty, &[place]), value);
                    after.insert(*param, next.into());
                }
            }
            self.cx.b.push(inner.clone());
        }
        values.iter().for_each(|one| keep(self, &mut after, *one));
        results.extend(added.iter().map(|param| after.get(param).copied().unwrap_or((*param).into())));
        let body = self.cx.b.end(results);
        self.at(stm.loc, &stm.certs);
        let Some((size, strips)) = split else {
            self.cx.b.push(Stm { pat, exp: Exp::Loop { params: own, form: form.clone(), body }, ..plain.clone() });
            return Ok(Step::Loop(stm.clone(), Kept::Values(kept, known, None)));
        };
        let inner = strips::Inner { params: own, kept: added.len(), start, step, body };
        let split = self.in_strips(&plain, pat, inner, strips::Sizes { total, size, strips });
        Ok(Step::Loop(stm.clone(), Kept::Values(kept, known, Some(Box::new(split)))))
    }

    pub(super) fn loop_back(&mut self, stm: &Stm, kept: Kept) -> Derived {
        let seeds: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        let gathers = stm.pat.iter().any(|p| self.is_gathered(&p.ty));
        if seeds.iter().all(Option::is_none) && !gathers {
            return Ok(());
        }
        match kept {
            Kept::Values(kept, known, split) => self.for_back(stm, (kept, known), split.as_deref(), &seeds),
            Kept::Count(count) => {
                let counted = self.counted(stm, count)?;
                for (p, seed) in counted.pat.iter().zip(seeds) {
                    if let Some(seed) = seed {
                        self.adjoints.insert(p.name, Adj::Value(seed));
                    }
                }
                match self.keep(&counted)? {
                    Step::Loop(stm, kept) => self.loop_back(&stm, kept),
                    _ => Ok(()),
                }
            }
        }
    }

    /// A `while` loop as one that runs as often as that did.
    fn counted(&mut self, stm: &Stm, count: Name) -> Derived<Stm> {
        let Exp::Loop { params, body, .. } = &stm.exp else { return Err("no loop") };
        let (plain, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        let (new, body) = self.cx.copy_body(body, &plain, &mut self.active);
        let index = self.cx.b.name("i", Type::I64);
        let names: Vec<Name> = plain.iter().map(|p| p.name).collect();
        if plain.iter().any(|p| mentions(&p.ty, &names)) {
            return Err("a loop in which the size of an array changes");
        }
        let mut pat = Vec::new();
        for (p, old) in plain.iter().zip(&stm.pat) {
            let name = self.cx.b.param("again", p.ty.clone());
            if self.active.contains(&old.name) {
                self.active.insert(name.name);
            }
            pat.push(name);
        }
        let form = LoopForm::For(index, Prim::I64, count.into());
        let exp = Exp::Loop { params: new.into_iter().zip(inits).collect(), form, body };
        Ok(Stm { pat, exp, ..stm.clone() })
    }

    fn for_back(
        &mut self,
        stm: &Stm,
        (mut kept, mut known): (Vec<Values>, Known),
        split: Option<&Split>,
        seeds: &[Option<Operand>],
    ) -> Derived {
        let Exp::Loop { params, form: LoopForm::For(index, prim, n), body } = &stm.exp else {
            return Err("no loop over a number");
        };
        let (plain, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        let names: Vec<Name> = plain.iter().map(|p| p.name).collect();
        let mut free = free_in_body(body);
        free.retain(|name| !names.contains(name) && name != index);
        let outer = self.active_in(&free);
        let mut all = plain.clone();
        all.push(Param::new(*index, Type::Prim(*prim)));
        let (copies, copy) = self.cx.copy_body(body, &all, &mut self.active);
        // The adjoints of parameters, then those of what comes from outside.
        let is_carried = |i: &usize| self.active.contains(&plain[*i].name) && plain[*i].ty.prim().is_some();
        let carried: Vec<usize> = (0..plain.len()).filter(is_carried).collect();
        let mut own = Vec::new();
        for i in &carried {
            if mentions(&plain[*i].ty, &names) {
                return Err("a loop in which the size of an array changes");
            }
            let init = match seeds[*i] {
                Some(seed) => seed,
                None => zero(&mut self.cx.b, &plain[*i].ty),
            };
            own.push((self.cx.b.param("bar", plain[*i].ty.clone()), init));
        }
        let before = self.adjoints.clone();
        let mut inside: FxHashMap<Name, Adj> = FxHashMap::default();
        let mut outside = Vec::new();
        for name in &outer {
            let (ty, adj): (Type, fn(Name) -> Adj) = match before.get(name) {
                Some(Adj::Acc(acc)) => (self.cx.b.type_of(*acc), Adj::Acc),
                _ => (self.cx.b.type_of(*name), |name| Adj::Value(name.into())),
            };
            let init = self.adjoint_or_zero(*name);
            let param = self.cx.b.param("bar", ty);
            inside.insert(*name, adj(param.name));
            outside.push((param, init));
        }
        let seeds: Vec<Option<Operand>> =
            (0..plain.len()).map(|i| carried.iter().position(|k| *k == i).map(|at| own[at].0.name.into())).collect();
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        self.adjoints = inside;
        let strip = split.map(|split| self.strip_again(split));
        if let Some(strip) = &strip {
            strip.rename(&mut kept, &mut known);
        }
        let (n, counts) = strip.as_ref().map_or((*n, *prim), |strip| (strip.len, Prim::I64));
        self.cx.b.begin();
        let step = self.cx.b.name("j", Type::Prim(counts));
        let last = self.cx.b.bin(BinOp::Sub, n, super::super::arrays::number(counts, 1));
        let i = self.cx.b.bin(BinOp::Sub, last, step);
        let place = self.as_place(counts, i);
        let i = match &strip {
            Some(strip) => self.cx.b.bin(BinOp::Add, strip.start, place),
            None => i,
        };
        let bind = |r: &mut Self, p: &Param, exp: Exp| r.cx.b.let_pat(vec![Param::new(p.name, p.ty.clone())], exp);
        self.bind_index(copies[plain.len()].clone(), i);
        let i: Operand = copies[plain.len()].name.into();
        let mut restored: Vec<Operand> = Vec::new();
        let mut arrays: Vec<(Param, Operand)> = Vec::new();
        for (p, values) in copies.iter().zip(&kept) {
            match values {
                Values::Unused => {}
                Values::All(array) => bind(self, p, Exp::Index(*array, vec![place])),
                Values::Last(last, changes) => {
                    let param = self.cx.b.param("array", p.ty.clone());
                    let before = self.taken_back(param.name, changes, (*index, i), place);
                    bind(self, p, Exp::Operand(before.into()));
                    arrays.push((param, (*last).into()));
                    restored.push(before.into());
                }
            }
        }
        let known = known.into_iter().collect();
        for (name, array) in self.known_in_copy(body, &copy, &known) {
            let ty = self.cx.b.type_of(array).row(1);
            let here = self.known_here(&copy, name, ty);
            bind(self, &here, Exp::Index(array, vec![place]));
        }
        self.depth += 1;
        let done = self.both_sweeps(&copy, seeds);
        self.depth -= 1;
        let mut results = Vec::new();
        for i in &carried {
            results.push(self.adjoint_or_zero(copies[*i].name));
        }
        let mut changed = Vec::new();
        for (name, (param, init)) in outer.iter().zip(outside) {
            let after = self.adjoint_or_zero(*name);
            if after != Operand::Var(param.name) {
                changed.push(*name);
                own.push((param, init));
                results.push(after);
            }
        }
        if own.is_empty() {
            self.cx.b.end(Vec::new());
            if strip.is_some() {
                self.cx.b.end(Vec::new());
            }
            self.adjoints = before;
            return done;
        }
        own.extend(arrays);
        results.extend(restored);
        let body = self.cx.b.end(results);
        self.adjoints = before;
        self.at(loc, &certs);
        let types = own.iter().map(|(p, _)| p.ty.clone()).collect();
        let form = LoopForm::For(step, counts, n);
        let results = match (strip, split) {
            (Some(strip), Some(split)) => self.back_in_strips(split, strip, own, form, body),
            _ => self.cx.b.let_types("adj", Exp::Loop { params: own, form, body }, types),
        };
        done?;
        for (name, after) in changed.iter().zip(&results[carried.len()..]) {
            let adj = match self.adjoints.get(name) {
                Some(Adj::Acc(_)) => Adj::Acc(*after),
                _ => Adj::Value((*after).into()),
            };
            self.adjoints.insert(*name, adj);
        }
        for (i, part) in carried.iter().zip(results) {
            self.add(inits[*i], part.into());
        }
        Ok(())
    }

    /// An array as it was before an iteration, from what it was after it.
    fn taken_back(&mut self, array: Name, changes: &[Change], (index, i): (Name, Operand), place: Operand) -> Name {
        let mut array = array;
        for change in changes.iter().rev() {
            let mut dims = Vec::new();
            for (dim, kept) in change.dims.iter().zip(&change.places) {
                let at = |r: &mut Self, x: Operand| match kept {
                    Some(kept) => r.cx.b.index(*kept, vec![place]),
                    None if x == Operand::Var(index) => i,
                    None => x,
                };
                dims.push(match dim {
                    DimSlice::Fix(x) => DimSlice::Fix(at(self, *x)),
                    DimSlice::Range { start, len, stride } => {
                        DimSlice::Range { start: at(self, *start), len: *len, stride: *stride }
                    }
                });
            }
            let before = self.cx.b.index(change.before, vec![place]);
            array = self.cx.b.update(array, dims, before);
        }
        array
    }
}

/// The updates that lead from a parameter to its next value, if nothing else does, the first one first: what they bind
/// and where. The sizes of what they replace are known outside.
fn updates_of(param: &Param, next: Operand, body: &Body, inner: &FxHashSet<Name>) -> Vec<(Name, Vec<DimSlice>)> {
    let is_outer = |x: &Operand| x.name().is_none_or(|name| !inner.contains(&name));
    let mut found = Vec::new();
    let mut at = next.name();
    while let Some(name) = at {
        if name == param.name {
            found.reverse();
            return found;
        }
        let stm = body.stms.iter().find(|stm| stm.pat.iter().any(|p| p.name == name));
        let Some(Exp::Update(array, dims, _)) = stm.map(|stm| &stm.exp) else { return Vec::new() };
        let is_regular = dims.iter().all(|dim| match dim {
            DimSlice::Fix(_) => true,
            DimSlice::Range { len, stride, .. } => is_outer(len) && is_outer(stride),
        });
        if !is_regular {
            return Vec::new();
        }
        found.push((name, dims.clone()));
        at = Some(*array);
    }
    Vec::new()
}
