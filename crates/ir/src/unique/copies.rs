//! Copies arrays that are consumed while something still needs them.
//!
//! ```text
//! let b_2 = update a_1[0] = x      ==>  let c_3 = copy a_1
//! let y = index a_1[1]                  let b_2 = update c_3[0] = x
//!                                       let y = index a_1[1]
//! ```
//!
//! The language's rules make this rare: it happens where two parts of a value turn out to be the same array, as in
//! `zip xs xs`, since taking values apart costs nothing. An array is needed if something that may share its memory is
//! used later, or if it comes from outside a body that runs again. What is used later is known from the last use of
//! every name and, by way of the names that lie in it, of all memory, so the cost is linear in the size of the program.

use crate::effects::{self, Memory};
use crate::sharing::Signatures;
use crate::visit::{VisitMut, free_in_body, free_in_lambda, free_in_stm, walk_mut};
use crate::{Body, Exp, Fresh, Fun, Lambda, LocId, Name, Operand, Param, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn insert(fun: &mut Fun, signatures: &Signatures, fresh: &mut Fresh) {
    let mut copies = Copies {
        signatures,
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
    signatures: &'a Signatures,
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
        if p.ty.has_memory() {
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
        let stm = Stm { pat, certs: Vec::new(), attrs: crate::Attrs::default(), exp: Exp::Copy(*array), loc };
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
        match &mut stm.exp {
            Exp::Update(a, _, v) => {
                let others: Vec<Name> = v.name().into_iter().collect();
                self.consume(a, &others, loc, before);
            }
            Exp::FlatUpdate(a, _, _, v) => {
                let others = [*v];
                self.consume(a, &others, loc, before);
            }
            Exp::Call(f, args) => {
                for i in 0..args.len() {
                    let Operand::Var(mut n) = args[i] else { continue };
                    if self.signatures.takes(*f, i) {
                        let others: Vec<Name> =
                            args.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, x)| x.name()).collect();
                        self.consume(&mut n, &others, loc, before);
                        args[i] = Operand::Var(n);
                    }
                }
            }
            Exp::Loop { params, body, .. } => self.loop_(params, body, loc, before),
            Exp::Soac(soac) => self.soac(soac, loc, before),
            exp => {
                debug_assert!(effects::consumed(exp, |_, _| true).is_empty(), "nothing else consumes anything");
                walk_mut::exp(self, exp);
            }
        }
        let sets = self.memory(&stm.exp, &stm.pat);
        let mut sets = sets.into_iter();
        for p in &stm.pat {
            self.declare(p, sets.next().unwrap_or_default());
        }
    }

    /// What the results of an expression may share memory with, or nothing where that is new. Unlike to the checker, a
    /// result that is made over something consumed shares memory with it, since nothing may have been consumed yet.
    fn memory(&self, exp: &Exp, pat: &[Param]) -> Vec<FxHashSet<Name>> {
        let union = |values: &mut dyn Iterator<Item = Operand>| values.flat_map(|x| self.of(x)).collect();
        match effects::memory(exp) {
            Memory::New => Vec::new(),
            Memory::Of(x, _) => vec![self.of(x)],
            Memory::Over(over) => {
                over.into_iter().map(|name| name.map(|n| self.of(n.into())).unwrap_or_default()).collect()
            }
            Memory::Branches(bodies) => {
                (0..pat.len()).map(|i| union(&mut bodies.iter().map(|body| body.results[i]))).collect()
            }
            Memory::Loop(params, body) => {
                let values = params.iter().zip(&body.results).map(|((_, init), next)| [*next, *init]);
                values.map(|values| union(&mut values.into_iter())).collect()
            }
            Memory::Call(f, args) => {
                let is_unique = |i: usize| self.signatures.is_unique(f, i);
                let kept = args.iter().enumerate().filter(|(i, _)| !self.signatures.takes(f, *i)).map(|(_, x)| *x);
                let mut kept: FxHashSet<Name> = union(&mut { kept });
                // Results that are not unique may share memory with each other.
                kept.extend((0..pat.len()).find(|i| !is_unique(*i) && pat[*i].ty.is_array()).map(|i| pat[i].name));
                (0..pat.len()).map(|i| if is_unique(i) { FxHashSet::default() } else { kept.clone() }).collect()
            }
            Memory::Acc(inputs, body) => {
                let dests = inputs.iter().flat_map(|input| &input.dests).map(|dest| Operand::Var(*dest));
                dests.chain(body.body.results.iter().skip(inputs.len()).copied()).map(|x| self.of(x)).collect()
            }
            Memory::Any(f, args) => {
                let values = args.iter().copied().flatten().chain(&f.body.results);
                vec![union(&mut values.copied()); pat.len()]
            }
        }
    }

    fn loop_(&mut self, params: &mut [(Param, Operand)], body: &mut Body, loc: LocId, before: &mut Vec<Stm>) {
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
        let consumed = super::consumed_in_loop(params, body, self.signatures);
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
    }

    fn soac(&mut self, soac: &mut Soac, loc: LocId, before: &mut Vec<Stm>) {
        match soac {
            // Accumulators are never copied, and there are no other parameters that are consumed yet.
            Soac::Screma { map, scans, reduces, post, .. } => {
                self.lambda(map);
                scans.iter_mut().for_each(|s| self.lambda(&mut s.op));
                reduces.iter_mut().for_each(|r| self.lambda(&mut r.op));
                post.iter_mut().for_each(|post| self.lambda(post));
            }
            Soac::Filter { pred, .. } => self.lambda(pred),
            Soac::UpdateAcc { .. } => {}
            Soac::Scatter { arrays, map, dests, .. } => {
                self.lambda(map);
                let mut others: Vec<Name> = free_in_lambda(map).into_iter().chain(arrays.iter().copied()).collect();
                for dest in dests.iter_mut() {
                    self.consume(&mut dest.array, &others, loc, before);
                    others.push(dest.array);
                }
            }
            Soac::Hist { arrays, map, ops, .. } => {
                self.lambda(map);
                let mut others: Vec<Name> = free_in_lambda(map).into_iter().chain(arrays.iter().copied()).collect();
                for op in ops {
                    self.lambda(&mut op.op);
                    for d in &mut op.dests {
                        self.consume(d, &others, loc, before);
                        others.push(*d);
                    }
                }
            }
            Soac::WithAcc { inputs, body } => {
                let mut others: Vec<Name> = free_in_lambda(body).into_iter().collect();
                for input in inputs.iter_mut() {
                    if let Some((op, _)) = &mut input.op {
                        self.lambda(op);
                    }
                    for d in &mut input.dests {
                        self.consume(d, &others, loc, before);
                        others.push(*d);
                    }
                }
                // It runs once, so what it consumes of the outside is consumed.
                for p in &body.params {
                    self.own(p);
                }
                self.body(&mut body.body);
            }
        }
    }
}

impl VisitMut for Copies<'_> {
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
            Copies::stm(self, &mut stm, &mut body.stms);
            body.stms.push(stm);
        }
        self.frames.pop();
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
}
