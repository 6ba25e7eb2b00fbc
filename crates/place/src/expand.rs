//! What each iteration would allocate for itself becomes one block with a part for each worker ([mem] §5).
//!
//! ```text
//!                                                    let m_7: mem = alloc_each core outermost host b_5 most n_3
//! let y_1 = par core (i_2 < n_3) own {               let y_1 = par core (i_2 < n_3) own {
//!   let m_4: mem = alloc host b_5                →     let m_4: mem = slot m_7
//!   let x_6 @ m_4 -> … = …                             let x_6 @ m_4 -> … = …
//!   …                                                  …
//! }                                                  }
//! ```
//!
//! See Note \[Slots\] in [`kenaz_ir::mem`]. The size must be the same in all iterations, or the most that it can be
//! must be known before ([`crate::most`]); the scalars that it is computed from go along. The block must be named by
//! places alone. A block that is small enough for the stack stays where it is.
//!
//! The block then leaves the loops around as well. Of a `par` at the same level it needs no further parts: either that
//! one or the inner one is spread over the workers, and a worker needs one slot in both cases.
//!
//! The pass assumes that blocks are not freed or shared yet, and that allocations have left the loops that run in
//! sequence inside an iteration. From the inside out, each body is looked at once.

use crate::hoist::{Handed, bound_by};
use crate::most::Sizes;
use crate::moves::Movable;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::visit::{Visit, for_each_body_mut, walk};
use kenaz_ir::{
    Attrs, Body, DecisionKind, Exp, Fresh, Fun, Level, LocId, Locs, MathFn, MemExp, Name, Operand, Param, Pass, PassCx,
    Prog, Slots, Space, Stm, Type, WorkerOrder,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const PASS: Pass = Pass {
    name: "expand",
    about: "gives iterations that run at the same time their parts of one block",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: expand,
};

/// The names of its rules.
pub const RULES: &[&str] = &["expand", "expand-to-the-most", "hoist-slots"];

pub fn expand(prog: &mut Prog, cx: &mut PassCx) {
    if !cx.target.is_parallel() {
        return;
    }
    let Prog { funs, fresh, .. } = prog;
    for fun in funs {
        let mut handed = Handed::default();
        handed.fun(fun);
        let (elements, sizes) = (Elements::of(fun), Sizes::of(fun));
        Expand { cx, fresh, handed: handed.0, elements, sizes }.body(&mut fun.body);
    }
}

/// What is repeated.
#[derive(Clone, Copy)]
enum Repeated {
    /// One after the other.
    InSequence,
    /// By the workers of a level; the number of iterations that these share.
    At(Level, Operand, LocId),
}

struct Expand<'a> {
    cx: &'a mut PassCx,
    fresh: &'a mut Fresh,
    /// The blocks that are named other than by places.
    handed: FxHashSet<Name>,
    elements: Elements,
    sizes: Sizes,
}

