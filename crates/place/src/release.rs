//! Blocks get an owner, and are freed after their last use.
//!
//! ```text
//! let m_1: mem = alloc host 80                       let m_1: mem = alloc host 80
//! let x_2: [10]f64 @ m_1 -> … = par (i_3 < 10) …     let x_2: [10]f64 @ m_1 -> … = par (i_3 < 10) …
//! let y_4: f64 = par (i_5 < 10) reduce … x_2 …   →   let y_4: f64 = par (i_5 < 10) reduce … x_2 …
//! in y_4                                             let () = free m_1
//!                                                    in y_4
//! ```
//!
//! See Note \[Ownership\] in [`kenaz_ir::mem`]: whoever binds a block gives it up once. A body that yields a block
//! which it does not own, or yields twice, shares it first; so does the start of a loop unless the block is not used
//! any more. What is not yielded is freed behind the last statement that uses it or an array in it.
//!
//! The pass assumes that nothing is shared or freed yet. Cost: each statement is looked at once for each body around
//! it.

use kenaz_base::with_stack;
use kenaz_ir::visit::{Visit, for_each_body_mut, free_in_body, walk};
use kenaz_ir::{
    Attrs, Body, Exp, Fresh, Fun, Layout, LocId, Locs, MemExp, Name, Operand, Param, Pass, PassCx, Prog, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub const PASS: Pass = Pass {
    name: "release",
    about: "frees blocks after their last use, and shares those with several owners",
    stage: Some(kenaz_ir::Stage::Memory(kenaz_ir::Ownership::Settled)),
    run: release,
};

pub fn release(prog: &mut Prog, _: &mut PassCx) {
    for fun in &mut prog.funs {
        let mut blocks = Blocks::default();
        blocks.fun(fun);
        let mut release = Release { blocks, fresh: &mut prog.fresh };
        release.body(&mut fun.body, &[]);
    }
}

/// Which names are blocks, and in which block arrays lie.
#[derive(Default)]
pub struct Blocks {
    types: FxHashMap<Name, Type>,
    of: FxHashMap<Name, Name>,
    layouts: FxHashMap<Name, Layout>,
}

impl Blocks {
    pub fn is_block(&self, name: Name) -> bool {
        matches!(self.types.get(&name), Some(Type::Mem(_)))
    }

    /// The block that a name stands for or lies in.
    pub fn block(&self, name: Name) -> Option<Name> {
        if self.is_block(name) { Some(name) } else { self.of.get(&name).copied() }
    }

    /// How an array lies in its block.
    pub fn layout(&self, array: Name) -> Option<&Layout> {
        self.layouts.get(&array)
    }

    /// Blocks that have become others.
    pub fn rename(&mut self, gone: &FxHashMap<Name, Name>) {
        for block in self.of.values_mut() {
            *block = gone.get(block).copied().unwrap_or(*block);
        }
    }

    /// The blocks among names and where names lie.
    pub fn among(&self, names: impl IntoIterator<Item = Name>) -> BTreeSet<Name> {
        names.into_iter().filter_map(|name| self.block(name)).collect()
    }
}

impl Visit for Blocks {
    fn param(&mut self, param: &Param) {
        if let Type::Mem(_) = param.ty {
            self.types.insert(param.name, param.ty.clone());
        }
        if let Some(place) = &param.place {
            self.of.insert(param.name, place.block);
            self.layouts.insert(param.name, place.layout.clone());
        }
    }

    fn fun(&mut self, fun: &Fun) {
        walk::fun(self, fun);
    }
}

struct Release<'a> {
    blocks: Blocks,
    fresh: &'a mut Fresh,
}

