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
//! factors that are known by then to be at most those of the other. So does one that a map or scan fills, which in each
//! iteration reads of the first block no more than the element in whose place it writes ([`Overwritten`]). A block that
//! is yielded or handed on may be needed for ever, so nothing takes its place; and it takes that of another only if the
//! sizes are equal, since what is bigger than its array stays so. Blocks have elements of one type, or integers of one
//! size, with a sign or without. A block that nothing mentions is not allocated.
//!
//! The pass assumes that blocks are not freed or shared yet: `release` frees what is left of them. It runs twice,
//! before allocations leave loops, so that fewer have to, and behind that, for those that have. Cost: for each body,
//! its blocks times those that are not needed any more; sizes are compared by proof only with the latest of these.

use crate::hoist::Handed;
use crate::release::{Blocks, mentioned};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::facts::Facts;
use kenaz_ir::visit::{Subst, Visit, for_each_body_mut, walk};
use kenaz_ir::{
    Body, Exp, Form, Fun, Layout, Log, LoopForm, MathFn, MemExp, Name, Operand, Par, Param, Pass, PassCx, Prog, Space,
    Stm,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

pub const PASS: Pass = Pass {
    name: "merge-blocks",
    about: "blocks that are not needed at the same time become one",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Open)),
    run: merge,
};

/// The names of its rules.
pub const RULES: &[&str] = &["merge-blocks", "merge-overwritten", "unused-block"];

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
            self.unused(body);
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

    /// Drops the blocks that nobody uses.
    fn unused(&mut self, body: &mut Body) {
        let (elements, handed, log) = (&self.elements, &self.handed, &mut *self.log);
        body.stms.retain(|stm| match (&stm.exp, &stm.pat[..]) {
            (Exp::Mem(MemExp::Alloc(..)), [param]) => {
                let is_used = elements.contains_key(&param.name) || handed.contains(&param.name);
                is_used || !log.fire("unused-block")
            }
            _ => true,
        });
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
            let found = found.map(|i| (i, "merge-blocks")).or_else(|| {
                let stm = body.stms.get(block.first)?;
                let i = free.iter().position(|old| {
                    old.last == block.first
                        && old.space == block.space
                        && old.bytes == block.bytes
                        && self.same_type(old.name, block.name)
                        && Overwritten { old: old.name, new: block.name, gone: &gone, blocks: &self.blocks }.by(stm)
                })?;
                Some((i, "merge-overwritten"))
            });
            let is_handed = self.handed.contains(&block.name);
            match found {
                Some((i, rule)) if self.log.fire(rule) => {
                    gone.insert(block.name, free[i].name);
                    let types = [block.name, free[i].name].map(|name| self.elements.get(&name).copied().flatten());
                    if types[0] != types[1] {
                        self.elements.insert(free[i].name, None);
                    }
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
        let mut proofs = if self.handed.contains(&block.name) { 0 } else { MOST };
        others.position(|other| {
            self.same_type(block.name, other.name)
                && (block.bytes == other.bytes
                    || proofs > 0 && {
                        proofs -= 1;
                        self.is_at_most(block.bytes, other.bytes)
                    })
        })
    }

    /// Whether arrays in two blocks may share one.
    fn same_type(&self, a: Name, b: Name) -> bool {
        let of = |block: Name| self.elements.get(&block).copied().flatten();
        match (of(a), of(b)) {
            (Some(a), Some(b)) => a == b || a.is_integer() && b.is_integer() && a.bytes() == b.bytes(),
            _ => false,
        }
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

/// A block in which a statement finds what it reads, and the block that it fills.
struct Overwritten<'a> {
    old: Name,
    new: Name,
    /// Blocks of the body that have become others.
    gone: &'a FxHashMap<Name, Name>,
    blocks: &'a Blocks,
}

impl Overwritten<'_> {
    /// Whether a statement is a nest of maps that fills one block, of the other reads only the element at the place
    /// where it writes, and mentions both nowhere else.
    fn by(&self, stm: &Stm) -> bool {
        let Exp::Par(par) = &stm.exp else { return false };
        let in_new = |param: &&Param| param.place.as_ref().is_some_and(|place| place.block == self.new);
        let mut results = stm.pat.iter().filter(in_new);
        let (Some(result), None) = (results.next(), results.next()) else { return false };
        let is_old = |param: &Param| param.place.as_ref().is_some_and(|place| self.is_old(place.block));
        let Some(place) = &result.place else { return false };
        !stm.pat.iter().any(is_old) && self.nest(par, &mut Vec::new(), &place.layout)
    }

    fn is_old(&self, block: Name) -> bool {
        self.gone.get(&block).copied().unwrap_or(block) == self.old
    }

    /// The same of the maps in a nest, below so many indices.
    fn nest(&self, par: &Par, indices: &mut Vec<Operand>, whole: &Layout) -> bool {
        // A scan writes behind what it has read, and an operator sees nothing but its operands.
        let lambdas = par.ops.iter().map(|op| &op.lambda.body);
        let others = lambdas.chain(par.post.iter().map(|post| &post.body)).flat_map(|body| &body.stms);
        let is_map = par.forms.iter().all(|form| matches!(form, Form::Own));
        if !is_map || others.into_iter().any(|stm| self.mentions(stm)) {
            return false;
        }
        let depth = indices.len();
        indices.extend(par.space.iter().map(|(i, _)| Operand::from(*i)));
        let is_fine = par.body.stms.iter().all(|stm| {
            let has_new = stm.pat.iter().any(|p| p.place.as_ref().is_some_and(|place| place.block == self.new));
            match &stm.exp {
                Exp::Index(a, at) if self.blocks.block(*a).is_some_and(|block| self.is_old(block)) => {
                    // Of an array that lies as the result does.
                    let is_element = stm.pat.iter().all(|p| !p.ty.is_array());
                    is_element && *at == *indices && self.blocks.layout(*a).is_some_and(|layout| layout == whole)
                }
                Exp::Par(inner) if has_new => with_stack(|| self.nest(inner, indices, whole)),
                _ => !self.mentions(stm),
            }
        });
        indices.truncate(depth);
        is_fine
    }

    fn mentions(&self, stm: &Stm) -> bool {
        self.blocks.among(mentioned(stm)).iter().any(|block| self.is_old(*block) || *block == self.new)
    }
}