impl Expand<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                let outside = self.sizes.enter(&stm.exp);
                for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
                self.sizes.leave(outside);
                self.sizes.stm(&stm);
                let repeated = match &stm.exp {
                    Exp::Loop { .. } => Some(Repeated::InSequence),
                    Exp::Par(par) => match (par.level, par.space.first()) {
                        (Some(level), Some((_, n))) if self.cx.target.runs(level) => {
                            Some(Repeated::At(level, *n, stm.loc))
                        }
                        _ => Some(Repeated::InSequence),
                    },
                    _ => None,
                };
                if let Some(repeated) = repeated {
                    let bound = bound_by(&stm.exp);
                    for_each_body_mut(&mut stm.exp, |inner| self.repeated(inner, repeated, &bound, &mut out));
                }
                out.push(stm);
            }
            body.stms = out;
        });
    }

    /// Takes out of a body that is repeated what is the same each time.
    fn repeated(&mut self, body: &mut Body, repeated: Repeated, bound: &FxHashSet<Name>, out: &mut Vec<Stm>) {
        let is_block = |stm: &Stm| matches!(stm.exp, Exp::Mem(MemExp::Alloc(..) | MemExp::AllocEach(_)));
        let blocks: Vec<usize> = (0..body.stms.len()).filter(|i| is_block(&body.stms[*i])).collect();
        if blocks.is_empty() {
            return;
        }
        let mut movable = Movable::of(body, bound);
        let mut new = Vec::new();
        for i in blocks {
            match body.stms[i].exp.clone() {
                Exp::Mem(MemExp::AllocEach(slots)) => self.leaves(body, i, &slots, repeated, &mut movable),
                Exp::Mem(MemExp::Alloc(space, bytes)) => {
                    let Repeated::At(level, n, loc) = repeated else { continue };
                    let name = body.stms[i].pat[0].name;
                    // What is on chip is allocated for each block anyhow.
                    if space == Space::Shared
                        || space != self.cx.target.space(Some(level))
                        || self.fits_on_stack(name, bytes)
                    {
                        continue;
                    }
                    let size = if self.handed.contains(&name) {
                        Err("its block is handed to a loop or a function")
                    } else if movable.can_move(body, i) {
                        Ok(vec![bytes])
                    } else {
                        let factors = self.sizes.most(name, |x| movable.is_outside(body, x));
                        factors.ok_or("its size is not known before the iteration")
                    };
                    let factors = match size {
                        Ok(factors) => factors,
                        Err(reason) => {
                            let reason = format!("{reason} (`{name}`)");
                            self.cx.log.decide(DecisionKind::NotExpanded, loc, reason);
                            continue;
                        }
                    };
                    let rule = if factors.len() == 1 && factors[0] == bytes { "expand" } else { "expand-to-the-most" };
                    if !self.cx.log.fire(rule) {
                        continue;
                    }
                    factors.iter().filter_map(|x| x.name()).for_each(|name| movable.take_name(name));
                    let bytes = self.product(&factors, &mut new);
                    let block = self.fresh.like(name);
                    let stm = &mut body.stms[i];
                    stm.exp = Exp::Mem(MemExp::Slot(block));
                    let slots = Slots { level, order: self.order(name), space, bytes, most: Some(n) };
                    let param = Param::new(block, Type::Mem(space));
                    new.push(plain(vec![param], Exp::Mem(MemExp::AllocEach(slots)), stm.loc));
                }
                _ => {}
            }
        }
        out.extend(movable.finish(body));
        out.extend(new);
    }

    fn product(&mut self, factors: &[Operand], out: &mut Vec<Stm>) -> Operand {
        let product = factors.iter().copied().reduce(|x, y| {
            let name = self.fresh.named("bytes");
            let exp = Exp::Math(MathFn::SizeMul, Prim::I64, vec![x, y]);
            out.push(plain(vec![Param::new(name, Type::Prim(Prim::I64))], exp, Locs::NOWHERE()));
            Operand::Var(name)
        });
        product.unwrap_or(Operand::i64(1))
    }

    /// Takes a block that has slots already out of a body, if its size is the same each time.
    fn leaves(&mut self, body: &mut Body, i: usize, slots: &Slots, repeated: Repeated, movable: &mut Movable) {
        let most = match repeated {
            Repeated::InSequence => slots.most,
            // The workers are those of the outer `par`, or of the inner one.
            Repeated::At(level, ..) if level == slots.level => None,
            // Each worker of the outer one needs a slot for each of its own.
            Repeated::At(..) => return,
        };
        body.stms[i].exp = Exp::Mem(MemExp::AllocEach(Slots { most, ..slots.clone() }));
        if movable.can_move(body, i) && self.cx.log.fire("hoist-slots") {
            movable.take(i);
        } else {
            body.stms[i].exp = Exp::Mem(MemExp::AllocEach(slots.clone()));
        }
    }

    /// Whether a block can be on the stack of whoever runs the iteration, which is better.
    fn fits_on_stack(&self, block: Name, bytes: Operand) -> bool {
        let Operand::Const(bytes) = bytes else { return false };
        let is_small = bytes.as_i64().is_some_and(|n| n >= 0 && n.cast_unsigned() <= self.cx.target.stack_bytes);
        is_small && !self.handed.contains(&block) && self.elements.is_one_type(block)
    }

    fn order(&self, block: Name) -> WorkerOrder {
        // Elements of workers can alternate only if all are of one size.
        if self.elements.are_of_one_size(block) { self.cx.target.worker_order } else { WorkerOrder::Outermost }
    }
}

/// The types of the elements in each block.
#[derive(Default)]
struct Elements(FxHashMap<Name, Vec<Prim>>);

impl Elements {
    fn of(fun: &Fun) -> Elements {
        let mut elements = Elements::default();
        elements.fun(fun);
        elements
    }

    fn is_one_type(&self, block: Name) -> bool {
        self.0.get(&block).is_some_and(|prims| prims.len() == 1)
    }

    fn are_of_one_size(&self, block: Name) -> bool {
        self.0.get(&block).is_some_and(|prims| prims.iter().all(|prim| prim.bytes() == prims[0].bytes()))
    }
}

impl Visit for Elements {
    fn param(&mut self, param: &Param) {
        if let (Type::Array(_, prim), Some(place)) = (&param.ty, &param.place) {
            let prims = self.0.entry(place.block).or_default();
            if !prims.contains(prim) {
                prims.push(*prim);
            }
        }
        walk::param(self, param);
    }
}

fn plain(pat: Vec<Param>, exp: Exp, loc: LocId) -> Stm {
    Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}
