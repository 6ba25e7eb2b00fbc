//! Marks the parameters that functions and loops consume, and the results that alias nothing.
//!
//! The language's own marks are gone with its types; what counts is what the code does. A parameter is unique if it, or
//! something that may share its memory, is consumed. Functions come behind those they call, so one pass will do; the
//! body of a loop is looked at until nothing changes.

use super::copies::Marks;
use kenaz_ir::{Body, Exp, Fun, Lambda, Name, Operand, Param, Prog, Soac, Type};
use rustc_hash::{FxHashMap, FxHashSet};

pub fn infer(prog: &mut Prog) {
    let mut done = Marks::default();
    for fun in &mut prog.funs {
        super::copies::insert(fun, &done, &mut prog.fresh);
        infer_fun(fun, &done);
        let params = fun.params.iter().map(|p| p.unique).collect();
        let results = fun.results.iter().map(|p| p.unique).collect();
        done.insert(fun.name, (params, results));
    }
}

/// The parameters of a loop that its body consumes.
pub fn consumed_in_loop(params: &[(Param, Operand)], body: &Body, marks: &Marks) -> FxHashSet<Name> {
    let mut walk = Walk { marks, aliases: FxHashMap::default(), consumed: FxHashSet::default() };
    let mut exp = Exp::Loop {
        params: params.to_vec(),
        form: kenaz_ir::LoopForm::While(
            params.first().map_or_else(|| kenaz_ir::Fresh::default().named("c"), |p| p.0.name),
        ),
        body: body.clone(),
    };
    walk.exp(&mut exp, &[]);
    match exp {
        Exp::Loop { params, .. } => params.iter().filter(|(p, _)| p.unique).map(|(p, _)| p.name).collect(),
        _ => FxHashSet::default(),
    }
}

struct Walk<'a> {
    marks: &'a Marks,
    aliases: FxHashMap<Name, FxHashSet<Name>>,
    consumed: FxHashSet<Name>,
}

fn infer_fun(fun: &mut Fun, marks: &Marks) {
    let mut walk = Walk { marks, aliases: FxHashMap::default(), consumed: FxHashSet::default() };
    for p in &fun.params {
        walk.own(p);
    }
    walk.body(&mut fun.body);
    for p in &mut fun.params {
        p.unique = walk.consumed.contains(&p.name) && p.ty.is_array();
    }
    // A result is unique if it shares memory with no parameter that is not, and with no other result.
    let sets: Vec<FxHashSet<Name>> = fun.body.results.iter().map(|r| walk.of(*r)).collect();
    let kept: FxHashSet<Name> = fun.params.iter().filter(|p| !p.unique).map(|p| p.name).collect();
    for i in 0..fun.results.len() {
        let alone = sets.iter().enumerate().all(|(j, other)| i == j || other.is_disjoint(&sets[i]));
        let unique = alone && sets[i].is_disjoint(&kept);
        if let Some(result) = fun.results.get_mut(i) {
            result.unique = unique && result.ty.is_array();
        }
    }
}

