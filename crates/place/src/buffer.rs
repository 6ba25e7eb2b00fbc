//! A loop that makes a new array in each iteration gets two blocks to alternate between.
//!
//! ```text
//! let ym, y = loop (pm = xm, p @ pm = x)       let s = alloc host b
//!   for i < k {                                let ym, sr, y = loop (pm = xm, sp = s, p @ pm = x)
//!     let rm = alloc host b                      for i < k {
//!     let r @ rm = … p …                   →       let r @ sp = … p …
//!     in rm, r                                     in sp, pm, r
//!   }                                            }
//! ```
//!
//! So nothing is allocated in an iteration. The first block is overwritten in the second iteration, so nothing else may
//! need what is in it, and it must be of the size of the others. Where that is not so, the first block is only read,
//! and there are two others:
//!
//! ```text
//! let s = alloc host b
//! let t = alloc host b
//! let ym, sr, tr, y = loop (pm = xm, sp = s, tp = t, p @ pm = x)
//!   for i < k {
//!     let r @ sp = … p …
//!     in sp, tp, sp, r
//!   }
//! ```
//!
//! Then the current array is always in the block that is written to in the iteration after the next: there are two
//! references to it, of which the next iteration gives up one when it has read it, and the first block drops out. Of an
//! array that is small for sure a copy costs less, and it can be held in registers then.
//!
//! A thread of a device cannot hand its blocks around, which are slots of larger ones (Note \[Slots\] in
//! [`kenaz_ir::mem`]). It has two blocks of its own, and what it has made in the one goes back to the other:
//!
//! ```text
//! let s = alloc device b
//! let t = alloc device b
//! let f @ s = copy x
//! let y @ s = loop (p @ s = f)
//!   for i < k {
//!     let r @ t = … p …
//!     let q @ s = copy r
//!     in q
//!   }
//! ```
//!
//! The size of the blocks must be known before the loop. Otherwise the loop stays as it is. The pass assumes that
//! blocks are not freed or shared yet.

use crate::moves::Movable;
use crate::release::{Blocks, mentioned};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::visit::{Subst, Visit, for_each_body_mut, free_in_body};
use kenaz_ir::{
    Attrs, Body, DecisionKind, Exp, Fresh, Layout, Level, Log, LoopForm, MathFn, MemExp, Name, Operand, Param, Pass,
    PassCx, Place, Placement, Prog, Space, Stm, Target, Type, WorkerOrder,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass {
    name: "double-buffer",
    about: "loops that make a new array in each iteration alternate between two blocks",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: buffer,
};

/// So many bytes are copied faster than allocated.
const SMALL: i64 = 256;

/// The names of its rules.
pub const RULES: &[&str] = &["double-buffer", "copy-back"];

pub fn buffer(prog: &mut Prog, cx: &mut PassCx) {
    let (target, log) = (cx.target, &mut cx.log);
    for fun in &mut prog.funs {
        let mut blocks = Blocks::default();
        blocks.fun(fun);
        let mut uses = Uses::default();
        uses.fun(fun);
        let consumed = fun.params.iter().filter(|p| p.unique && fun.entry.is_some());
        let consumed = consumed.filter_map(|p| p.place.as_ref()).map(|place| place.block).collect();
        let mut buffer =
            Buffer { blocks, uses: uses.0, consumed, depth: 0, target, level: None, fresh: &mut prog.fresh, log };
        buffer.body(&mut fun.body);
    }
}

/// How often a name is used other than in places.
#[derive(Default)]
struct Uses(FxHashMap<Name, usize>);

impl Visit for Uses {
    fn name(&mut self, name: &Name) {
        *self.0.entry(*name).or_default() += 1;
    }

    fn place(&mut self, _: &Place) {}
}

/// The blocks between which a loop alternates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// That of the first array and another.
    First,
    /// That of a copy of the first array and another.
    Copy,
    /// Two others.
    TwoOthers,
}

/// What a loop allocates in each iteration.
struct Candidate {
    space: Space,
    bytes: Operand,
    turns: Turns,
}

/// An array that a loop carries, and where.
struct Carried {
    /// The number of its parameter, and of that for its offset.
    array: usize,
    offset: Option<usize>,
    /// The block in which an iteration makes the next value.
    made: Name,
    layout: Layout,
}