impl Release<'_> {
    /// A body that owns some blocks from the start.
    fn body(&mut self, body: &mut Body, given: &[Name]) {
        with_stack(|| self.body_here(body, given));
    }

    fn body_here(&mut self, body: &mut Body, given: &[Name]) {
        // The blocks that each statement uses, before anything is inserted.
        let uses: Vec<BTreeSet<Name>> = body.stms.iter().map(|stm| self.blocks.among(mentioned(stm))).collect();
        let mut last: FxHashMap<Name, usize> = FxHashMap::default();
        for (i, used) in uses.iter().enumerate() {
            last.extend(used.iter().map(|block| (*block, i)));
        }
        let mut owned: FxHashSet<Name> = given.iter().copied().collect();
        // The slot of a worker belongs to its block.
        for stm in body.stms.iter().filter(|stm| !matches!(stm.exp, Exp::Mem(MemExp::Slot(_)))) {
            owned.extend(stm.pat.iter().map(|p| p.name).filter(|name| self.blocks.is_block(*name)));
        }
        // What the body gives away at its end.
        let mut end = Vec::new();
        let mut given_up: FxHashSet<Name> = FxHashSet::default();
        let loc = body.stms.last().map_or(Locs::NOWHERE(), |stm| stm.loc);
        for result in &mut body.results {
            let Operand::Var(block) = *result else { continue };
            if self.blocks.is_block(block) && !(owned.contains(&block) && given_up.insert(block)) {
                *result = self.share(block, loc, &mut end).into();
            }
        }

        let mut out = Vec::with_capacity(body.stms.len());
        for (i, mut stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
            if let Exp::Loop { params, body, .. } = &mut stm.exp {
                let inner = self.blocks.among(free_in_body(body));
                for (_, init) in params.iter_mut() {
                    let Operand::Var(block) = *init else { continue };
                    if !self.blocks.is_block(block) {
                        continue;
                    }
                    let is_last = last.get(&block) == Some(&i) && !inner.contains(&block);
                    if !(is_last && owned.contains(&block) && given_up.insert(block)) {
                        *init = self.share(block, stm.loc, &mut out).into();
                    }
                }
                let params: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
                let given: Vec<Name> = params.into_iter().filter(|name| self.blocks.is_block(*name)).collect();
                self.body(body, &given);
            } else {
                for_each_body_mut(&mut stm.exp, |body| self.body(body, &[]));
            }
            let bound = stm.pat.iter().map(|p| p.name).filter(|name| self.blocks.is_block(*name));
            let mut ends: BTreeSet<Name> = uses[i].iter().copied().chain(bound).collect();
            ends.retain(|block| {
                owned.contains(block) && !given_up.contains(block) && last.get(block).is_none_or(|last| *last == i)
            });
            let loc = stm.loc;
            out.push(stm);
            for block in ends {
                given_up.insert(block);
                out.push(plain(Vec::new(), Exp::Mem(MemExp::Free(block)), loc));
            }
        }
        // Blocks that were given and never used.
        let unused: BTreeSet<Name> = given.iter().copied().filter(|block| !given_up.contains(block)).collect();
        out.extend(unused.into_iter().map(|block| plain(Vec::new(), Exp::Mem(MemExp::Free(block)), loc)));
        // Shares come before what is freed at the end may be gone.
        let at = out.iter().rposition(|stm| !matches!(stm.exp, Exp::Mem(MemExp::Free(_)))).map_or(0, |at| at + 1);
        out.splice(at..at, end);
        body.stms = out;
    }

    fn share(&mut self, block: Name, loc: LocId, out: &mut Vec<Stm>) -> Name {
        let name = self.fresh.like(block);
        let ty = self.blocks.types[&block].clone();
        self.blocks.types.insert(name, ty.clone());
        out.push(plain(vec![Param::new(name, ty)], Exp::Mem(MemExp::Share(block)), loc));
        name
    }
}

fn plain(pat: Vec<Param>, exp: Exp, loc: LocId) -> Stm {
    Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}

/// The names that a statement uses, in the bodies inside it, too.
pub fn mentioned(stm: &Stm) -> FxHashSet<Name> {
    struct Names(FxHashSet<Name>);
    impl Visit for Names {
        fn name(&mut self, name: &Name) {
            self.0.insert(*name);
        }
    }
    let mut names = Names(FxHashSet::default());
    names.stm(stm);
    names.0
}
