//! Host code that reads or writes the memory of a device, which it cannot reach, is split: what touches elements goes
//! to the device, or waits for it.
//!
//! ```text
//! let x_2: f32 = am_1.f32[0] + 1.0f32        read y_3 = am_1.f32[0]
//!                                            let x_2: f32 = y_3 + 1.0f32
//! for i_4: i64 < n_5 {                   →   parallel grid 1 of 1 with t_6, c_7 {
//!   bm_8.f32[i_4] = am_1.f32[i_4]              for i_4: i64 < n_5 { bm_8.f32[i_4] = am_1.f32[i_4] }
//! }                                          }
//! ```
//!
//! | in host code | becomes |
//! |---|---|
//! | an element in an expression | [`Stm::Read`] before the statement |
//! | a store | [`Stm::Write`] |
//! | a loop that does nothing a device cannot do | a region for one thread; what it assigns comes back through a block |
//! | such a loop with independent iterations, which assigns nothing | a region for all threads |
//! | blocks that the threads of a parallel loop allocate | parts of blocks for all of them, see [`before`] |
//! | a parallel loop with something else that only the host can do | a loop over its chunks, on the host |
//!
//! Only the host can allocate, share and give up blocks, launch, call and print. Assumes that names are declared once
//! in a function, and that what is inside a parallel loop assigns nothing around it. Cost: linear, times the depth of
//! loops.

mod before;

use crate::outline::types;
use crate::visit::for_each_stm;
use crate::{Combined, Exp, Fun, Hint, Side, Stm, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::{CmpOp, Fresh, Level, LocId, MathFn, Name, Scalar, Space};
use rustc_hash::{FxHashMap, FxHashSet};

/// Splits the body of a function whose arrays are in device memory.
pub(crate) fn split(fun: &mut Fun, fresh: &mut Fresh) {
    let types = types(fun);
    let mut split = Split { types, fresh, assigned: FxHashSet::default(), loc: fun.loc };
    fun.body = split.stms(std::mem::take(&mut fun.body));
}

struct Split<'a> {
    types: FxHashMap<Name, Ty>,
    fresh: &'a mut Fresh,
    /// The variables that have been set so far, on some path.
    assigned: FxHashSet<Name>,
    loc: LocId,
}