struct Buffer<'a> {
    blocks: Blocks,
    uses: FxHashMap<Name, usize>,
    /// The blocks of arrays that an entry point may overwrite.
    consumed: FxHashSet<Name>,
    /// How many bodies are around.
    depth: usize,
    target: &'a Target,
    /// Who runs the body.
    level: Option<Level>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl Buffer<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            self.depth += 1;
            for stm in &mut body.stms {
                let around = self.level;
                if let Exp::Par(par) = &stm.exp
                    && par.level.is_some_and(|level| self.target.runs(level))
                {
                    self.level = par.level;
                }
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
                self.level = around;
            }
            self.depth -= 1;
            let mut out: Vec<Stm> = Vec::with_capacity(body.stms.len());
            let stms = std::mem::take(&mut body.stms);
            // The blocks used by the statements from each one on, and by the results.
            let mut later: Vec<FxHashSet<Name>> = Vec::with_capacity(stms.len());
            if stms.iter().any(|stm| matches!(stm.exp, Exp::Loop { .. })) {
                let results = body.results.iter().filter_map(|x| x.name());
                let mut used: FxHashSet<Name> = self.blocks.among(results).into_iter().collect();
                for stm in stms.iter().rev() {
                    later.push(used.clone());
                    used.extend(self.blocks.among(mentioned(stm)));
                }
                later.reverse();
            }
            // The blocks of results that are no longer handed on, and where these results are.
            let mut settled = Subst::default();
            for (i, mut stm) in stms.into_iter().enumerate() {
                if let Exp::Loop { .. } = stm.exp {
                    if self.has_slots() {
                        self.copy_back(&mut stm, &mut out, &later[i], &mut settled);
                    }
                    self.loop_(&mut stm, &mut out, &later[i]);
                }
                out.push(stm);
            }
            body.stms = out;
            settled.apply_to_body(body);
        });
    }

    fn loop_(&mut self, stm: &mut Stm, out: &mut Vec<Stm>, later: &FxHashSet<Name>) {
        let Exp::Loop { params, form, body } = &mut stm.exp else { return };
        let mut k = 0;
        while k < params.len() {
            let Some(Candidate { space, bytes, turns }) = self.candidate(params, form, body, k, out, later) else {
                k += 1;
                continue;
            };
            if !self.log.fire("double-buffer") {
                return;
            }
            out.extend(self.moved(params, form, body, bytes));
            if turns == Turns::Copy {
                self.copy_first(params, k, (space, bytes), out, stm.loc);
            }
            let current = params[k].0.name;
            let mem = Type::Mem(space);
            let spares = if turns == Turns::TwoOthers { 2 } else { 1 };
            let mut names = Vec::new();
            for at in 1..=spares {
                let spare = self.fresh.like(current);
                let reason = "a loop reads one block while it fills the other";
                let kind = DecisionKind::Allocation;
                self.log.placed(spare, stm.loc, Placement { kind, array: current, reason });
                out.push(plain(Param::new(spare, mem.clone()), Exp::Mem(MemExp::Alloc(space, bytes)), stm.loc));
                let inner = self.fresh.like(current);
                params.insert(k + at, (Param::new(inner, mem.clone()), spare.into()));
                stm.pat.insert(k + at, Param::new(self.fresh.like(current), mem.clone()));
                names.push(inner);
            }
            // The block of the iteration is the spare one.
            let filled = names[0];
            if let Some(made) = body.results[k].name() {
                body.stms.retain(|stm| !(stm.pat.len() == 1 && stm.pat[0].name == made));
                let subst: Subst = [(made, filled)].into_iter().collect();
                subst.apply_to_body(body);
            }
            let next = if turns == Turns::TwoOthers { vec![names[1], filled] } else { vec![current] };
            body.results.splice(k + 1..k + 1, next.into_iter().map(Operand::Var));
            k += 1 + spares;
        }
    }

    /// Whether blocks become slots that alternate with those of other workers, which have no beginning to hand around.
    fn has_slots(&self) -> bool {
        self.level == Some(Level::Grid) && self.target.worker_order == WorkerOrder::Innermost
    }

    /// Has a loop carry arrays in one block each, to which it copies the next value.
    fn copy_back(&mut self, stm: &mut Stm, out: &mut Vec<Stm>, later: &FxHashSet<Name>, settled: &mut Subst) {
        let Exp::Loop { params, form, body } = &mut stm.exp else { return };
        let mut k = 0;
        while k < params.len() {
            let candidate = self.candidate(params, form, body, k, out, later);
            let (Some(candidate), Some(carried)) = (candidate, self.carried(params, form, body, &stm.pat, k)) else {
                k += 1;
                continue;
            };
            if !self.log.fire("copy-back") {
                return;
            }
            let Candidate { space, bytes, turns } = candidate;
            out.extend(self.moved(params, form, body, bytes));
            if turns != Turns::First {
                self.copy_first(params, k, (space, bytes), out, stm.loc);
            }
            let Carried { array, offset, made, layout } = carried;
            let (Operand::Var(block), Operand::Var(value)) = (params[k].1, body.results[array]) else { return };
            if let Some(offset) = offset {
                params[offset].1 = Operand::i64(0);
                body.results[offset] = Operand::i64(0);
            }
            // The block in which an iteration makes its array is allocated in front.
            let is_made = |stm: &Stm| stm.pat.len() == 1 && stm.pat[0].name == made;
            if let Some(at) = body.stms.iter().position(is_made) {
                out.push(body.stms.remove(at));
            }
            let next = self.fresh.like(value);
            let (kind, reason) = (DecisionKind::Copy, "a thread cannot exchange the blocks of a loop");
            self.log.placed(next, stm.loc, Placement { kind, array: value, reason });
            let mut param = Param::new(next, params[array].0.ty.clone());
            param.place = Some(Box::new(Place { block, layout }));
            body.stms.push(plain(param, Exp::Copy(value), stm.loc));
            body.results[array] = next.into();
            settled.insert(params.remove(k).0.name, block);
            settled.insert(stm.pat.remove(k).name, block);
            body.results.remove(k);
        }
        settled.apply_to_stm(stm);
    }

    /// The array in the block that is the parameter at `k`, if each of its values can be at one place.
    fn carried(
        &self,
        params: &[(Param, Operand)],
        form: &LoopForm,
        body: &Body,
        pat: &[Param],
        k: usize,
    ) -> Option<Carried> {
        if self.uses.contains_key(&pat[k].name) {
            return None;
        }
        let block = params[k].0.name;
        let in_block = |param: &Param| param.place.as_ref().is_some_and(|place| place.block == block);
        let mut arrays = (0..params.len()).filter(|at| in_block(&params[*at].0));
        let (Some(array), None) = (arrays.next(), arrays.next()) else { return None };
        let bound = bound_by(params, form);
        let ty = &params[array].0.ty;
        if ty.dims().iter().filter_map(|n| n.name()).any(|name| bound.contains(&name)) {
            return None;
        }
        let place = params[array].0.place.as_ref()?;
        let layout = Layout::row_major(ty.dims())?;
        let offset = match place.layout.offset.as_operand() {
            _ if place.layout.offset.is_zero() => None,
            Some(Operand::Var(name)) => Some(params.iter().position(|(param, _)| param.name == name)?),
            _ => return None,
        };
        let value = body.results[array].name()?;
        let is_like = |stm: &Stm| stm.pat.iter().any(|param| param.name == value && param.ty == *ty);
        let fits = place.layout.dims == layout.dims && body.stms.iter().any(is_like);
        let made = body.results[k].name()?;
        fits.then_some(Carried { array, offset, made, layout })
    }

    /// The block that the loop allocates for the parameter at `k` in each iteration, known in front of it, and
    /// which blocks take turns.
    fn candidate(
        &mut self,
        params: &[(Param, Operand)],
        form: &LoopForm,
        body: &Body,
        k: usize,
        out: &[Stm],
        later: &FxHashSet<Name>,
    ) -> Option<Candidate> {
        if !self.blocks.is_block(params[k].0.name) {
            return None;
        }
        let made = body.results[k].name()?;
        let at = body.stms.iter().position(|stm| stm.pat.len() == 1 && stm.pat[0].name == made)?;
        let Exp::Mem(MemExp::Alloc(space, bytes)) = body.stms[at].exp else { return None };
        if params[k].0.ty != Type::Mem(space) {
            return None;
        }
        // Neither block goes anywhere else.
        let uses = |name: Name| self.uses.get(&name).copied().unwrap_or(0);
        if uses(made) != 1 || uses(params[k].0.name) != 0 {
            return None;
        }
        let bound = bound_by(params, form);
        let is_known = match bytes {
            Operand::Var(name) => Movable::of(body, &bound).is_outside(body, name),
            Operand::Const(_) => true,
        };
        if !is_known {
            return None;
        }
        // For its block to be overwritten, the first array must be of the size of the others, and where they are.
        let of_block = params.iter().find(|(p, _)| p.place.as_ref().is_some_and(|at| at.block == params[k].0.name));
        let varies = |name: Name| bound.contains(&name);
        let is_like_others = |p: &Param| {
            let places = p.place.as_ref().is_some_and(|at| at.layout.names().any(varies));
            !places && !p.ty.dims().iter().filter_map(|n| n.name()).any(varies)
        };
        let is_small = matches!(bytes, Operand::Const(n) if n.as_i64().is_some_and(|n| n <= SMALL));
        let turns = match of_block {
            Some((p, _))
                if is_like_others(p) && self.is_exclusive((params[k].1, &p.ty), (space, bytes), body, out, later) =>
            {
                Turns::First
            }
            Some((p, _)) if is_like_others(p) && is_small => Turns::Copy,
            _ => Turns::TwoOthers,
        };
        Some(Candidate { space, bytes, turns })
    }

    /// What the size of the block is computed from, taken out of the body.
    fn moved(&self, params: &[(Param, Operand)], form: &LoopForm, body: &mut Body, bytes: Operand) -> Vec<Stm> {
        let Operand::Var(name) = bytes else { return Vec::new() };
        let bound = bound_by(params, form);
        let mut movable = Movable::of(body, &bound);
        movable.take_name(name);
        movable.finish(body)
    }

    /// Whether the first block is like those that are allocated, and nobody but the loop needs it.
    fn is_exclusive(
        &self,
        (first, ty): (Operand, &Type),
        (space, bytes): (Space, Operand),
        body: &Body,
        out: &[Stm],
        later: &FxHashSet<Name>,
    ) -> bool {
        let Operand::Var(block) = first else { return false };
        // The block of an argument has the size of the argument, which may be less than what an iteration allocates.
        let fits = || is_size_of(bytes, ty, &[out, &body.stms]);
        let is_own = out.iter().any(|stm| {
            matches!(stm.exp, Exp::Mem(MemExp::Alloc(of, size)) if of == space && size == bytes)
                && stm.pat.first().is_some_and(|p| p.name == block)
        });
        // Elsewhere than at the top, it may be needed again.
        let may_overwrite = is_own || self.depth == 0 && self.consumed.contains(&block) && fits();
        may_overwrite
            && !later.contains(&block)
            && !self.blocks.among(free_in_body(body)).contains(&block)
            && self.uses.get(&block) == Some(&1)
    }

    /// A copy of the first array, to be overwritten.
    fn copy_first(
        &mut self,
        params: &mut [(Param, Operand)],
        k: usize,
        (space, bytes): (Space, Operand),
        out: &mut Vec<Stm>,
        loc: kenaz_ir::LocId,
    ) {
        let Operand::Var(block) = params[k].1 else { return };
        let param = params[k].0.name;
        let Some(array) = (k + 1..params.len()).find(|j| params[*j].0.place.as_ref().is_some_and(|p| p.block == param))
        else {
            return;
        };
        let Operand::Var(first) = params[array].1 else { return };
        let reason = "a loop overwrites it, and it is needed later";
        let (new_block, copy) = (self.fresh.like(block), self.fresh.like(first));
        for (made, kind) in [(copy, DecisionKind::Copy), (new_block, DecisionKind::Allocation)] {
            self.log.placed(made, loc, Placement { kind, array: first, reason });
        }
        let mem = Type::Mem(space);
        out.push(plain(Param::new(new_block, mem), Exp::Mem(MemExp::Alloc(space, bytes)), loc));
        // The type of the initial value: that of the parameter with initial values for the other parameters.
        let subst: Subst = params.iter().map(|(p, init)| (p.name, *init)).collect();
        let mut copied = Param::new(copy, subst.ty(&params[array].0.ty));
        let layout = Layout::row_major(copied.ty.dims());
        copied.place = layout.map(|layout| Box::new(Place { block: new_block, layout }));
        out.push(plain(copied, Exp::Copy(first), loc));
        params[k].1 = new_block.into();
        params[array].1 = copy.into();
    }
}

