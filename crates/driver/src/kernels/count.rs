//! How often a kernel reads and writes elements of arrays: all its threads together.
//!
//! A statement runs as often as the product of what is around it says: threads or blocks, lanes and loops. Where
//! threads share the iterations of a loop, every so many or some that follow one another, they and the loop are
//! replaced by these iterations (`Walk::shares`); where blocks share one dimension in parts of equal size but for the
//! last, by that dimension (`Walk::parts`).

use super::{AccessKind, Bound};
use kenaz_base::{Prim, with_stack};
use kenaz_imp::symbolic::{Atom, Instead, Sizes, Values, single};
use kenaz_imp::{Exp, Region, Stm, Ty};
use kenaz_ir::poly::Poly;
use kenaz_ir::{Name, Space};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What is accessed: in which way, which of the parameters (one of several, if it cannot be told), and as what.
pub(super) type Key = (AccessKind, BTreeSet<usize>, Prim);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    pub sum: Poly,
    /// Perhaps it is less.
    pub is_most: bool,
    /// There are more, and nobody knows how many.
    pub has_more: bool,
}

impl Count {
    pub(super) fn bound(&self) -> Bound {
        match (self.has_more, self.is_most) {
            (false, false) => Bound::Exactly,
            (false, true) => Bound::AtMost,
            (true, false) if !self.sum.is_zero() => Bound::AtLeast,
            (true, _) => Bound::Unknown,
        }
    }
}

/// What a region does with its parameters, with values for its parameters and what is around it.
pub(super) fn accesses(region: &Region, sizes: &mut Sizes, values: Values) -> BTreeMap<Key, Count> {
    let mut blocks: FxHashMap<Name, BTreeSet<usize>> = FxHashMap::default();
    for (i, param) in region.params.iter().enumerate() {
        if matches!(param.ty, Ty::Block(Space::Device)) {
            blocks.insert(param.name, BTreeSet::from([i]));
        }
    }
    let mut is_new = true;
    // A variable may be set before and behind another one, and in loops.
    while is_new {
        is_new = false;
        kenaz_imp::visit::for_each_stm(&region.body, &mut |stm| {
            if let Stm::Slot { name, from, .. } | Stm::SetBlock { name, from } | Stm::Share { name, from } = stm
                && let Some(roots) = blocks.get(from).cloned()
            {
                let of_name = blocks.entry(*name).or_default();
                let before = of_name.len();
                of_name.extend(roots);
                is_new |= of_name.len() > before;
            }
        });
    }
    let id = region.ids.first().copied();
    let mut walk = Walk { sizes, values, blocks, id, is_most: false, has_more: false, found: BTreeMap::new() };
    walk.body(&region.body);
    walk.found
}

struct Walk<'a> {
    sizes: &'a mut Sizes,
    values: Values,
    blocks: FxHashMap<Name, BTreeSet<usize>>,
    /// The number of a thread or block.
    id: Option<Name>,
    /// What is around runs at most as often as is said there.
    is_most: bool,
    /// There is something around of which nobody knows how often it runs.
    has_more: bool,
    found: BTreeMap<Key, Count>,
}

