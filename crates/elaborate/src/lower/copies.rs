//! Copies arrays that are consumed while something still needs them.
//!
//! ```text
//! let b_2 = update a_1[0] = x      ==>  let c_3 = copy a_1
//! let y = index a_1[1]                  let b_2 = update c_3[0] = x
//!                                       let y = index a_1[1]
//! ```
//!
//! The language's rules make this rare: it happens where two parts of a value turn out to be the same array, as in
//! `zip xs xs`, since taking values apart costs nothing. An array is needed if something that may share its memory is used
//! later, or if it comes from outside a body that runs again.

use kenaz_ir::visit::{free_in_body, free_in_lambda, free_in_stm};
use kenaz_ir::{Body, Exp, Fresh, Fun, Lambda, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each function that was looked at: which of its parameters it consumes, and which of its results are unique.
pub type Marks = FxHashMap<kenaz_base::Symbol, (Vec<bool>, Vec<bool>)>;

pub fn insert(fun: &mut Fun, marks: &Marks, fresh: &mut Fresh) {
    let mut copies = Copies { marks, fresh, sets: FxHashMap::default(), types: FxHashMap::default(), kept: Vec::new() };
    for p in &fun.params {
        copies.own(p);
    }
    copies.body(&mut fun.body, &FxHashSet::default());
}

struct Copies<'a> {
    marks: &'a Marks,
    fresh: &'a mut Fresh,
    /// The memory in which a name may lie, by the names that stand for it.
    sets: FxHashMap<Name, FxHashSet<Name>>,
    types: FxHashMap<Name, Type>,
    /// Memory from outside the bodies around that run again.
    kept: Vec<FxHashSet<Name>>,
}