/// Whether a number of bytes is the size of an array of this type, as far as statements tell that compute products.
fn is_size_of(bytes: Operand, ty: &Type, stms: &[&[Stm]]) -> bool {
    let Some(prim) = ty.prim() else { return false };
    let product = |factors: Vec<Operand>| {
        let (mut number, mut names, mut left) = (1i64, Vec::new(), factors);
        while let Some(factor) = left.pop() {
            let name = match factor {
                Operand::Var(name) => name,
                Operand::Const(n) => {
                    number = number.checked_mul(n.as_i64()?)?;
                    continue;
                }
            };
            let of = |stm: &&Stm| matches!(&stm.pat[..], [param] if param.name == name);
            match stms.iter().find_map(|stms| stms.iter().find(of)).map(|stm| &stm.exp) {
                Some(Exp::Math(MathFn::SizeMul, Prim::I64, more)) => left.extend(more),
                _ => names.push(name),
            }
        }
        names.sort_unstable();
        Some((number, names))
    };
    let size = [Operand::i64(prim.bytes() as i64)].into_iter().chain(ty.dims().iter().copied()).collect();
    product(vec![bytes]).is_some_and(|bytes| product(size) == Some(bytes))
}

/// The names that differ from iteration to iteration.
fn bound_by(params: &[(Param, Operand)], form: &LoopForm) -> FxHashSet<Name> {
    let mut bound: FxHashSet<Name> = params.iter().map(|(p, _)| p.name).collect();
    if let LoopForm::For(i, ..) = form {
        bound.insert(*i);
    }
    bound
}

fn plain(param: Param, exp: Exp, loc: kenaz_ir::LocId) -> Stm {
    Stm { pat: vec![param], certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}