impl Split<'_> {
    fn stms(&mut self, stms: Vec<Stm>) -> Vec<Stm> {
        with_stack(|| {
            let mut out = Vec::with_capacity(stms.len());
            stms.into_iter().for_each(|stm| self.stm(stm, &mut out));
            out
        })
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match stm {
            Stm::Parallel { level, ids, iterations, chunks, lanes, body, loc } => {
                let (iterations, chunks) = (self.here(iterations, out), self.here(chunks, out));
                let lanes = lanes.map(|lanes| self.here(lanes, out));
                if body.iter().all(|stm| self.is_able(stm)) {
                    out.push(Stm::Parallel { level, ids, iterations, chunks, lanes, body, loc });
                } else if let Some(before) = self.allocated_before(&ids, &chunks, &body) {
                    out.extend(before.front);
                    out.push(Stm::Parallel { level, ids, iterations, chunks, lanes, body: before.body, loc });
                    out.extend(before.back);
                } else {
                    let body = self.on_host(&ids, chunks.clone(), lanes.as_ref(), body);
                    out.push(body);
                }
            }
            Stm::For { prim: Prim::I64, hint: Hint { independent: true, .. }, .. }
                if self.touches(&stm) && self.is_able(&stm) && self.set_around(&stm).is_empty() =>
            {
                self.by_all(stm, out);
            }
            Stm::For { .. } | Stm::While { .. } | Stm::Update { .. } if self.touches(&stm) && self.is_able(&stm) => {
                self.by_one(stm, out);
            }
            Stm::While { cond, body } if self.has_loads(&cond) => self.repeat(cond, body, out),
            Stm::Store { block, prim, index, value } | Stm::Race { block, prim, index, value }
                if self.is_far(block) =>
            {
                let (index, value) = (self.here(index, out), self.here(value, out));
                out.push(Stm::Write { block, prim, index, value });
            }
            Stm::Copy { prim, sizes, to, from } => {
                let sizes: Vec<Exp> = sizes.into_iter().map(|size| self.here(size, out)).collect();
                let [to, from] = [to, from].map(|side| self.side(side, out));
                self.copy(prim, sizes, to, from, out);
            }
            _ => {
                let mut reads = Vec::new();
                stm.for_each_exp_mut(|exp| self.hoist(exp, &mut reads));
                out.extend(reads);
                stm.for_each_body_mut(|body| *body = self.stms(std::mem::take(body)));
                if let Stm::Set { name, .. } = &stm {
                    self.assigned.insert(*name);
                }
                if let Stm::Call { results, .. } = &stm {
                    self.assigned.extend(results);
                }
                out.push(stm);
            }
        }
    }

    fn side(&mut self, side: Side, out: &mut Vec<Stm>) -> Side {
        let Side { block, offset, strides } = side;
        let offset = self.here(offset, out);
        Side { block, offset, strides: strides.into_iter().map(|stride| self.here(stride, out)).collect() }
    }

    // Elements

    fn is_far(&self, block: Name) -> bool {
        self.types.get(&block) == Some(&Ty::Block(Space::Device))
    }

    fn has_loads(&self, exp: &Exp) -> bool {
        let mut has = false;
        exp.walk(&mut |part| has |= matches!(part, Exp::Load { block, .. } if self.is_far(*block)));
        has
    }

    /// An expression with what has been read before it.
    fn here(&mut self, mut exp: Exp, out: &mut Vec<Stm>) -> Exp {
        self.hoist(&mut exp, out);
        exp
    }

    fn hoist(&mut self, exp: &mut Exp, out: &mut Vec<Stm>) {
        exp.walk_mut(&mut |part| {
            let Exp::Load { block, prim, index } = part else { return };
            let (block, prim) = (*block, *prim);
            if !self.is_far(block) {
                return;
            }
            let name = self.name("read");
            self.types.insert(name, Ty::Scalar(prim));
            let index = std::mem::replace(&mut **index, Exp::i64(0));
            out.push(Stm::Read { name, block, prim, index });
            *part = Exp::Var(name, prim);
        });
    }

    /// `while` with a condition that has to be fetched.
    fn repeat(&mut self, cond: Exp, body: Vec<Stm>, out: &mut Vec<Stm>) {
        let name = self.name("goes_on");
        self.types.insert(name, Ty::Scalar(Prim::Bool));
        out.push(Stm::Declare { name, ty: Ty::Scalar(Prim::Bool) });
        let value = self.here(cond.clone(), out);
        out.push(Stm::Set { name, value });
        let mut body = self.stms(body);
        let value = self.here(cond, &mut body);
        body.push(Stm::Set { name, value });
        out.push(Stm::While { cond: Exp::Var(name, Prim::Bool), body });
    }

    /// A table is in host memory, and goes to the device in one piece.
    fn copy(&mut self, prim: Prim, sizes: Vec<Exp>, to: Side, from: Side, out: &mut Vec<Stm>) {
        let is_near = !self.is_far(from.block);
        if !is_near || sizes.is_empty() || is_row_major(&sizes, &to) {
            return out.push(Stm::Copy { prim, sizes, to, from });
        }
        let name = self.name("sent");
        self.types.insert(name, Ty::Block(Space::Device));
        let count = sizes.iter().cloned().reduce(Exp::mul).unwrap_or(Exp::i64(1));
        out.push(Stm::Alloc { name, space: Space::Device, bytes: Exp::mul(count, Exp::bytes_of(prim)) });
        let mut strides = Vec::with_capacity(sizes.len());
        let mut stride = Exp::i64(1);
        for size in sizes.iter().rev() {
            strides.push(stride.clone());
            stride = Exp::mul(stride, size.clone());
        }
        strides.reverse();
        let sent = Side { block: name, offset: Exp::i64(0), strides };
        out.push(Stm::Copy { prim, sizes: sizes.clone(), to: sent.clone(), from });
        out.push(Stm::Copy { prim, sizes, to, from: sent });
        out.push(Stm::Free { name });
    }

    // Statements for the device

    /// Whether a statement touches elements in device memory.
    fn touches(&self, stm: &Stm) -> bool {
        let mut touches = false;
        for_each_stm(std::slice::from_ref(stm), &mut |stm| {
            stm.for_each_exp(|exp| touches |= self.has_loads(exp));
            touches |= match stm {
                Stm::Store { block, .. } | Stm::Race { block, .. } => self.is_far(*block),
                Stm::Update { cells, .. } => cells.iter().any(|cell| self.is_far(cell.block)),
                Stm::Copy { to, .. } => self.is_far(to.block),
                _ => false,
            };
        });
        touches
    }

    /// Whether a device can do what a statement does.
    fn is_able(&self, stm: &Stm) -> bool {
        let mut is_able = true;
        let mut inside: FxHashSet<Name> = FxHashSet::default();
        for_each_stm(std::slice::from_ref(stm), &mut |stm| {
            is_able &= match stm {
                Stm::Let { .. }
                | Stm::Set { .. }
                | Stm::Local { .. }
                | Stm::Table { .. }
                | Stm::Store { .. }
                | Stm::Race { .. }
                | Stm::Update { .. }
                | Stm::Copy { .. }
                | Stm::Slot { .. }
                | Stm::Shared { .. }
                | Stm::Lanes { .. }
                | Stm::PerLane { .. }
                | Stm::Combine { .. }
                | Stm::Take { .. }
                | Stm::Publish { .. }
                | Stm::Await { .. }
                | Stm::Alloc { space: Space::Shared, .. }
                | Stm::For { .. }
                | Stm::While { .. }
                | Stm::If { .. }
                | Stm::Switch { .. }
                | Stm::Assert { .. } => true,
                Stm::Declare { name, .. } => {
                    inside.insert(*name);
                    true
                }
                Stm::SetBlock { name, .. } => inside.contains(name),
                // What is allocated on chip has no other end than the region.
                Stm::Free { name: block } | Stm::Share { from: block, .. } => {
                    self.types.get(block) == Some(&Ty::Block(Space::Shared))
                }
                Stm::Alloc { .. }
                | Stm::Board { .. }
                | Stm::Workers { .. }
                | Stm::Width { .. }
                | Stm::Tunable { .. }
                | Stm::Chunks { .. }
                | Stm::Parallel { .. }
                | Stm::Launch { .. }
                | Stm::Streams { .. }
                | Stm::Stream { .. }
                | Stm::Read { .. }
                | Stm::Write { .. }
                | Stm::Call { .. }
                | Stm::Trace { .. } => false,
            };
        });
        is_able
    }

    /// The chunks of a parallel loop, one after the other.
    fn on_host(&mut self, ids: &[Name], chunks: Exp, lanes: Option<&Exp>, mut body: Vec<Stm>) -> Stm {
        self.one_by_one(&mut body, &mut FxHashMap::default());
        self.off_the_stack(&mut body, lanes);
        let body = self.stms(body);
        let [thread, threads] = ids else { panic!("{} ids of a loop on a device", ids.len()) };
        let count = Stm::Let { name: *threads, prim: Prim::I64, value: chunks.clone() };
        let body = [count].into_iter().chain(body).collect();
        Stm::For { var: *thread, prim: Prim::I64, bound: chunks, hint: Hint::default(), body }
    }

    /// What lanes have on their stacks becomes one block for all of them, and what they combine a loop over them. In
    /// the code of a lane, the names of these blocks have the first element of that lane.
    fn one_by_one(&mut self, stms: &mut Vec<Stm>, per_lane: &mut FxHashMap<Name, i64>) {
        with_stack(|| {
            for stm in std::mem::take(stms) {
                match stm {
                    Stm::PerLane { name, len, .. } => {
                        per_lane.insert(name, len.cast_signed());
                        stms.push(stm);
                    }
                    Stm::Lanes { lane, count, mut body } => {
                        of_lane(&mut body, lane, per_lane);
                        stms.push(Stm::Lanes { lane, count, body });
                    }
                    Stm::Combine { values, busy, prefixes, body } => {
                        stms.extend(self.combine(values, busy, prefixes, body, per_lane));
                    }
                    mut stm => {
                        stm.for_each_body_mut(|body| self.one_by_one(body, per_lane));
                        stms.push(stm);
                    }
                }
            }
        });
    }

    /// What all lanes come to, one after the other.
    fn combine(
        &mut self,
        values: Vec<Combined>,
        busy: Exp,
        prefixes: bool,
        body: Vec<Stm>,
        per_lane: &FxHashMap<Name, i64>,
    ) -> Vec<Stm> {
        let mut stms = Vec::new();
        let lane = self.name("lane");
        self.types.insert(lane, Ty::Scalar(Prim::I64));
        let (mut first, mut next) = (Vec::new(), Vec::new());
        for Combined { own, prim, left, all, right, .. } in &values {
            let len = per_lane.get(own).copied().unwrap_or(1);
            let (own, prim, index) = (*own, *prim, Exp::mul(Exp::var(lane), Exp::i64(len)));
            stms.push(Stm::Declare { name: *all, ty: Ty::Scalar(prim) });
            stms.push(Stm::Set { name: *all, value: Exp::Const(Scalar::zero(prim)) });
            let value = Exp::load(own, prim, index.clone());
            first.push(Stm::Set { name: *all, value: value.clone() });
            next.push(Stm::Let { name: *left, prim, value: Exp::Var(*all, prim) });
            next.push(Stm::Let { name: *right, prim, value });
            if prefixes {
                next.push(Stm::Store { block: own, prim, index, value: Exp::Var(*left, prim) });
            }
        }
        next.extend(body);
        for Combined { prim, result, all, .. } in values {
            // All results are made before any of them is there.
            let made = self.name("made");
            self.types.insert(made, Ty::Scalar(prim));
            let at = next.len() - next.iter().rev().take_while(|stm| matches!(stm, Stm::Set { .. })).count();
            next.insert(at, Stm::Let { name: made, prim, value: result });
            next.push(Stm::Set { name: all, value: Exp::Var(made, prim) });
        }
        let cond = Exp::cmp(CmpOp::Eq, Exp::var(lane), Exp::i64(0));
        let body = vec![Stm::If { cond, yes: first, no: next }];
        stms.push(Stm::For { var: lane, prim: Prim::I64, bound: busy, hint: Hint::default(), body });
        stms
    }

    /// Moves blocks from the stack, which would be that of the host, to the device, and those that lanes share, which
    /// run one after the other.
    fn off_the_stack(&mut self, stms: &mut Vec<Stm>, lanes: Option<&Exp>) {
        with_stack(|| {
            let mut moved = Vec::new();
            let is_shared =
                |name: &Name, types: &FxHashMap<Name, Ty>| types.get(name) == Some(&Ty::Block(Space::Shared));
            stms.retain(|stm| !matches!(stm, Stm::Free { name } if is_shared(name, &self.types)));
            for stm in stms.iter_mut() {
                stm.for_each_body_mut(|body| self.off_the_stack(body, lanes));
                match stm {
                    Stm::Lanes { lane, count, body } => {
                        let (body, hint) = (std::mem::take(body), Hint::default());
                        *stm = Stm::For { var: *lane, prim: Prim::I64, bound: count.clone(), hint, body };
                    }
                    Stm::Alloc { name, space: space @ Space::Shared, .. } => {
                        *space = Space::Device;
                        self.types.insert(*name, Ty::Block(Space::Device));
                        moved.push(Stm::Free { name: *name });
                    }
                    _ => {}
                }
                let each = match stm {
                    Stm::PerLane { .. } => lanes.cloned(),
                    _ => None,
                };
                if let Stm::Local { name, prim, len } | Stm::PerLane { name, prim, len } = stm {
                    let bytes = Exp::mul(Exp::i64(len.cast_signed()), Exp::bytes_of(*prim));
                    let bytes = each.map_or(bytes.clone(), |each| Exp::mul(each, bytes));
                    let name = *name;
                    self.types.insert(name, Ty::Block(Space::Device));
                    *stm = Stm::Alloc { name, space: Space::Device, bytes };
                    moved.push(Stm::Free { name });
                }
            }
            stms.append(&mut moved);
        });
    }

    /// A loop whose iterations are independent of each other, with those of the loops that are all of its body: all
    /// threads share the points of these loops, neighbours among them.
    fn by_all(&mut self, stm: Stm, out: &mut Vec<Stm>) {
        let mut loops: Vec<(Name, Exp)> = Vec::new();
        let mut body = vec![stm];
        let mut iterations = None;
        while let [Stm::For { var, prim: Prim::I64, bound, hint: Hint { independent: true, .. }, .. }] = &body[..]
            && (loops.is_empty() || !self.has_loads(bound) && !loops.iter().any(|(outer, _)| mentions(bound, *outer)))
        {
            let (var, bound) = (*var, self.here(bound.clone(), out));
            let count = self.let_i64("count", Exp::max(bound, Exp::i64(0)), out);
            iterations = Some(match iterations.take() {
                None => count.clone(),
                Some(outer) => Exp::Math(MathFn::SizeMul, Prim::I64, vec![outer, count.clone()]),
            });
            loops.push((var, count));
            let Some(Stm::For { body: inner, .. }) = body.pop() else { break };
            body = inner;
        }
        let iterations = self.let_i64("iterations", iterations.unwrap_or(Exp::i64(1)), out);
        let ids = ["thread", "threads"].map(|base| self.name(base));
        let [chunks, i] = ["chunks", "i"].map(|base| self.name(base));
        self.types.extend(ids.iter().chain([&chunks, &i]).map(|name| (*name, Ty::Scalar(Prim::I64))));
        let (level, work) = (Level::Grid, Exp::i64(1));
        out.push(Stm::Chunks {
            name: chunks,
            level,
            iterations: iterations.clone(),
            work,
            uneven: false,
            combined: false,
        });
        let [thread, threads] = ids.map(Exp::var);
        let mut of_thread = Vec::new();
        // The host divides once for all threads.
        let each = self.let_i64("each", Exp::quot(iterations.clone(), Exp::var(chunks)), out);
        let dealt_out = Exp::mul(each.clone(), Exp::var(chunks));
        let longer = self.let_i64("longer", Exp::sub(iterations.clone(), dealt_out), out);
        let one_more = Exp::select(Exp::cmp(CmpOp::Lt, thread.clone(), longer), Exp::i64(1), Exp::i64(0));
        let len = self.let_i64("len", Exp::add(each, one_more), &mut of_thread);
        let mut inside = Vec::with_capacity(body.len() + 2 * loops.len());
        let point = Exp::add(thread, Exp::mul(Exp::var(i), threads));
        let mut rest = self.let_i64("point", point, &mut inside);
        while let Some((var, count)) = loops.pop() {
            let is_first = loops.is_empty();
            let value = if is_first { rest.clone() } else { Exp::rem(rest.clone(), count.clone()) };
            inside.push(Stm::Let { name: var, prim: Prim::I64, value });
            if !is_first {
                rest = self.let_i64("rest", Exp::quot(rest, count), &mut inside);
            }
        }
        inside.extend(body);
        let hint = Hint { independent: true, ..Hint::default() };
        of_thread.push(Stm::For { var: i, prim: Prim::I64, bound: len, hint, body: inside });
        let (chunks, loc) = (Exp::var(chunks), self.loc);
        out.push(Stm::Parallel { level, ids: ids.to_vec(), iterations, chunks, lanes: None, body: of_thread, loc });
    }

    fn let_i64(&mut self, base: &str, value: Exp, out: &mut Vec<Stm>) -> Exp {
        let name = self.name(base);
        self.types.insert(name, Ty::Scalar(Prim::I64));
        out.push(Stm::Let { name, prim: Prim::I64, value });
        Exp::var(name)
    }

    /// A statement as a region for one thread.
    fn by_one(&mut self, stm: Stm, out: &mut Vec<Stm>) {
        let set = self.set_around(&stm);
        let mut body = Vec::with_capacity(2 * set.len() + 1);
        let mut names: FxHashMap<Name, Name> = FxHashMap::default();
        for (name, prim) in &set {
            let own = self.fresh.like(*name);
            self.types.insert(own, Ty::Scalar(*prim));
            names.insert(*name, own);
            body.push(Stm::Declare { name: own, ty: Ty::Scalar(*prim) });
            let is_set = self.assigned.contains(name);
            let value = if is_set { Exp::Var(*name, *prim) } else { Exp::Const(Scalar::zero(*prim)) };
            body.push(Stm::Set { name: own, value });
        }
        let mut stm = stm;
        rename(&mut stm, &names);
        body.push(stm);
        let block = self.name("results");
        if !set.is_empty() {
            self.types.insert(block, Ty::Block(Space::Device));
            let bytes = Exp::i64(i64::try_from(8 * set.len()).unwrap_or(i64::MAX));
            out.push(Stm::Alloc { name: block, space: Space::Device, bytes });
        }
        // Each has eight bytes.
        let index = |at: usize, prim: Prim| Exp::i64(i64::try_from(at * 8 / prim.bytes()).unwrap_or(0));
        for (at, (name, prim)) in set.iter().enumerate() {
            let value = Exp::Var(names[name], *prim);
            body.push(Stm::Store { block, prim: *prim, index: index(at, *prim), value });
        }
        let ids = ["thread", "threads"].map(|base| self.name(base)).to_vec();
        self.types.extend(ids.iter().map(|name| (*name, Ty::Scalar(Prim::I64))));
        let (iterations, chunks, loc) = (Exp::i64(1), Exp::i64(1), self.loc);
        out.push(Stm::Parallel { level: Level::Grid, ids, iterations, chunks, lanes: None, body, loc });
        for (at, (name, prim)) in set.iter().enumerate() {
            let read = self.name("read");
            self.types.insert(read, Ty::Scalar(*prim));
            out.push(Stm::Read { name: read, block, prim: *prim, index: index(at, *prim) });
            out.push(Stm::Set { name: *name, value: Exp::Var(read, *prim) });
            self.assigned.insert(*name);
        }
        if !set.is_empty() {
            out.push(Stm::Free { name: block });
        }
    }

    /// The variables around a statement that it sets, in the order of their first setting.
    fn set_around(&self, stm: &Stm) -> Vec<(Name, Prim)> {
        let mut inside: FxHashSet<Name> = FxHashSet::default();
        let mut set: Vec<(Name, Prim)> = Vec::new();
        for_each_stm(std::slice::from_ref(stm), &mut |stm| match stm {
            Stm::Declare { name, .. } => drop(inside.insert(*name)),
            Stm::Set { name, value } if inside.insert(*name) => set.push((*name, value.prim())),
            _ => {}
        });
        set
    }

    fn name(&mut self, base: &str) -> Name {
        self.fresh.name(Symbol::intern(base))
    }
}

