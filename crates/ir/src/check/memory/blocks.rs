//! Which names of blocks may stand for the same block.
//!
//! A *root* is a name that an allocation, a call, a parameter of a function or one of a loop gives to a block. Each
//! name of a block has the set of roots for whose block it may stand. A block that is allocated is no other that has a
//! name at that time; since a root stands for one block at a time, two allocations in different iterations of a loop
//! are kept apart although they have the same root: what is left of the earlier one is in a parameter of the loop,
//! which is a root of its own. Which blocks a parameter may stand for beside itself is said by a relation on roots, the
//! least one that holds for the initial values and is kept by the body. So two buffers that a loop exchanges stay
//! different.
//!
//! The parameters of a function are taken to be different: a function writes only to the places of its unique ones,
//! and who calls it sees to it that nothing else that the function is given is there.

use crate::exp::Exp;
use crate::mem::MemExp;
use crate::name::Name;
use crate::par::Par;
use crate::prog::{Body, Fun, Operand, Param, Stm};
use crate::types::Type;
use kenaz_base::{Symbol, with_stack};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

type Set = Rc<BTreeSet<Name>>;

/// In loops nested more deeply than this the parameters may be any block: going through the body of each loop at least
/// twice would take too long.
const DEEPEST: usize = 6;

#[derive(Default)]
pub(super) struct Blocks {
    sets: FxHashMap<Name, Set>,
    /// For each root the others whose block it may stand for.
    related: FxHashMap<Name, BTreeSet<Name>>,
    /// For another reference to a block, the one it was taken from.
    shared: FxHashMap<Name, Name>,
    /// The roots that names in scope may have.
    roots: Vec<Name>,
    /// How many loops are around the current place.
    depth: usize,
}

/// Where the results of a function that are blocks come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// For each result the parameters whose block it may be.
    results: Vec<Vec<usize>>,
    /// Results that may be the same block.
    same: Vec<(usize, usize)>,
}

impl Summary {
    /// Whether a result is certainly a block of its own, which the function allocates.
    pub(crate) fn is_new(&self, result: usize) -> bool {
        let is_own = self.results.get(result).is_some_and(|params| params.is_empty());
        is_own && !self.same.iter().any(|(i, j)| [*i, *j].contains(&result))
    }
}

impl Blocks {
    pub(super) fn of(fun: &Fun, summaries: &FxHashMap<Symbol, Summary>) -> Blocks {
        let mut blocks = Blocks::default();
        for param in fun.params.iter().filter(|p| is_block(p)) {
            blocks.root(param.name);
        }
        blocks.body(&fun.body, summaries);
        blocks
    }

    /// What callers need to know.
    pub(super) fn summary(&self, fun: &Fun) -> Summary {
        let mut summary = Summary::default();
        for result in &fun.body.results {
            let is_one = |p: &Param| is_block(p) && self.may_be_same(Some(p.name), result.name());
            let params = (0..fun.params.len()).filter(|i| is_one(&fun.params[*i])).collect();
            summary.results.push(params);
        }
        for (i, x) in fun.body.results.iter().enumerate() {
            let others = fun.body.results[..i].iter().enumerate();
            let same = others.filter(|(_, y)| self.may_be_same(x.name(), y.name()));
            summary.same.extend(same.map(|(j, _)| (i, j)));
        }
        summary
    }

    /// Whether two names may stand for the same block.
    pub(super) fn may_be_same(&self, a: Option<Name>, b: Option<Name>) -> bool {
        let sets = a.and_then(|a| self.sets.get(&a)).zip(b.and_then(|b| self.sets.get(&b)));
        let Some((a, b)) = sets else { return false };
        self.meet(a, b)
    }

    /// The roots whose block a name may stand for.
    pub(super) fn all_roots(&self, block: Name) -> BTreeSet<Name> {
        let mut all = BTreeSet::new();
        for root in self.set(block).iter() {
            all.insert(*root);
            all.extend(self.related.get(root).into_iter().flatten());
        }
        all
    }

    /// The name that was first given to the block, of those that certainly stand for the same.
    pub(super) fn first(&self, mut block: Name) -> Name {
        while let Some(from) = self.shared.get(&block) {
            block = *from;
        }
        block
    }

    fn set(&self, block: Name) -> Set {
        self.sets.get(&block).cloned().unwrap_or_default()
    }

    fn of_operand(&self, x: Operand) -> Set {
        x.name().map(|name| self.set(name)).unwrap_or_default()
    }

    fn root(&mut self, name: Name) {
        self.roots.push(name);
        self.sets.insert(name, Rc::new(BTreeSet::from([name])));
    }

    fn are_related(&self, a: Name, b: Name) -> bool {
        a == b || self.related.get(&a).is_some_and(|set| set.contains(&b))
    }

    fn meet(&self, a: &Set, b: &Set) -> bool {
        a.iter().any(|x| b.iter().any(|y| self.are_related(*x, *y)))
    }

    /// Whether that is new.
    fn relate(&mut self, a: Name, b: Name) -> bool {
        if a == b {
            return false;
        }
        self.related.entry(b).or_default().insert(a);
        self.related.entry(a).or_default().insert(b)
    }

