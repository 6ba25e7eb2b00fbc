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
//! later, or if it comes from outside a body that runs again. What is used later is known from the last use of every name
//! and, by way of the names that lie in it, of all memory, so the cost is linear in the size of the program.

use kenaz_ir::visit::{free_in_body, free_in_lambda, free_in_stm};
use kenaz_ir::{Body, Exp, Fresh, Fun, Lambda, LocId, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each function that was looked at: which of its parameters it consumes, and which of its results are unique.
pub type Marks = FxHashMap<kenaz_base::Symbol, (Vec<bool>, Vec<bool>)>;

pub fn insert(fun: &mut Fun, marks: &Marks, fresh: &mut Fresh) {
    let mut copies = Copies {
        marks,
        fresh,
        sets: FxHashMap::default(),
        types: FxHashMap::default(),
        kept: Vec::new(),
        frames: Vec::new(),
    };
    for p in &fun.params {
        copies.own(p);
    }
    copies.body(&mut fun.body);
}

struct Copies<'a> {
    marks: &'a Marks,
    fresh: &'a mut Fresh,
    /// The memory in which a name may lie, by the names that stand for it.
    sets: FxHashMap<Name, FxHashSet<Name>>,
    types: FxHashMap<Name, Type>,
    /// Memory from outside the bodies around that run again.
    kept: Vec<FxHashSet<Name>>,
    /// The bodies around that run once each time the outermost of them does.
    frames: Vec<Frame>,
}

/// A body in progress: statements are numbered, and the results come behind the last.
#[derive(Default)]
struct Frame {
    at: usize,
    last_use: FxHashMap<Name, usize>,
    /// The last use of any name that lies in this memory.
    last_use_of_memory: FxHashMap<Name, usize>,
}

impl Frame {
    fn lies_in(&mut self, name: Name, memory: &FxHashSet<Name>) {
        let Some(last) = self.last_use.get(&name) else { return };
        for m in memory {
            let known = self.last_use_of_memory.entry(*m).or_default();
            *known = (*known).max(*last);
        }
    }
}