impl Walk<'_> {
    fn body(&mut self, stms: &[Stm]) {
        with_stack(|| stms.iter().for_each(|stm| self.stm(stm)));
    }

    /// Does something inside of a statement, and forgets what was around there.
    fn inside(&mut self, f: impl FnOnce(&mut Self)) {
        let (around, instead) = (self.values.around.clone(), self.values.instead.clone());
        let (is_most, has_more) = (self.is_most, self.has_more);
        f(self);
        (self.values.around, self.values.instead) = (around, instead);
        (self.is_most, self.has_more) = (is_most, has_more);
    }

    fn stm(&mut self, stm: &Stm) {
        if !matches!(stm, Stm::While { .. }) {
            stm.for_each_exp(|exp| self.loads(exp));
        }
        match stm {
            Stm::Let { name, prim, value } if prim.is_integer() => {
                let value = self.values.number(self.sizes, value);
                self.values.numbers.insert(*name, value);
            }
            Stm::Declare { name, ty: Ty::Scalar(_) } => drop(self.values.unknown.insert(*name)),
            Stm::Store { block, prim, .. } => self.access(AccessKind::Write, *block, *prim),
            Stm::Race { block, prim, .. } => self.access(AccessKind::Race, *block, *prim),
            Stm::Update { cells, body, .. } => {
                for cell in cells {
                    self.access(AccessKind::Update, cell.block, cell.prim);
                    self.values.unknown.insert(cell.old);
                }
                self.body(body);
            }
            // Another number for each block, of the same ones.
            Stm::Take { number, .. } => {
                self.values.numbers.extend(self.id.map(|id| (*number, Poly::name(id))));
            }
            Stm::Copy { prim, sizes, to, from } => {
                let count = sizes.iter().try_fold(Poly::constant(1), |count, size| {
                    let size = self.values.number(self.sizes, size);
                    count.times(&size)
                });
                self.inside(|walk| match count {
                    Some(count) => {
                        walk.repeated(count);
                        walk.access(AccessKind::Read, from.block, *prim);
                        walk.access(AccessKind::Write, to.block, *prim);
                    }
                    None => walk.has_more = true,
                });
            }
            Stm::For { var, bound, body, .. } => {
                let bound = self.values.number(self.sizes, bound);
                self.inside(|walk| {
                    walk.loops(*var, bound);
                    walk.body(body);
                });
            }
            Stm::Lanes { lane, count, body } => {
                let count = self.values.number(self.sizes, count);
                self.inside(|walk| {
                    walk.values.is_around(walk.sizes, *lane, count);
                    walk.body(body);
                });
            }
            Stm::While { cond, body } => self.inside(|walk| {
                walk.has_more = true;
                walk.loads(cond);
                walk.body(body);
            }),
            Stm::If { yes, no, .. } => self.either(&[yes, no], |walk, body| walk.body(body)),
            Stm::Switch { cases, default, .. } => {
                let bodies: Vec<&Vec<Stm>> = cases.iter().map(|(_, body)| body).chain([default]).collect();
                self.either(&bodies, |walk, body| walk.body(body));
            }
            _ => {}
        }
    }

    fn loads(&mut self, exp: &Exp) {
        with_stack(|| match exp {
            Exp::Select(_, cond, yes, no) => {
                self.loads(cond);
                self.either(&[yes, no], |walk, exp| walk.loads(exp));
            }
            exp => {
                exp.for_each_part(|part| self.loads(part));
                if let Exp::Load { block, prim, .. } = exp {
                    self.access(AccessKind::Read, *block, *prim);
                }
            }
        });
    }

    /// Goes into one of several parts, nobody knows which.
    fn either<T>(&mut self, parts: &[T], f: impl Fn(&mut Self, &T)) {
        let before = std::mem::take(&mut self.found);
        let mut branches = Vec::with_capacity(parts.len());
        for part in parts {
            self.inside(|walk| f(walk, part));
            branches.push(std::mem::take(&mut self.found));
        }
        self.found = before;
        let keys: BTreeSet<Key> = branches.iter().flat_map(|branch| branch.keys().cloned()).collect();
        for key in keys {
            let none = Count { sum: Poly::default(), is_most: false, has_more: false };
            let counts: Vec<&Count> = branches.iter().map(|branch| branch.get(&key).unwrap_or(&none)).collect();
            let most = self.most(&counts);
            self.add(key, most);
        }
    }

    /// What is not less than any of these, as small as possible.
    fn most(&self, counts: &[&Count]) -> Count {
        let mut most = counts[0].clone();
        for count in &counts[1..] {
            if *count == &most {
                continue;
            }
            most.is_most = true;
            most.has_more |= count.has_more;
            if self.sizes.is_at_least(&most.sum, &count.sum) {
                continue;
            }
            if self.sizes.is_at_least(&count.sum, &most.sum) {
                most.sum = count.sum.clone();
                continue;
            }
            match most.sum.plus(&count.sum, 1) {
                Some(sum) => most.sum = sum,
                None => most.has_more = true,
            }
        }
        most
    }

    fn access(&mut self, kind: AccessKind, block: Name, prim: Prim) {
        let Some(roots) = self.blocks.get(&block).cloned() else { return };
        let product = self.values.around.iter().try_fold(Poly::constant(1), |x, (_, range)| x.times(range));
        let count = match product {
            Some(sum) if !self.has_more => Count { sum, is_most: self.is_most, has_more: false },
            _ => Count { sum: Poly::default(), is_most: false, has_more: true },
        };
        self.add((kind, roots, prim), count);
    }

    fn add(&mut self, key: Key, more: Count) {
        let none = Count { sum: Poly::default(), is_most: false, has_more: false };
        let count = self.found.entry(key).or_insert(none);
        count.is_most |= more.is_most;
        count.has_more |= more.has_more;
        match count.sum.plus(&more.sum, 1) {
            Some(sum) => count.sum = sum,
            None => count.has_more = true,
        }
    }

    // Loops

    /// A loop from here on.
    fn loops(&mut self, var: Name, bound: Poly) {
        self.values.varying.insert(var);
        self.sizes.at_least(var, 0);
        let Some(Shares { thread, threads, total }) = self.shares(&bound) else {
            if let Some(name) = self.repeated(bound) {
                self.values.instead.push(Instead { name: var, by: Poly::name(name), without: None });
            }
            return;
        };
        let own: BTreeSet<Name> = thread.names().collect();
        let last = self.values.around.iter().rev().map(|(name, _)| *name).find(|name| own.contains(name));
        self.values.around.retain(|(name, _)| !own.contains(name));
        let point = self.repeated(total);
        // Where each has every so many iterations, `thread + var * threads` is one of them.
        if let (Some(name), Some(point)) = (last, point) {
            let step = Poly::name(var).times(&threads);
            let others = thread.plus(&Poly::name(name), -1);
            let by = step.zip(others).and_then(|(step, others)| Poly::name(point).plus(&step, -1)?.plus(&others, -1));
            self.values.instead.extend(by.map(|by| Instead { name, by, without: Some(var) }));
        }
    }

    /// Something that runs so often from here on, under a name, if it has one.
    fn repeated(&mut self, count: Poly) -> Option<Name> {
        let count = self.sizes.max(count, Poly::default());
        if self.values.is_unknown(self.sizes, &count) {
            self.has_more = true;
            return None;
        }
        if !self.values.varies(self.sizes, &count) {
            return Some(self.values.runs(self.sizes, count));
        }
        if let Some((part, total)) = self.parts(&count) {
            self.values.around.retain(|(name, _)| *name != part);
            self.values.runs(self.sizes, total);
            return None;
        }
        let Some(count) = self.greatest(&count) else {
            self.has_more = true;
            return None;
        };
        self.is_most = true;
        let count = self.sizes.max(count, Poly::default());
        Some(self.values.runs(self.sizes, count))
    }

    /// Whether the bound of a loop is what each of the threads around it has of all iterations: `n / ts`, and one more
    /// for each of the first `n - n / ts * ts`.
    fn shares(&self, bound: &Poly) -> Option<Shares> {
        let (longer, thread, rest) = bound.names().find_map(|name| match self.sizes.atom(name) {
            Some(Atom::Less(thread, rest)) => Some((name, thread, rest)),
            _ => None,
        })?;
        let each = bound.plus(&Poly::name(longer), -1)?;
        let (thread, threads) = self.threads().into_iter().find(|(other, _)| other == thread)?;
        let in_all = each.times(&threads)?;
        let total = rest.plus(&in_all, 1)?;
        let is_quotient = matches!(self.sizes.as_atom(&each), Some(Atom::Quot(n, by)) if *n == total && *by == threads);
        let is_of_all = self.sizes.leaves(&total).is_disjoint(&thread.names().collect());
        (is_of_all && (is_quotient || rest.is_zero())).then_some(Shares { thread, threads, total })
    }

    /// The numbers of threads around here: of what runs, or of a block and a lane, `block * lanes + lane`; each with
    /// how many there are.
    fn threads(&self) -> Vec<(Poly, Poly)> {
        let around = &self.values.around;
        let mut found: Vec<(Poly, Poly)> =
            around.iter().rev().map(|(name, range)| (Poly::name(*name), range.clone())).collect();
        for (lane, lanes) in around {
            for (block, blocks) in around.iter().filter(|(block, _)| block != lane) {
                let thread = Poly::name(*block).times(lanes).and_then(|x| x.plus(&Poly::name(*lane), 1));
                found.extend(thread.zip(blocks.times(lanes)));
            }
        }
        found
    }

    /// `max(min(part, total - i*part), 0)` for all `i` below `ceil(total / part)`: that `i`, and the total.
    fn parts(&self, count: &Poly) -> Option<(Name, Poly)> {
        let Some(Atom::Max(inner, zero)) = self.sizes.as_atom(count) else { return None };
        let Some(Atom::Min(x, y)) = self.sizes.as_atom(inner).filter(|_| zero.is_zero()) else { return None };
        [(x, y), (y, x)].into_iter().find_map(|(part, rest)| {
            self.values.around.iter().find_map(|(name, range)| {
                let total = rest.plus(&part.times(&Poly::name(*name))?, 1)?;
                let (of, by) = self.sizes.rounded_up(single(range)?)?;
                let varies = self.values.varies(self.sizes, &total) || self.values.varies(self.sizes, part);
                (of == total && by == *part && !varies).then_some((*name, total))
            })
        })
    }

    /// The most that a number can be, whatever is around.
    fn greatest(&self, x: &Poly) -> Option<Poly> {
        if !self.values.varies(self.sizes, x) {
            return Some(x.clone());
        }
        match self.sizes.as_atom(x) {
            Some(Atom::Min(x, y)) => return self.greatest(x).or_else(|| self.greatest(y)),
            Some(Atom::Max(x, y)) if y.is_zero() => return self.greatest(x),
            Some(Atom::Less(..)) => return Some(Poly::constant(1)),
            Some(Atom::Rem(_, y)) => return self.greatest(y),
            Some(Atom::Max(..) | Atom::Quot(..)) => return None,
            None => {}
        }
        let mut most = Poly::default();
        for (product, n) in x.terms() {
            let factors: Vec<Poly> = product.iter().map(|name| Poly::name(*name)).collect();
            let varies = factors.iter().any(|x| self.values.varies(self.sizes, x));
            let mut term = Poly::constant(n);
            for factor in &factors {
                if varies && self.sizes.lowest(factor).is_none_or(|n| n < 0) {
                    return None;
                }
                let factor = match self.values.range(factor) {
                    Some(range) if n > 0 => range.plus(&Poly::constant(1), -1)?,
                    _ if !varies => factor.clone(),
                    _ if n < 0 => Poly::default(),
                    _ if self.sizes.as_atom(factor).is_some() => self.greatest(factor)?,
                    _ if !self.values.varies(self.sizes, factor) => factor.clone(),
                    _ => return None,
                };
                term = term.times(&factor)?;
            }
            most = most.plus(&term, 1)?;
        }
        Some(most)
    }
}

/// That threads share the iterations of a loop.
struct Shares {
    /// The number of a thread, and how many there are.
    thread: Poly,
    threads: Poly,
    /// All iterations.
    total: Poly,
}