fn mentions(exp: &Exp, name: Name) -> bool {
    let mut found = false;
    exp.walk(&mut |part| found |= matches!(part, Exp::Var(var, _) if *var == name));
    found
}

/// Whether the elements of a side follow one another.
fn is_row_major(sizes: &[Exp], side: &Side) -> bool {
    let mut wanted = Some(1i64);
    for (size, stride) in sizes.iter().zip(&side.strides).rev() {
        let constant = |exp: &Exp| match exp {
            Exp::Const(c) => c.as_i64(),
            _ => None,
        };
        if wanted.is_none() || constant(stride) != wanted {
            return false;
        }
        wanted = wanted.zip(constant(size)).and_then(|(wanted, size)| wanted.checked_mul(size));
    }
    true
}

/// Puts other names in the place of variables.
fn rename(stm: &mut Stm, names: &FxHashMap<Name, Name>) {
    with_stack(|| {
        stm.for_each_exp_mut(|exp| {
            exp.walk_mut(&mut |part| {
                if let Exp::Var(name, _) = part
                    && let Some(new) = names.get(name)
                {
                    *name = *new;
                }
            });
        });
        if let Stm::Set { name, .. } = stm
            && let Some(new) = names.get(name)
        {
            *name = *new;
        }
        stm.for_each_body_mut(|body| body.iter_mut().for_each(|stm| rename(stm, names)));
    });
}

