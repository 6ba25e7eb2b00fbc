//! Blocks of one body that are not needed at the same time become one.
//!
//! ```text
//! let a_1: mem = alloc host b_2                      let a_1: mem = alloc host b_2
//! let x_3: [n_4]f32 @ a_1 -> … = par …               let x_3: [n_4]f32 @ a_1 -> … = par …
//! let y_5: f32 = par … reduce … x_3 …            →   let y_5: f32 = par … reduce … x_3 …
//! let c_6: mem = alloc host b_2
//! let z_7: [n_4]f32 @ c_6 -> … = par … y_5 …         let z_7: [n_4]f32 @ a_1 -> … = par … y_5 …
//! ```
//!
//! A block is needed from the first to the last statement of its body that mentions it or an array in it. Another whose
//! first mention comes later takes its place if it is not larger: if its size is the same operand or a product of
//! factors that are known by then to be at most those of the other. A block that is yielded or handed on may be needed
//! for ever, so nothing takes its place; and it takes that of another only if the sizes are equal, since what is bigger
//! than its array stays so. Blocks have elements of one type, as before.
//!
//! The pass assumes that blocks are not freed or shared yet: `release` frees what is left of them. It runs twice,
//! before allocations leave loops, so that fewer have to, and behind that, for those that have. Cost: for each body,
//! its blocks times those that are not needed any more; sizes are compared by proof only with the latest of these.

use crate::hoist::Handed;
use crate::release::{Blocks, mentioned};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::facts::Facts;
use kenaz_ir::visit::{Subst, Visit, for_each_body_mut, walk};
use kenaz_ir::{Body, Exp, Fun, Log, LoopForm, MathFn, MemExp, Name, Operand, Param, Pass, PassCx, Prog, Space, Stm};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

pub const PASS: Pass = Pass {
    name: "merge-blocks",
    about: "blocks that are not needed at the same time become one",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: merge,
};

/// The names of its rules.
pub const RULES: &[&str] = &["merge-blocks"];

pub fn merge(prog: &mut Prog, cx: &mut PassCx) {
    let log = &mut cx.log;
    for fun in &mut prog.funs {
        let mut blocks = Blocks::default();
        blocks.fun(fun);
        let mut handed = Handed::default();
        handed.fun(fun);
        let mut elements = Elements::default();
        elements.fun(fun);
        let mut facts = Facts::new();
        facts.enter_fun(fun);
        let products = FxHashMap::default();
        let mut merge = Merge { blocks, handed: handed.0, elements: elements.0, products, facts, log };
        merge.body(&mut fun.body);
    }
}

/// The type of the elements of all arrays in a block; none if there are several.
#[derive(Default)]
struct Elements(FxHashMap<Name, Option<Prim>>);

impl Visit for Elements {
    fn param(&mut self, param: &Param) {
        if let Some(place) = &param.place {
            let known = self.0.entry(place.block).or_insert(param.ty.prim());
            if *known != param.ty.prim() {
                *known = None;
            }
        }
    }

    fn fun(&mut self, fun: &Fun) {
        walk::fun(self, fun);
    }
}

struct Merge<'a> {
    blocks: Blocks,
    handed: FxHashSet<Name>,
    elements: FxHashMap<Name, Option<Prim>>,
    /// The factors of which a size is the product.
    products: FxHashMap<Name, Vec<Operand>>,
    facts: Facts,
    log: &'a mut Log,
}

/// A block that a body allocates.
struct Block {
    name: Name,
    space: Space,
    bytes: Operand,
    /// The first and the last statement that need it.
    first: usize,
    last: usize,
}