    fn body(&mut self, body: &Body, summaries: &FxHashMap<Symbol, Summary>) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm, summaries)));
    }

    fn stm(&mut self, stm: &Stm, summaries: &FxHashMap<Symbol, Summary>) {
        match &stm.exp {
            Exp::Mem(MemExp::Share(block)) | Exp::Operand(Operand::Var(block)) => {
                if let [param] = &stm.pat[..]
                    && is_block(param)
                {
                    let set = self.set(*block);
                    self.sets.insert(param.name, set);
                    self.shared.insert(param.name, *block);
                }
            }
            Exp::If(_, yes, no) => self.branches(&[yes, no], &stm.pat, summaries),
            Exp::Match(_, cases, default) => {
                let bodies: Vec<&Body> = cases.iter().map(|(_, body)| body).chain([default]).collect();
                self.branches(&bodies, &stm.pat, summaries);
            }
            Exp::Loop { params, body, .. } => self.loop_(params, body, &stm.pat, summaries),
            Exp::Par(Par { body, post, .. }) => {
                let outside = self.roots.len();
                self.body(body, summaries);
                if let Some(post) = post {
                    self.body(&post.body, summaries);
                }
                self.roots.truncate(outside);
            }
            Exp::Call(f, args) => self.call(summaries.get(f), args, &stm.pat),
            // Blocks come from nowhere else.
            _ => stm.pat.iter().filter(|p| is_block(p)).for_each(|p| self.root(p.name)),
        }
    }

    fn branches(&mut self, bodies: &[&Body], pat: &[Param], summaries: &FxHashMap<Symbol, Summary>) {
        bodies.iter().for_each(|body| self.body(body, summaries));
        for (i, param) in pat.iter().enumerate().filter(|(_, p)| is_block(p)) {
            let mut all = BTreeSet::new();
            for body in bodies {
                all.extend(body.results.get(i).map(|x| self.of_operand(*x)).unwrap_or_default().iter());
            }
            self.sets.insert(param.name, Rc::new(all));
        }
    }

    fn loop_(
        &mut self,
        params: &[(Param, Operand)],
        body: &Body,
        pat: &[Param],
        summaries: &FxHashMap<Symbol, Summary>,
    ) {
        let outside = self.roots.len();
        let mut values: Vec<Set> = params.iter().map(|(_, init)| self.of_operand(*init)).collect();
        let blocks: Vec<(usize, Name)> =
            params.iter().enumerate().filter(|(_, (p, _))| is_block(p)).map(|(i, (p, _))| (i, p.name)).collect();
        for (_, param) in &blocks {
            self.root(*param);
        }
        let inside = self.roots.len();
        self.relate_values(&blocks, &values, outside);
        self.depth += 1;
        if self.depth > DEEPEST {
            self.relate_all(&blocks, outside);
        }
        // What the body makes of them may be other blocks than the initial ones.
        loop {
            self.roots.truncate(inside);
            self.body(body, summaries);
            values = body.results.iter().map(|x| self.of_operand(*x)).collect();
            if values.len() != params.len() || !self.relate_values(&blocks, &values, outside) {
                break;
            }
        }
        self.depth -= 1;
        // What the body allocates is known outside only by the names of the parameters.
        self.roots.truncate(inside);
        for (param, result) in params.iter().map(|(p, _)| p).zip(pat).filter(|(p, _)| is_block(p)) {
            let set = self.set(param.name);
            self.sets.insert(result.name, set);
        }
    }

    /// Relates the parameters of a loop to everything, so that nothing new can come of its body.
    fn relate_all(&mut self, params: &[(usize, Name)], outside: usize) {
        for (k, (_, param)) in params.iter().enumerate() {
            for at in 0..outside {
                self.relate(*param, self.roots[at]);
            }
            for (_, other) in &params[..k] {
                self.relate(*param, *other);
            }
        }
    }

    /// Relates the parameters of a loop, each with its place, to the roots of their values and to each other; says
    /// whether that is new.
    fn relate_values(&mut self, params: &[(usize, Name)], values: &[Set], outside: usize) -> bool {
        let mut is_new = false;
        for (k, (i, param)) in params.iter().enumerate() {
            for at in 0..outside {
                let root = self.roots[at];
                if values[*i].iter().any(|value| self.are_related(*value, root)) {
                    is_new |= self.relate(*param, root);
                }
            }
            for (j, other) in &params[..k] {
                if self.meet(&values[*i], &values[*j]) {
                    is_new |= self.relate(*param, *other);
                }
            }
        }
        is_new
    }

    fn call(&mut self, summary: Option<&Summary>, args: &[Operand], pat: &[Param]) {
        for (i, param) in pat.iter().enumerate().filter(|(_, p)| is_block(p)) {
            self.root(param.name);
            // Of a function that is not known anything may be yielded.
            let all: Vec<usize> = (0..args.len()).collect();
            let origins = summary.and_then(|s| s.results.get(i)).map_or(&all, |params| params);
            let given = origins.iter().filter_map(|at| args.get(*at)?.name());
            let roots: BTreeSet<Name> = given.flat_map(|name| self.all_roots(name)).collect();
            for root in roots {
                self.relate(param.name, root);
            }
        }
        for (i, j) in summary.iter().flat_map(|s| &s.same) {
            if let (Some(a), Some(b)) = (pat.get(*i), pat.get(*j)) {
                self.relate(a.name, b.name);
            }
        }
    }
}

fn is_block(param: &Param) -> bool {
    matches!(param.ty, Type::Mem(_))
}