impl Walk<'_> {
    fn own(&mut self, param: &Param) {
        self.aliases.insert(param.name, FxHashSet::from_iter([param.name]));
    }

    fn of(&self, operand: Operand) -> FxHashSet<Name> {
        match operand {
            Operand::Var(n) => self.aliases.get(&n).cloned().unwrap_or_default(),
            Operand::Const(_) => FxHashSet::default(),
        }
    }

    fn consume(&mut self, name: Name) {
        let set = self.of(Operand::Var(name));
        self.consumed.extend(set);
        self.consumed.insert(name);
    }

    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            let sets = self.exp(&mut stm.exp, &stm.pat);
            for (i, p) in stm.pat.iter().enumerate() {
                let mut set = sets.get(i).cloned().unwrap_or_default();
                if matches!(p.ty, Type::Array(..) | Type::Acc { .. }) {
                    set.insert(p.name);
                } else {
                    set.clear();
                }
                self.aliases.insert(p.name, set);
            }
        }
    }

    /// What the results of an expression may share memory with.
    fn exp(&mut self, exp: &mut Exp, pat: &[Param]) -> Vec<FxHashSet<Name>> {
        match exp {
            Exp::Operand(x) | Exp::Trace(_, x) | Exp::Opaque(x) => vec![self.of(*x)],
            Exp::Index(a, _)
            | Exp::Slice(a, _)
            | Exp::Rearrange(_, a)
            | Exp::Reshape(_, a)
            | Exp::Resize(_, a)
            | Exp::FlatIndex(a, ..) => vec![self.of(Operand::Var(*a))],
            Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) => {
                let set = self.of(Operand::Var(*a));
                self.consume(*a);
                vec![set]
            }
            Exp::If(_, yes, no) => {
                self.body(yes);
                self.body(no);
                yes.results
                    .iter()
                    .zip(&no.results)
                    .map(|(a, b)| self.of(*a).union(&self.of(*b)).copied().collect())
                    .collect()
            }
            Exp::Match(_, cases, otherwise) => {
                self.body(otherwise);
                let mut sets: Vec<FxHashSet<Name>> = otherwise.results.iter().map(|r| self.of(*r)).collect();
                for (_, body) in cases {
                    self.body(body);
                    for (set, r) in sets.iter_mut().zip(&body.results) {
                        set.extend(self.of(*r));
                    }
                }
                sets
            }
            Exp::Loop { params, body, .. } => {
                for (p, _) in params.iter() {
                    self.own(p);
                }
                self.body(body);
                let sets: Vec<FxHashSet<Name>> = body.results.iter().map(|r| self.of(*r)).collect();
                // A parameter whose value goes into a consumed one is consumed in the next iteration.
                let mut changed = true;
                while changed {
                    changed = false;
                    for (i, (p, _)) in params.iter().enumerate() {
                        if self.consumed.contains(&p.name) {
                            for alias in sets[i].clone() {
                                changed |= self.consumed.insert(alias);
                            }
                        }
                    }
                }
                let mut out = Vec::new();
                for (i, (p, init)) in params.iter_mut().enumerate() {
                    p.unique = self.consumed.contains(&p.name) && matches!(p.ty, Type::Array(..) | Type::Acc { .. });
                    let mut set = sets[i].clone();
                    set.extend(self.of(*init));
                    if p.unique
                        && let Operand::Var(n) = init
                    {
                        self.consume(*n);
                    }
                    out.push(set);
                }
                out
            }
            Exp::Call(name, args) => {
                let (unique, results) = self.marks.get(name).cloned().unwrap_or_default();
                let mut kept: FxHashSet<Name> = FxHashSet::default();
                for (i, arg) in args.iter().enumerate() {
                    let Operand::Var(n) = arg else { continue };
                    if unique.get(i).copied().unwrap_or(false) {
                        self.consume(*n);
                    } else {
                        kept.extend(self.of(*arg));
                    }
                }
                let unique = |i: usize| results.get(i).copied().unwrap_or(false);
                // Results that are not unique may share memory with each other.
                kept.extend((0..pat.len()).find(|i| !unique(*i) && pat[*i].ty.is_array()).map(|i| pat[i].name));
                (0..pat.len()).map(|i| if unique(i) { FxHashSet::default() } else { kept.clone() }).collect()
            }
            Exp::Soac(soac) => self.soac(soac),
            Exp::Jvp(lam, ..) | Exp::Vjp(lam, ..) => {
                self.lambda(lam);
                Vec::new()
            }
            Exp::Par(_)
            | Exp::Mem(_)
            | Exp::Un(..)
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
        }
    }

    fn lambda(&mut self, lam: &mut Lambda) {
        for p in &lam.params {
            self.own(p);
        }
        self.body(&mut lam.body);
    }

    fn soac(&mut self, soac: &mut Soac) -> Vec<FxHashSet<Name>> {
        match soac {
            Soac::Screma { map, scans, reduces, post, .. } => {
                self.lambda(map);
                scans.iter_mut().for_each(|s| self.lambda(&mut s.op));
                reduces.iter_mut().for_each(|r| self.lambda(&mut r.op));
                post.iter_mut().for_each(|post| self.lambda(post));
                Vec::new()
            }
            Soac::Filter { pred, .. } => {
                self.lambda(pred);
                Vec::new()
            }
            Soac::Scatter { map, dests, .. } => {
                self.lambda(map);
                let sets = dests.iter().map(|d| self.of(Operand::Var(d.array))).collect();
                dests.iter().for_each(|d| self.consume(d.array));
                sets
            }
            Soac::Hist { map, ops, .. } => {
                self.lambda(map);
                let mut sets = Vec::new();
                for op in ops {
                    self.lambda(&mut op.op);
                    for d in &op.dests {
                        sets.push(self.of(Operand::Var(*d)));
                        self.consume(*d);
                    }
                }
                sets
            }
            Soac::WithAcc { inputs, body } => {
                let mut sets = Vec::new();
                for input in inputs.iter_mut() {
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op);
                    }
                    for d in &input.dests {
                        sets.push(self.of(Operand::Var(*d)));
                        self.consume(*d);
                    }
                }
                self.lambda(body);
                sets
            }
            Soac::UpdateAcc { acc, .. } => {
                let set = self.of(Operand::Var(*acc));
                self.consume(*acc);
                vec![set]
            }
        }
    }
}