/// Gives the elements of blocks with a part for each lane their places.
fn of_lane(stms: &mut [Stm], lane: Name, per_lane: &FxHashMap<Name, i64>) {
    let place = |block: &Name, index: &mut Exp| {
        if let Some(len) = per_lane.get(block) {
            let within = std::mem::replace(index, Exp::i64(0));
            *index = Exp::add(Exp::mul(Exp::var(lane), Exp::i64(*len)), within);
        }
    };
    with_stack(|| {
        for stm in stms {
            stm.for_each_exp_mut(|exp| {
                exp.walk_mut(&mut |part| {
                    if let Exp::Load { block, index, .. } = part {
                        place(block, index);
                    }
                });
            });
            if let Stm::Store { block, index, .. } = stm {
                place(block, index);
            }
            stm.for_each_body_mut(|body| of_lane(body, lane, per_lane));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Value, run};
    use crate::outline::outline;
    use crate::{Param, Prog, check, print};
    use kenaz_ir::{BinOp, CmpOp, Locs};

    fn name(base: &str, id: u32) -> Name {
        Name { base: Symbol::intern(base), id }
    }

    fn load(block: Name, index: Exp) -> Exp {
        Exp::load(block, Prim::I64, index)
    }

    fn store(block: Name, index: Exp, value: Exp) -> Stm {
        Stm::Store { block, prim: Prim::I64, index, value }
    }

    fn plus(x: Exp, y: Exp) -> Exp {
        Exp::bin(BinOp::Add, x, y)
    }

    fn variable(name: Name, value: Exp) -> [Stm; 2] {
        [Stm::Declare { name, ty: Ty::Scalar(Prim::I64) }, Stm::Set { name, value }]
    }

    fn loop_over(var: Name, bound: Exp, body: Vec<Stm>) -> Stm {
        Stm::For { var, prim: Prim::I64, bound, hint: Hint::default(), body }
    }

    const XS: u32 = 1;
    const R: u32 = 2;

    /// Splits `f (xs: block device) : r` with this body, and gives its text and what it yields for 5, 7, 0, 9.
    fn split_and_run(body: Vec<Stm>) -> (String, i64) {
        let (xs, r) = (name("xs", XS), name("r", R));
        let mut fun = Fun {
            name: Symbol::intern("f"),
            entry: None,
            params: vec![Param { name: xs, ty: Ty::Block(Space::Device) }],
            results: vec![Param { name: r, ty: Ty::Scalar(Prim::I64) }],
            body,
            loc: Locs::NOWHERE(),
        };
        let mut fresh = Fresh::from(100);
        split(&mut fun, &mut fresh);
        let mut prog = Prog { funs: vec![fun], ..Prog::default() };
        outline(&mut prog);
        let text = print::prog(&prog);
        assert_eq!(check(&prog), Ok(()), "{text}");
        let args = Value::block(&[5, 7, 0, 9].map(Scalar::I64));
        let outcome = run(&prog, "f", &[args]).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        let [Value::Scalar(Scalar::I64(result))] = outcome.results[..] else { panic!("{:?}", outcome.results) };
        (text, result)
    }

    #[test]
    fn an_element_is_read_before_its_statement() {
        let (xs, r) = (name("xs", XS), name("r", R));
        let at = load(xs, Exp::i64(2));
        let (text, result) = split_and_run(vec![Stm::Set { name: r, value: plus(load(xs, at), Exp::i64(1)) }]);
        assert_eq!(result, 6, "{text}");
        assert_eq!(text.matches("read ").count(), 2, "{text}");
    }

    #[test]
    fn a_loop_runs_on_the_device_and_its_sum_comes_back() {
        let (xs, r, i, sum) = (name("xs", XS), name("r", R), name("i", 3), name("sum", 4));
        let mut body = variable(sum, Exp::i64(100)).to_vec();
        let more = plus(Exp::var(sum), load(xs, Exp::var(i)));
        body.push(loop_over(
            i,
            Exp::i64(4),
            vec![Stm::Set { name: sum, value: more }, store(xs, Exp::var(i), Exp::i64(1))],
        ));
        body.push(Stm::Set { name: r, value: plus(Exp::var(sum), load(xs, Exp::i64(3))) });
        let (text, result) = split_and_run(body);
        assert_eq!(result, 122, "{text}");
        assert!(text.contains("launch 1 of f.1(") && text.contains("region f.1: grid"), "{text}");
    }

    /// A loop over `k` and `k + 2` for each of two threads, whose body allocates, and leaves `5 - k` at `xs[k]`.
    fn allocating(leaves: bool, bytes: Exp) -> Vec<Stm> {
        let (xs, r, k, kept) = (name("xs", XS), name("r", R), name("k", 3), name("kept", 4));
        let (m, q, p, i) = (name("m", 5), name("q", 6), name("p", 7), name("i", 8));
        let ids = vec![name("thread", 9), name("threads", 10)];
        let at = plus(Exp::var(ids[0]), Exp::mul(Exp::var(i), Exp::var(ids[1])));
        let mut inner = vec![
            Stm::Let { name: k, prim: Prim::I64, value: at },
            Stm::Let { name: name("size", 11), prim: Prim::I64, value: bytes },
            Stm::Alloc { name: m, space: Space::Device, bytes: Exp::var(name("size", 11)) },
            store(m, Exp::i64(0), Exp::bin(BinOp::Sub, Exp::i64(5), Exp::var(k))),
            Stm::Declare { name: p, ty: Ty::Block(Space::Device) },
            Stm::SetBlock { name: if leaves { kept } else { p }, from: m },
            Stm::Share { name: q, from: xs },
        ];
        let value = if leaves { m } else { p };
        inner.push(store(q, Exp::var(k), load(value, Exp::i64(0))));
        inner.push(Stm::Free { name: q });
        if !leaves {
            inner.push(Stm::Free { name: p });
        }
        let mut body = vec![loop_over(i, Exp::i64(2), inner)];
        if leaves {
            body.insert(0, Stm::Declare { name: kept, ty: Ty::Block(Space::Device) });
        }
        let (iterations, chunks, loc) = (Exp::i64(4), Exp::i64(2), Locs::NOWHERE());
        let result = plus(Exp::mul(Exp::i64(10), load(xs, Exp::i64(1))), load(xs, Exp::i64(3)));
        vec![
            Stm::Parallel { level: Level::Grid, ids, iterations, chunks, lanes: None, body, loc },
            Stm::Set { name: r, value: result },
        ]
    }

    #[test]
    fn what_threads_allocate_is_allocated_before() {
        let (text, result) = split_and_run(allocating(false, Exp::i64(8)));
        assert_eq!(result, 42, "{text}");
        assert!(text.contains("launch 2 of f.1(") && text.contains("slot m_5 of"), "{text}");
        assert_eq!(text.matches("alloc ").count(), 1, "{text}");
    }

    #[test]
    fn the_host_allocates_what_outlives_an_iteration_or_has_a_size_of_its_own() {
        for body in [allocating(true, Exp::i64(8)), allocating(false, Exp::mul(Exp::i64(8), Exp::var(name("i", 8))))] {
            let mut fresh = Fresh::from(100);
            let mut fun = Fun {
                name: Symbol::intern("f"),
                entry: None,
                params: vec![Param { name: name("xs", XS), ty: Ty::Block(Space::Device) }],
                results: vec![Param { name: name("r", R), ty: Ty::Scalar(Prim::I64) }],
                body,
                loc: Locs::NOWHERE(),
            };
            split(&mut fun, &mut fresh);
            assert!(!fun.body.iter().any(|stm| matches!(stm, Stm::Parallel { .. })));
        }
    }

    /// `xs[2*i + j] = i - j`, in two loops whose iterations are independent.
    #[test]
    fn independent_iterations_run_on_all_threads() {
        let (xs, r, i, j) = (name("xs", XS), name("r", R), name("i", 3), name("j", 4));
        let independent = |var: Name, body: Vec<Stm>| Stm::For {
            var,
            prim: Prim::I64,
            bound: Exp::i64(2),
            hint: Hint { independent: true, ..Hint::default() },
            body,
        };
        let at = plus(Exp::mul(Exp::i64(2), Exp::var(i)), Exp::var(j));
        let value = Exp::sub(Exp::var(i), Exp::var(j));
        let nest = independent(i, vec![independent(j, vec![store(xs, at, value)])]);
        let sum = (0..4).map(|k| Exp::mul(Exp::i64([1, 10, 100, 1000][k]), load(xs, Exp::i64(k as i64))));
        let value = sum.reduce(plus).unwrap_or(Exp::i64(0));
        let (text, result) = split_and_run(vec![nest, Stm::Set { name: r, value }]);
        // The elements are 0, -1, 1, 0.
        assert_eq!(result, 90, "{text}");
        assert!(text.contains("chunks grid chunks_") && text.contains("of f.1("), "{text}");
    }

    #[test]
    fn what_a_loop_waits_for_is_read_each_time() {
        let (xs, r, count, m) = (name("xs", XS), name("r", R), name("count", 3), name("m", 4));
        let mut body = variable(count, Exp::i64(0)).to_vec();
        let cond = Exp::cmp(CmpOp::Ne, load(xs, Exp::var(count)), Exp::i64(0));
        // Only the host can allocate, so that the loop stays there.
        let each = vec![
            Stm::Alloc { name: m, space: Space::Device, bytes: Exp::i64(8) },
            Stm::Free { name: m },
            Stm::Set { name: count, value: plus(Exp::var(count), Exp::i64(1)) },
        ];
        body.push(Stm::While { cond, body: each });
        body.push(Stm::Set { name: r, value: Exp::var(count) });
        let (text, result) = split_and_run(body);
        assert_eq!(result, 2, "{text}");
        assert!(!text.contains("launch"), "{text}");
    }

    /// Blocks whose lanes combine what they have, where each allocates another size, so that the host runs it.
    #[test]
    fn what_lanes_combine_is_combined_in_order_on_the_host() {
        let (xs, r) = (name("xs", XS), name("r", R));
        let [block, blocks, m, own, room, lane] =
            [("block", 3), ("blocks", 4), ("m", 5), ("own", 6), ("room", 7), ("lane", 8)].map(|(b, id)| name(b, id));
        let [left, right, all, last] =
            [("left", 9), ("right", 10), ("all", 11), ("lane", 12)].map(|(base, id)| name(base, id));
        let result = plus(Exp::bin(BinOp::Mul, Exp::var(left), Exp::i64(10)), Exp::var(right));
        let value = Combined { own, prim: Prim::I64, room, left, right, result, all };
        let body = vec![
            Stm::Alloc { name: m, space: Space::Device, bytes: Exp::add(Exp::i64(8), Exp::var(block)) },
            Stm::Alloc { name: room, space: Space::Shared, bytes: Exp::i64(32) },
            Stm::PerLane { name: own, prim: Prim::I64, len: 2 },
            Stm::Lanes {
                lane,
                count: Exp::i64(4),
                body: vec![store(own, Exp::i64(0), load(xs, Exp::var(lane))), store(own, Exp::i64(1), Exp::var(lane))],
            },
            Stm::Combine { values: vec![value], busy: Exp::i64(4), prefixes: true, body: Vec::new() },
            Stm::Lanes {
                lane: last,
                count: Exp::i64(4),
                body: vec![store(xs, Exp::var(last), plus(load(own, Exp::i64(0)), load(own, Exp::i64(1))))],
            },
            store(m, Exp::i64(0), Exp::var(all)),
            store(xs, Exp::i64(0), load(m, Exp::i64(0))),
            Stm::Free { name: m },
        ];
        let (ids, lanes, loc) = (vec![block, blocks], Some(Exp::i64(4)), Locs::NOWHERE());
        let (iterations, chunks) = (Exp::i64(1), Exp::i64(1));
        let parallel = Stm::Parallel { level: Level::Block, ids, iterations, chunks, lanes, body, loc };
        // What all come to, what comes before the last but one, and its own number.
        let both = plus(load(xs, Exp::i64(0)), load(xs, Exp::i64(2)));
        let (text, result) = split_and_run(vec![parallel, Stm::Set { name: r, value: both }]);
        assert_eq!(result, 5709 + 57 + 2, "{text}");
        assert!(!text.contains("combine") && !text.contains("per lane"), "{text}");
    }

    #[test]
    fn a_parallel_loop_that_allocates_sizes_of_its_own_runs_on_the_host() {
        let (xs, r) = (name("xs", XS), name("r", R));
        let [thread, threads, m, small, i] =
            [("thread", 3), ("threads", 4), ("m", 5), ("small", 6), ("i", 7)].map(|(base, id)| name(base, id));
        let inner = loop_over(i, Exp::i64(1), vec![store(xs, Exp::var(thread), load(small, Exp::var(i)))]);
        let body = vec![
            Stm::Alloc { name: m, space: Space::Device, bytes: Exp::add(Exp::i64(8), Exp::var(thread)) },
            Stm::Local { name: small, prim: Prim::I64, len: 1 },
            store(small, Exp::i64(0), plus(Exp::var(thread), Exp::var(threads))),
            inner,
            Stm::Free { name: m },
        ];
        let ids = vec![thread, threads];
        let (iterations, chunks, loc) = (Exp::i64(4), Exp::i64(4), Locs::NOWHERE());
        let parallel = Stm::Parallel { level: Level::Grid, ids, iterations, chunks, lanes: None, body, loc };
        let (text, result) = split_and_run(vec![parallel, Stm::Set { name: r, value: load(xs, Exp::i64(3)) }]);
        assert_eq!(result, 7, "{text}");
        assert!(text.contains("for thread_3: i64 < 4") && text.contains("alloc small_6: device"), "{text}");
    }
}