impl Copies<'_> {
    /// A name with memory of its own.
    fn own(&mut self, p: &Param) {
        self.declare(p, FxHashSet::default());
    }

    /// A name that lies in this memory, or else in its own.
    fn declare(&mut self, p: &Param, mut set: FxHashSet<Name>) {
        self.types.insert(p.name, p.ty.clone());
        if matches!(p.ty, Type::Array(..) | Type::Acc { .. }) {
            if set.is_empty() {
                set.insert(p.name);
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.lies_in(p.name, &set);
            }
            self.sets.insert(p.name, set);
        }
    }

    fn of(&self, x: Operand) -> FxHashSet<Name> {
        x.name().and_then(|n| self.sets.get(&n)).cloned().unwrap_or_default()
    }

    fn body(&mut self, body: &mut Body) {
        let mut frame = Frame::default();
        for (i, stm) in body.stms.iter().enumerate() {
            frame.last_use.extend(free_in_stm(stm).into_iter().map(|n| (n, i)));
        }
        let end = body.stms.len();
        frame.last_use.extend(body.results.iter().filter_map(|r| r.name()).map(|n| (n, end)));
        // What is defined here is added when it is.
        let outside: Vec<Name> = frame.last_use.keys().copied().collect();
        for n in outside {
            if let Some(set) = self.sets.get(&n) {
                frame.lies_in(n, set);
            }
        }
        self.frames.push(frame);
        for (i, mut stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
            if let Some(frame) = self.frames.last_mut() {
                frame.at = i;
            }
            self.stm(&mut stm, &mut body.stms);
            body.stms.push(stm);
        }
        self.frames.pop();
    }

    /// A body that runs again, so that nothing behind it counts, only what is kept for the next time.
    fn repeated(&mut self, body: &mut Body, kept: FxHashSet<Name>) {
        let frames = std::mem::take(&mut self.frames);
        self.kept.push(kept);
        self.body(body);
        self.kept.pop();
        self.frames = frames;
    }

    /// Whether memory is needed after the current statement, or by another operand of it.
    fn is_needed(&self, set: &FxHashSet<Name>, others: &[Name]) -> bool {
        let later = |m: &Name| self.frames.iter().any(|f| f.last_use_of_memory.get(m).is_some_and(|i| *i > f.at));
        self.kept.iter().any(|kept| !kept.is_disjoint(set))
            || set.iter().any(later)
            || others.iter().any(|n| self.sets.get(n).is_some_and(|s| !s.is_disjoint(set)))
    }

    fn copy(&mut self, array: &mut Name, loc: LocId, before: &mut Vec<Stm>) {
        let Some(ty @ Type::Array(..)) = self.types.get(array).cloned() else { return };
        let name = self.fresh.like(*array);
        let pat = vec![Param::new(name, ty)];
        self.own(&pat[0]);
        let stm = Stm { pat, certs: Vec::new(), attrs: kenaz_ir::Attrs::default(), exp: Exp::Copy(*array), loc };
        before.push(stm);
        *array = name;
    }

    fn consume(&mut self, array: &mut Name, others: &[Name], loc: LocId, before: &mut Vec<Stm>) {
        let set = self.of(Operand::Var(*array));
        if self.is_needed(&set, others) {
            self.copy(array, loc, before);
        }
    }

    fn stm(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) {
        let loc = stm.loc;
        let sets: Vec<FxHashSet<Name>> = match &mut stm.exp {
            Exp::Update(a, _, v) => {
                let others: Vec<Name> = v.name().into_iter().collect();
                self.consume(a, &others, loc, before);
                vec![self.of(Operand::Var(*a))]
            }
            Exp::FlatUpdate(a, _, _, v) => {
                let others = [*v];
                self.consume(a, &others, loc, before);
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
                        self.consume(&mut n, &others, loc, before);
                        args[i] = Operand::Var(n);
                    } else {
                        kept.extend(self.of(args[i]));
                    }
                }
                let unique = |i: usize| results.get(i).copied().unwrap_or(false);
                // Results that are not unique may share memory with each other.
                let shared = (0..stm.pat.len()).find(|i| !unique(*i) && stm.pat[*i].ty.is_array());
                kept.extend(shared.map(|i| stm.pat[i].name));
                (0..stm.pat.len()).map(|i| if unique(i) { FxHashSet::default() } else { kept.clone() }).collect()
            }
            Exp::If(_, yes, no) => {
                self.body(yes);
                self.body(no);
                let both = |a: &Operand, b: &Operand| self.of(*a).union(&self.of(*b)).copied().collect();
                yes.results.iter().zip(&no.results).map(|(a, b)| both(a, b)).collect()
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
                let mut outside: FxHashSet<Name> = FxHashSet::default();
                for n in free_in_body(body) {
                    if params.iter().all(|(p, _)| p.name != n) {
                        outside.extend(self.of(Operand::Var(n)));
                    }
                }
                for (p, _) in params.iter() {
                    self.own(p);
                }
                self.repeated(body, outside);
                let consumed = consumed_params(params, body, self.marks);
                let used: Vec<Name> = free_in_body(body).into_iter().collect();
                for i in 0..params.len() {
                    if !consumed.contains(&params[i].0.name) {
                        continue;
                    }
                    let Operand::Var(mut n) = params[i].1 else { continue };
                    // The loop may also use it in its body, or as the initial value of another parameter.
                    let mut others = used.clone();
                    let other = |(j, (_, x)): (usize, &(Param, Operand))| if j == i { None } else { x.name() };
                    others.extend(params.iter().enumerate().filter_map(other));
                    self.consume(&mut n, &others, loc, before);
                    params[i].1 = Operand::Var(n);
                }
                let of = |i: usize| {
                    let mut set = self.of(body.results[i]);
                    set.extend(self.of(params[i].1));
                    set
                };
                (0..params.len()).map(of).collect()
            }
            Exp::Soac(soac) => self.soac(soac, loc, before),
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
        };
        let mut sets = sets.into_iter();
        for p in &stm.pat {
            self.declare(p, sets.next().unwrap_or_default());
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
        self.repeated(&mut lam.body, outside);
    }

    fn soac(&mut self, soac: &mut Soac, loc: LocId, before: &mut Vec<Stm>) -> Vec<FxHashSet<Name>> {
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
            Soac::Scatter { arrays, map, dests, .. } => {
                self.lambda(map);
                let mut others: Vec<Name> = free_in_lambda(map).into_iter().chain(arrays.iter().copied()).collect();
                for dest in dests.iter_mut() {
                    self.consume(&mut dest.array, &others, loc, before);
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
                        self.consume(d, &others, loc, before);
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
                        self.consume(d, &others, loc, before);
                        others.push(*d);
                        sets.push(self.of(Operand::Var(*d)));
                    }
                }
                // It runs once, so what it consumes of the outside is consumed.
                for p in &body.params {
                    self.own(p);
                }
                self.body(&mut body.body);
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
