//! `par`: iterations one after the other, each watched if that is asked for.
//!
//! With workers, the iterations of a `par` with a level are taken from several places of its space in turn. What an
//! iteration leaves for a reduction is combined in the order of the space all the same, as compiled code does.

use super::arrays::{all_of, point};
use super::lmad::Cut;
use super::machine::{Array, Item, Items, Machine, only};
use super::race::Access;
use crate::array;
use crate::error::Stop;
use kenaz_ir::{Form, Lambda, OpKind, Operand, Par, ParOp, Stm};
use smallvec::SmallVec;
use std::rc::Rc;

/// What an operator has made of the points so far.
enum So {
    Scalars(SmallVec<[u64; 4]>),
    /// In the places of the results.
    Arrays(Vec<Rc<Array>>),
}

impl Machine<'_> {
    pub(super) fn par(&mut self, stm: &Stm, par: &Par) -> Result<(), Stop> {
        let sizes: SmallVec<[i64; 4]> = par.space.iter().map(|(_, n)| self.i64(*n).max(0)).collect();
        let n = array::count(&sizes)?;
        let mut so_far = self.neutral(stm, par)?;
        let results = self.destinations(stm, par)?;
        let order = self.order(par, n);
        let point_of = |turn: usize| order.as_ref().map_or(turn, |order| order[turn].1);
        let around = (self.worker, std::mem::take(&mut self.slots));
        let watched = self.is_watched(par) && self.heap.races.enter((0..n).map(point_of).collect());
        // What iterations out of order leave for the reductions.
        let mut left: Vec<SmallVec<[u64; 4]>> = vec![SmallVec::new(); order.as_ref().map_or(0, Vec::len)];
        for turn in 0..n {
            let k = point_of(turn);
            if par.level.is_some() {
                self.worker = order.as_ref().map_or(0, |order| order[turn].0);
            }
            if watched {
                self.heap.races.step();
            }
            let indices = point(&sizes, k);
            for ((i, _), value) in par.space.iter().zip(&indices) {
                self.set(*i, *value as u64);
            }
            let mut items = self.body(&par.body)?;
            if order.is_none() {
                self.combine(&par.ops, &mut so_far, &items[..par.operands().min(items.len())])?;
            } else {
                left[k] = items.iter().take(par.operands()).filter_map(bits).collect();
            }
            if let Some(post) = &par.post {
                let scans = par.ops.iter().zip(&so_far).filter(|(op, _)| op.kind == OpKind::Scan);
                let scanned: SmallVec<[u64; 4]> = scans.flat_map(|(_, so)| so.scalars().iter().copied()).collect();
                for (param, bits) in post.params.iter().zip(scanned) {
                    self.set(param.name, bits);
                }
                items = self.body(&post.body)?;
            } else {
                items.drain(..par.operands().min(items.len()));
            }
            self.deliver(&par.forms, &results, &indices, &items)?;
            for slot in std::mem::take(&mut self.slots) {
                self.heap.free(slot)?;
            }
            self.tick()?;
        }
        (self.worker, self.slots) = around;
        if watched {
            self.heap.races.leave();
        }
        for operands in left {
            let items: Items = operands.into_iter().map(Item::Bits).collect();
            self.combine(&par.ops, &mut so_far, &items)?;
        }

        let reduced = par.ops.iter().zip(so_far).filter(|(op, _)| op.kind != OpKind::Scan);
        let mut items = Items::new();
        for (_, so) in reduced {
            match so {
                So::Scalars(bits) => items.extend(bits.into_iter().map(Item::Bits)),
                So::Arrays(arrays) => items.extend(arrays.into_iter().map(Item::Array)),
            }
        }
        items.extend(results.into_iter().map(Item::Array));
        self.bind_all(stm.pat.iter(), items)
    }

    /// In which order the iterations run, each with the number of its worker, if not in that of the space.
    fn order(&self, par: &Par, n: usize) -> Option<Vec<(usize, usize)>> {
        let workers = self.options.workers.min(n);
        let can_wait = par.ops.iter().all(|op| op.kind != OpKind::Scan && op.shape.is_empty());
        if workers < 2 || par.level.is_none() || !can_wait {
            return None;
        }
        let chunk = n.div_ceil(workers);
        let turn = |k: usize| (0..workers).rev().map(move |worker| (worker, worker * chunk + k));
        let mine =
            |(worker, point): (usize, usize)| (point < n && point < (worker + 1) * chunk).then_some((worker, point));
        Some((0..chunk).flat_map(turn).filter_map(mine).collect())
    }

    /// The neutral elements, where results are arrays in their places.
    fn neutral(&mut self, stm: &Stm, par: &Par) -> Result<Vec<So>, Stop> {
        let mut pat = &stm.pat[..];
        let mut out = Vec::with_capacity(par.ops.len());
        for op in &par.ops {
            if op.shape.is_empty() {
                out.push(So::Scalars(op.neutral.iter().map(|x| self.bits(*x)).collect()));
            } else if op.kind == OpKind::Scan {
                return Err(Stop::fault("a scan over arrays, of which there are none in a `par`"));
            } else {
                let mut arrays = Vec::new();
                for (param, x) in pat.iter().zip(&op.neutral) {
                    let array = self.fresh(param)?;
                    let x = self.item(*x)?;
                    self.put(&x, (array.label, &array.elements()), array.cell(), Access::Write)?;
                    arrays.push(array);
                }
                out.push(So::Arrays(arrays));
            }
            if op.kind != OpKind::Scan {
                pat = pat.get(op.neutral.len()..).unwrap_or(&[]);
            }
        }
        Ok(out)
    }

    /// Where the results of the forms are.
    fn destinations(&mut self, stm: &Stm, par: &Par) -> Result<Vec<Rc<Array>>, Stop> {
        let mut pat = stm.pat.get(par.reduced()..).unwrap_or(&[]);
        let mut out = Vec::new();
        for form in &par.forms {
            match form {
                Form::Own | Form::Tile(_) => out.push(self.fresh(only(pat)?)?),
                Form::Write { dest, .. } => out.push(self.array(*dest)?),
                Form::Acc { dests, .. } => {
                    for dest in dests {
                        out.push(self.array(*dest)?);
                    }
                }
            }
            pat = pat.get(form.results()..).unwrap_or(&[]);
        }
        Ok(out)
    }

    /// Combines what the operators have so far with what a point yields.
    fn combine(&mut self, ops: &[ParOp], so_far: &mut [So], mut items: &[Item]) -> Result<(), Stop> {
        for (op, so) in ops.iter().zip(so_far) {
            let (mine, rest) = items.split_at(op.neutral.len().min(items.len()));
            items = rest;
            match so {
                So::Scalars(old) => {
                    let args: SmallVec<[u64; 8]> = old.iter().copied().chain(mine.iter().filter_map(bits)).collect();
                    *old = self.apply(&op.lambda, args.into_iter())?;
                }
                So::Arrays(arrays) => {
                    let shape = self.sizes(&op.shape);
                    self.combine_elements(&op.lambda, &shape, &arrays.clone(), &[], mine)?;
                }
            }
        }
        Ok(())
    }

    /// The same element by element, with rows of this shape at an index of arrays, in their places.
    fn combine_elements(
        &mut self,
        op: &Lambda,
        shape: &[i64],
        so_far: &[Rc<Array>],
        at: &[i64],
        items: &[Item],
    ) -> Result<(), Stop> {
        for k in 0..array::count(shape)? {
            let inner = point(shape, k);
            let index: SmallVec<[i64; 4]> = at.iter().chain(&inner).copied().collect();
            let mut args: SmallVec<[u64; 8]> = SmallVec::new();
            for array in so_far {
                args.push(self.reduced_element(array, &index)?);
            }
            for item in items {
                match item {
                    Item::Bits(bits) => args.push(*bits),
                    Item::Array(array) => {
                        let at = array.layout.at(&inner).ok_or_else(super::arrays::out_of_bounds)?;
                        args.push(self.heap.load(array.label, array.cell(), at)?);
                    }
                }
            }
            let combined = self.apply(op, args.into_iter())?;
            for (array, bits) in so_far.iter().zip(combined) {
                self.put_at(array, &index, &Item::Bits(bits), Access::Shared)?;
            }
        }
        Ok(())
    }

    /// An element that is about to be changed: how that is made safe is not the program's business.
    fn reduced_element(&mut self, array: &Array, index: &[i64]) -> Result<u64, Stop> {
        let at = array.layout.at(index).ok_or_else(super::arrays::out_of_bounds)?;
        self.heap.load_unwatched(array.label, array.cell(), at)
    }

    /// What becomes of the values of a point.
    fn deliver(&mut self, forms: &[Form], results: &[Rc<Array>], indices: &[i64], items: &[Item]) -> Result<(), Stop> {
        let (mut results, mut items) = (results, items);
        for form in forms {
            if items.len() < form.operands() || results.len() < form.results() {
                return Err(Stop::fault("a `par` whose body yields too few values"));
            }
            let (mine, others) = items.split_at(form.operands());
            let (dests, rest) = results.split_at(form.results());
            (items, results) = (others, rest);
            match form {
                Form::Own => self.put_at(&dests[0], indices, &mine[0], Access::Write)?,
                Form::Tile(sizes) => self.put_tile(&dests[0], sizes, indices, &mine[0])?,
                Form::Write { rank, .. } => {
                    let at: SmallVec<[i64; 4]> = mine[..*rank].iter().filter_map(bits).map(|i| i as i64).collect();
                    if dests[0].layout.at(&at).is_some() {
                        self.put_at(&dests[0], &at, &mine[*rank], Access::Shared)?;
                    }
                }
                Form::Acc { rank, op, .. } => {
                    let at: SmallVec<[i64; 4]> = mine[..*rank].iter().filter_map(bits).map(|i| i as i64).collect();
                    if dests.iter().any(|dest| dest.layout.at(&at).is_none()) {
                        continue;
                    }
                    let shape = dests.first().map(|dest| dest.layout.shape()[*rank..].to_vec()).unwrap_or_default();
                    self.combine_elements(op, &shape, dests, &at, &mine[*rank..])?;
                }
            }
        }
        Ok(())
    }

    fn put_tile(&mut self, dest: &Array, sizes: &[Operand], indices: &[i64], item: &Item) -> Result<(), Stop> {
        let mut cuts = all_of(&dest.layout.shape());
        for ((cut, i), len) in cuts.iter_mut().zip(indices).zip(self.sizes(sizes)) {
            *cut = Cut::Range { start: i * len, len, stride: 1 };
        }
        let part = dest.layout.slice(&cuts).ok_or_else(super::arrays::out_of_bounds)?;
        self.put(item, (dest.label, &part), dest.cell(), Access::Write)
    }
}

impl So {
    fn scalars(&self) -> &[u64] {
        match self {
            So::Scalars(bits) => bits,
            So::Arrays(_) => &[],
        }
    }
}

fn bits(item: &Item) -> Option<u64> {
    match item {
        Item::Bits(bits) => Some(*bits),
        Item::Array(_) => None,
    }
}