impl Merge<'_> {
    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let mark = self.facts.mark();
            for stm in &mut body.stms {
                self.inside(stm);
                self.facts.stm(stm);
                if let (Exp::Math(MathFn::SizeMul, Prim::I64, factors), [param]) = (&stm.exp, &stm.pat[..]) {
                    let all = factors.iter().flat_map(|x| self.factors(*x)).collect();
                    self.products.insert(param.name, all);
                }
            }
            self.facts.reset(mark);
            self.blocks_of(body);
            self.facts.reset(mark);
        });
    }

    /// The bodies inside a statement.
    fn inside(&mut self, stm: &mut Stm) {
        let mark = self.facts.mark();
        match &stm.exp {
            Exp::Loop { params, form, .. } => {
                let params: Vec<&Param> = params.iter().map(|(p, _)| p).collect();
                self.facts.enter_loop(params.iter().copied(), form);
            }
            Exp::Par(par) => {
                for (i, n) in &par.space {
                    let none: [&Param; 0] = [];
                    self.facts.enter_loop(none, &LoopForm::For(*i, Prim::I64, *n));
                }
            }
            _ => {}
        }
        for_each_body_mut(&mut stm.exp, |inner| self.body(inner));
        self.facts.reset(mark);
    }

    /// Merges the blocks that a body allocates itself.
    fn blocks_of(&mut self, body: &mut Body) {
        let mut needed = self.needed(body);
        if needed.len() < 2 {
            return;
        }
        needed.sort_by_key(|block| (block.first, block.name));
        // What a check says is known from there on only: a block must be large enough for what is done before.
        let mut done = 0;
        let mut free: Vec<Block> = Vec::new();
        let mut gone: FxHashMap<Name, Name> = FxHashMap::default();
        for block in needed {
            let before = block.first.min(body.stms.len());
            body.stms[done.min(before)..before].iter().for_each(|stm| self.facts.stm(stm));
            done = done.max(before);
            // The smallest that is large enough cannot be told in general; the one needed most recently is in the
            // cache.
            let is_free = |i: &usize| free[*i].last < block.first && free[*i].space == block.space;
            let mut latest: Vec<usize> = (0..free.len()).filter(is_free).collect();
            latest.sort_unstable_by_key(|i| Reverse((free[*i].last, free[*i].name)));
            let found = self.first_that_takes(&block, latest.iter().map(|i| &free[*i])).map(|at| latest[at]);
            let is_handed = self.handed.contains(&block.name);
            match found {
                Some(i) if self.log.fire("merge-blocks") => {
                    gone.insert(block.name, free[i].name);
                    if is_handed {
                        let old = free.remove(i);
                        self.handed.insert(old.name);
                    } else {
                        free[i].last = block.last;
                    }
                }
                _ if is_handed => {}
                _ => free.push(block),
            }
        }
        if gone.is_empty() {
            return;
        }
        body.stms.retain(|stm| !(stm.pat.len() == 1 && gone.contains_key(&stm.pat[0].name)));
        let subst: Subst = gone.iter().map(|(old, new)| (*old, *new)).collect();
        subst.apply_to_body(body);
        self.blocks.rename(&gone);
    }

    /// The blocks that a body allocates, and when it needs them.
    fn needed(&self, body: &Body) -> Vec<Block> {
        let mut all: FxHashMap<Name, Block> = FxHashMap::default();
        let allocated = |stm: &Stm| match (&stm.exp, &stm.pat[..]) {
            (Exp::Mem(MemExp::Alloc(space, bytes)), [param]) => Some((param.name, *space, *bytes)),
            _ => None,
        };
        if body.stms.iter().filter_map(allocated).count() < 2 {
            return Vec::new();
        }
        for (i, stm) in body.stms.iter().enumerate() {
            if let Some((name, space, bytes)) = allocated(stm) {
                all.insert(name, Block { name, space, bytes, first: usize::MAX, last: i });
            }
            for name in self.blocks.among(mentioned(stm)) {
                if let Some(block) = all.get_mut(&name) {
                    (block.first, block.last) = (block.first.min(i), i);
                }
            }
        }
        let has_mentions = |block: &Block| block.first != usize::MAX || self.handed.contains(&block.name);
        all.into_values().filter(has_mentions).collect()
    }

    /// The first of some blocks where another fits.
    fn first_that_takes<'b>(&self, block: &Block, mut others: impl Iterator<Item = &'b Block>) -> Option<usize> {
        // Sizes that are not the same ask the prover, which takes long where there is no proof.
        const MOST: usize = 16;
        let of = |block: &Block| self.elements.get(&block.name).copied().flatten();
        let mut proofs = if self.handed.contains(&block.name) { 0 } else { MOST };
        others.position(|other| {
            let same_type = of(block).is_some() && of(block) == of(other);
            same_type
                && (block.bytes == other.bytes
                    || proofs > 0 && {
                        proofs -= 1;
                        self.is_at_most(block.bytes, other.bytes)
                    })
        })
    }

    /// Whether a size is at most another, factor by factor.
    fn is_at_most(&self, a: Operand, b: Operand) -> bool {
        let (ours, mut theirs) = (self.factors(a), self.factors(b));
        ours.len() == theirs.len()
            && ours.iter().all(|factor| {
                let same = theirs.iter().position(|other| other == factor);
                let found = same.or_else(|| theirs.iter().position(|other| self.is_le(*factor, *other)));
                found.map(|at| theirs.remove(at)).is_some()
            })
    }

    fn is_le(&self, a: Operand, b: Operand) -> bool {
        match (a, b) {
            (Operand::Const(a), Operand::Const(b)) => a.as_i64() <= b.as_i64(),
            (a, b) => self.facts.proves_le(a, b),
        }
    }

    fn factors(&self, bytes: Operand) -> Vec<Operand> {
        bytes.name().and_then(|name| self.products.get(&name)).cloned().unwrap_or_else(|| vec![bytes])
    }
}
