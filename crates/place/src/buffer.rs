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
//! need what is in it; and it must be of the size of the others, which is known before the loop. Otherwise the loop stays
//! as it is: the blocks that it frees are those that it gets again, and that costs less than to copy the first array. Only
//! of an array that is small for sure the copy costs less, and it can be held in registers then.
//!
//! The pass assumes that blocks are not freed or shared yet.

use crate::moves::Movable;
use crate::release::{Blocks, mentioned};
use kenaz_base::with_stack;
use kenaz_ir::visit::{Subst, Visit, for_each_body_mut, free_in_body};
use kenaz_ir::{
    Attrs, Body, Exp, Fresh, Layout, Log, LoopForm, MemExp, Name, Operand, Param, Pass, Place, Prog, Space, Stm, Type,
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
pub const RULES: &[&str] = &["double-buffer"];

pub fn buffer(prog: &mut Prog, log: &mut Log) {
    for fun in &mut prog.funs {
        let mut blocks = Blocks::default();
        blocks.fun(fun);
        let mut uses = Uses::default();
        uses.fun(fun);
        let mut buffer = Buffer { blocks, uses: uses.0, fresh: &mut prog.fresh, log };
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

struct Buffer<'a> {
    blocks: Blocks,
    uses: FxHashMap<Name, usize>,
    fresh: &'a mut Fresh,
    log: &'a mut Log,
}

impl Buffer<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            for stm in &mut body.stms {
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
            }
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
            for (i, mut stm) in stms.into_iter().enumerate() {
                if let Exp::Loop { .. } = stm.exp {
                    self.loop_(&mut stm, &mut out, &later[i]);
                }
                out.push(stm);
            }
            body.stms = out;
        });
    }

    fn loop_(&mut self, stm: &mut Stm, out: &mut Vec<Stm>, later: &FxHashSet<Name>) {
        let Exp::Loop { params, form, body } = &mut stm.exp else { return };
        let mut k = 0;
        while k < params.len() {
            let next = k + 1;
            if let Some(bytes) = self.candidate(params, form, body, k, out, later) {
                if !self.log.fire("double-buffer") {
                    return;
                }
                out.extend(self.moved(params, form, body, bytes));
                self.exclusive(params, body, k, bytes, out, later, stm.loc);
                let base = params[k].0.name;
                let spare = self.fresh.like(base);
                let mem = Type::Mem(Space::Host);
                let reason = format!("`{}`: a loop reads one block while it fills the other", base.base);
                self.log.decide("allocation", stm.loc, reason);
                out.push(plain(Param::new(spare, mem.clone()), Exp::Mem(MemExp::Alloc(Space::Host, bytes)), stm.loc));
                let inner = self.fresh.like(base);
                // The block of the iteration is the spare one.
                if let Some(made) = body.results[k].name() {
                    body.stms.retain(|stm| !(stm.pat.len() == 1 && stm.pat[0].name == made));
                    let subst: Subst = [(made, inner)].into_iter().collect();
                    subst.apply_to_body(body);
                }
                let given_back = params[k].0.name;
                params.insert(k + 1, (Param::new(inner, mem.clone()), spare.into()));
                body.results.insert(k + 1, given_back.into());
                stm.pat.insert(k + 1, Param::new(self.fresh.like(base), mem));
                k = next + 1;
                continue;
            }
            k = next;
        }
    }

    /// The size of the block that the loop allocates for the parameter at `k` in each iteration, known in front of it.
    fn candidate(
        &mut self,
        params: &[(Param, Operand)],
        form: &LoopForm,
        body: &Body,
        k: usize,
        out: &[Stm],
        later: &FxHashSet<Name>,
    ) -> Option<Operand> {
        if !self.blocks.is_block(params[k].0.name) {
            return None;
        }
        let made = body.results[k].name()?;
        let at = body.stms.iter().position(|stm| stm.pat.len() == 1 && stm.pat[0].name == made)?;
        let Exp::Mem(MemExp::Alloc(Space::Host, bytes)) = body.stms[at].exp else { return None };
        // Neither block goes anywhere else.
        let uses = |name: Name| self.uses.get(&name).copied().unwrap_or(0);
        if uses(made) != 1 || uses(params[k].0.name) != 0 {
            return None;
        }
        let bound = bound_by(params, form);
        // The first array must be of the size of the others, and where they are.
        let of_block = params.iter().find(|(p, _)| p.place.as_ref().is_some_and(|at| at.block == params[k].0.name));
        let varies = |name: Name| bound.contains(&name);
        let is_like_others = |p: &Param| {
            let places = p.place.as_ref().is_some_and(|at| at.layout.names().any(varies));
            !places && !p.ty.dims().iter().filter_map(|n| n.name()).any(varies)
        };
        if of_block.is_none_or(|(p, _)| !is_like_others(p)) {
            return None;
        }
        let is_small = matches!(bytes, Operand::Const(n) if n.as_i64().is_some_and(|n| n <= SMALL));
        if !is_small && !self.is_exclusive(params[k].1, bytes, body, out, later) {
            return None;
        }
        let is_known = match bytes {
            Operand::Var(name) => Movable::of(body, &bound).is_outside(body, name),
            Operand::Const(_) => true,
        };
        is_known.then_some(bytes)
    }

    /// What the size of the block is computed from, taken out of the body.
    fn moved(&self, params: &[(Param, Operand)], form: &LoopForm, body: &mut Body, bytes: Operand) -> Vec<Stm> {
        let Operand::Var(name) = bytes else { return Vec::new() };
        let bound = bound_by(params, form);
        let mut movable = Movable::of(body, &bound);
        movable.take_name(name);
        movable.finish(body)
    }

    /// Whether the first block is of this size, and nobody but the loop needs it.
    fn is_exclusive(&self, first: Operand, bytes: Operand, body: &Body, out: &[Stm], later: &FxHashSet<Name>) -> bool {
        let Operand::Var(block) = first else { return false };
        let is_own = out.iter().any(|stm| {
            matches!(stm.exp, Exp::Mem(MemExp::Alloc(Space::Host, size)) if size == bytes)
                && stm.pat.first().is_some_and(|p| p.name == block)
        });
        is_own
            && !later.contains(&block)
            && !self.blocks.among(free_in_body(body)).contains(&block)
            && self.uses.get(&block) == Some(&1)
    }

    /// Makes sure that the first block may be overwritten.
    #[expect(clippy::too_many_arguments, reason = "the parts of one loop")]
    fn exclusive(
        &mut self,
        params: &mut [(Param, Operand)],
        body: &Body,
        k: usize,
        bytes: Operand,
        out: &mut Vec<Stm>,
        later: &FxHashSet<Name>,
        loc: kenaz_ir::LocId,
    ) {
        if self.is_exclusive(params[k].1, bytes, body, out, later) {
            return;
        }
        let Operand::Var(block) = params[k].1 else { return };
        let param = params[k].0.name;
        let Some(array) = (k + 1..params.len()).find(|j| params[*j].0.place.as_ref().is_some_and(|p| p.block == param))
        else {
            return;
        };
        let Operand::Var(first) = params[array].1 else { return };
        let reason = format!("`{}`: a loop overwrites it, and it is needed later", first.base);
        self.log.decide("copy", loc, reason.clone());
        self.log.decide("allocation", loc, reason);
        let (new_block, copy) = (self.fresh.like(block), self.fresh.like(first));
        let mem = Type::Mem(Space::Host);
        out.push(plain(Param::new(new_block, mem), Exp::Mem(MemExp::Alloc(Space::Host, bytes)), loc));
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