impl Copies<'_> {
    fn own(&mut self, p: &Param) {
        self.types.insert(p.name, p.ty.clone());
        if matches!(p.ty, Type::Array(..) | Type::Acc { .. }) {
            self.sets.insert(p.name, FxHashSet::from_iter([p.name]));
        }
    }

    fn of(&self, x: Operand) -> FxHashSet<Name> {
        x.name().and_then(|n| self.sets.get(&n)).cloned().unwrap_or_default()
    }

    /// `after` is what is used behind the body.
    fn body(&mut self, body: &mut Body, after: &FxHashSet<Name>) {
        // What is used behind each statement.
        let mut live: Vec<FxHashSet<Name>> = Vec::with_capacity(body.stms.len());
        let mut used = after.clone();
        used.extend(body.results.iter().filter_map(|r| r.name()));
        for stm in body.stms.iter().rev() {
            live.push(used.clone());
            used.extend(free_in_stm(stm));
        }
        live.reverse();
        let stms = std::mem::take(&mut body.stms);
        for (mut stm, live) in stms.into_iter().zip(live) {
            let mut before = Vec::new();
            self.stm(&mut stm, &live, &mut before);
            body.stms.append(&mut before);
            body.stms.push(stm);
        }
    }

    /// Whether memory is needed after a statement, or by another operand of it.
    fn is_needed(&self, set: &FxHashSet<Name>, live: &FxHashSet<Name>, others: &[Name]) -> bool {
        self.kept.iter().any(|kept| !kept.is_disjoint(set))
            || live.iter().chain(others).any(|n| self.sets.get(n).is_some_and(|s| !s.is_disjoint(set)))
    }

    fn copy(&mut self, array: &mut Name, like: &Stm, before: &mut Vec<Stm>) {
        let Some(ty @ Type::Array(..)) = self.types.get(array).cloned() else { return };
        let name = self.fresh.like(*array);
        let pat = vec![Param::new(name, ty)];
        self.own(&pat[0]);
        let stm =
            Stm { pat, certs: Vec::new(), attrs: kenaz_ir::Attrs::default(), exp: Exp::Copy(*array), loc: like.loc };
        before.push(stm);
        *array = name;
    }

    fn consume(
        &mut self,
        array: &mut Name,
        live: &FxHashSet<Name>,
        others: &[Name],
        like: &Stm,
        before: &mut Vec<Stm>,
    ) {
        let set = self.of(Operand::Var(*array));
        if self.is_needed(&set, live, others) {
            self.copy(array, like, before);
        }
    }

    fn stm(&mut self, stm: &mut Stm, live: &FxHashSet<Name>, before: &mut Vec<Stm>) {
        let like = Stm { exp: Exp::Operand(Operand::bool(true)), ..stm.clone() };
        let sets: Vec<FxHashSet<Name>> = match &mut stm.exp {
            Exp::Update(a, _, v) => {
                let others: Vec<Name> = v.name().into_iter().collect();
                self.consume(a, live, &others, &like, before);
                vec![self.of(Operand::Var(*a))]
            }
            Exp::FlatUpdate(a, _, _, v) => {
                let others = [*v];
                self.consume(a, live, &others, &like, before);
                vec![self.of(Operand::Var(*a))]
            }
            Exp::Call(name, args) => {
                let (unique, results) = self.marks.get(name).cloned().unwrap_or_default();
                let mut kept: FxHashSet<Name> = FxHashSet::default();
                for i in 0..args.len() {
                    let Operand::Var(mut n) = args[i] else { continue };
                    if unique.get(i).copied().unwrap_or(false) {
                        let others: Vec<Name> =
                            args.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, x)| x.name()).collect();
                        self.consume(&mut n, live, &others, &like, before);
                        args[i] = Operand::Var(n);
                    } else {
                        kept.extend(self.of(args[i]));
                    }
                }
                let unique = |i: usize| results.get(i).copied().unwrap_or(false);
                (0..stm.pat.len()).map(|i| if unique(i) { FxHashSet::default() } else { kept.clone() }).collect()
            }
            Exp::If(_, yes, no) => {
                self.body(yes, live);
                self.body(no, live);
                let both = |a: &Operand, b: &Operand| self.of(*a).union(&self.of(*b)).copied().collect();
                yes.results.iter().zip(&no.results).map(|(a, b)| both(a, b)).collect()
            }
            Exp::Match(_, cases, otherwise) => {
                self.body(otherwise, live);
                let mut sets: Vec<FxHashSet<Name>> = otherwise.results.iter().map(|r| self.of(*r)).collect();
                for (_, body) in cases {
                    self.body(body, live);
                    for (set, r) in sets.iter_mut().zip(&body.results) {
                        set.extend(self.of(*r));
                    }
                }
                sets
            }
            Exp::Loop { params, body, .. } => {
                let mut outside: FxHashSet<Name> = FxHashSet::default();
                for n in free_in_body(body) {
                    if params.iter().all(|(p, _)| p.name != n) {
                        outside.extend(self.of(Operand::Var(n)));
                    }
                }
                for (p, _) in params.iter() {
                    self.own(p);
                }
                self.kept.push(outside);
                self.body(body, &FxHashSet::default());
                self.kept.pop();
                let consumed = consumed_params(params, body, self.marks);
                for i in 0..params.len() {
                    if !consumed.contains(&params[i].0.name) {
                        continue;
                    }
                    let Operand::Var(mut n) = params[i].1 else { continue };
                    // The loop may also use it in its body, or as the initial value of another parameter.
                    let mut others: Vec<Name> = free_in_body(body).into_iter().collect();
                    let other = |(j, (_, x)): (usize, &(Param, Operand))| if j == i { None } else { x.name() };
                    others.extend(params.iter().enumerate().filter_map(other));
                    self.consume(&mut n, live, &others, &like, before);
                    params[i].1 = Operand::Var(n);
                }
                let of = |i: usize| {
                    let mut set = self.of(body.results[i]);
                    set.extend(self.of(params[i].1));
                    set
                };
                (0..params.len()).map(of).collect()
            }
            Exp::Soac(soac) => self.soac(soac, live, &like, before),
            Exp::Operand(x) | Exp::Trace(_, x) | Exp::Opaque(x) => vec![self.of(*x)],
            Exp::Index(a, _)
            | Exp::Slice(a, _)
            | Exp::Rearrange(_, a)
            | Exp::Reshape(_, a)
            | Exp::Resize(_, a)
            | Exp::FlatIndex(a, ..) => vec![self.of(Operand::Var(*a))],
            Exp::Jvp(lam, ..) | Exp::Vjp(lam, ..) => {
                self.lambda(lam);
                Vec::new()
            }
            Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Conv(..)
            | Exp::Math(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Copy(_) => Vec::new(),
        };
        for (i, p) in stm.pat.iter().enumerate() {
            self.own(p);
            if let (Some(set), Some(own)) = (sets.get(i), self.sets.get_mut(&p.name)) {
                own.extend(set);
            }
        }
    }

    /// The parameters of a function that runs many times are not its own.
    fn lambda(&mut self, lam: &mut Lambda) {
        let mut outside: FxHashSet<Name> = FxHashSet::default();
        for n in free_in_lambda(lam) {
            outside.extend(self.of(Operand::Var(n)));
        }
        for p in &lam.params {
            self.own(p);
            outside.insert(p.name);
        }
        self.kept.push(outside);
        self.body(&mut lam.body, &FxHashSet::default());
        self.kept.pop();
    }

    fn soac(
        &mut self,
        soac: &mut Soac,
        live: &FxHashSet<Name>,
        like: &Stm,
        before: &mut Vec<Stm>,
    ) -> Vec<FxHashSet<Name>> {
        match soac {
            Soac::Screma { map, scans, reduces, .. } => {
                self.lambda(map);
                scans.iter_mut().for_each(|s| self.lambda(&mut s.op));
                reduces.iter_mut().for_each(|r| self.lambda(&mut r.op));
                Vec::new()
            }
            Soac::Filter { pred, .. } => {
                self.lambda(pred);
                Vec::new()
            }
            Soac::Scatter { arrays, map, dests, .. } => {
                self.lambda(map);
                let mut others: Vec<Name> = free_in_lambda(map).into_iter().chain(arrays.iter().copied()).collect();
                for dest in dests.iter_mut() {
                    self.consume(&mut dest.array, live, &others, like, before);
                    others.push(dest.array);
                }
                dests.iter().map(|d| self.of(Operand::Var(d.array))).collect()
            }
            Soac::Hist { arrays, map, ops, .. } => {
                self.lambda(map);
                let mut others: Vec<Name> = free_in_lambda(map).into_iter().chain(arrays.iter().copied()).collect();
                let mut sets = Vec::new();
                for op in ops {
                    self.lambda(&mut op.op);
                    for d in &mut op.dests {
                        self.consume(d, live, &others, like, before);
                        others.push(*d);
                        sets.push(self.of(Operand::Var(*d)));
                    }
                }
                sets
            }
            Soac::WithAcc { inputs, body } => {
                let mut others: Vec<Name> = free_in_lambda(body).into_iter().collect();
                let mut sets = Vec::new();
                for input in inputs.iter_mut() {
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op);
                    }
                    for d in &mut input.dests {
                        self.consume(d, live, &others, like, before);
                        others.push(*d);
                        sets.push(self.of(Operand::Var(*d)));
                    }
                }
                // It runs once, so what it consumes of the outside is consumed.
                for p in &body.params {
                    self.own(p);
                }
                self.body(&mut body.body, live);
                sets
            }
            Soac::UpdateAcc { acc, .. } => vec![self.of(Operand::Var(*acc))],
        }
    }
}

/// The parameters of a loop that its body consumes, directly or by way of others.
fn consumed_params(params: &[(Param, Operand)], body: &Body, marks: &Marks) -> FxHashSet<Name> {
    super::unique::consumed_in_loop(params, body, marks)
}
