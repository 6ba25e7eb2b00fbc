//! That the iterations of a `par` keep apart (design.md §6), and each writes its slots last.
//!
//! What an iteration accesses is in a block of its own, or inside its slot of a result; slots are different because no
//! two elements of a result are at one address. Everything else that it reads lies outside all results. Everything else
//! that it writes lies outside all results and outside all that iterations use of what is bound outside, so that one
//! after the other they may use the same memory; and where they may run at the same time, such accesses of different
//! iterations are pairwise apart.

use super::super::{Checked, Rule};
use super::Walk;
use super::overlap::{Frame, Region};
use crate::exp::LoopForm;
use crate::layout::{DimRange, Layout};
use crate::mem::Place;
use crate::name::Name;
use crate::par::{Form, Level, Par};
use crate::poly::Poly;
use crate::prog::{Operand, Param};
use kenaz_base::Prim;
use rustc_hash::FxHashMap;

/// What the body of a `par` must keep in mind.
pub(super) struct Iteration {
    level: Option<Level>,
    space: Vec<(Name, Operand)>,
    /// How many names were bound before it.
    start: usize,
    dests: Vec<Dest>,
    /// The arrays bound outside that it uses.
    outside: Vec<Name>,
    /// Where it reads or writes outside its slots and blocks.
    loose: Vec<Access>,
}

/// A result.
#[derive(Clone)]
struct Dest {
    name: Name,
    whole: Region,
    /// The part of an iteration. Without it all iterations write everywhere, in a way that is not the body's.
    slot: Option<Layout>,
}

#[derive(Clone)]
struct Access {
    region: Region,
    is_write: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn par(&mut self, par: &'a Par, pat: &[Param]) -> Checked {
        self.plan(par, pat)?;
        let dests = self.dests(par, pat)?;
        for (k, dest) in dests.iter().enumerate().filter_map(|(k, dest)| Some((k, dest.as_ref()?))) {
            for other in dests[..k].iter().flatten() {
                self.ensure(self.apart(&dest.whole, &other.whole), Rule::Race, || {
                    format!("the results `{}` and `{}` may overlap", other.name, dest.name)
                })?;
            }
        }
        let bodies: Vec<_> =
            [Some(&par.body), par.post.as_ref().map(|post| &post.body)].into_iter().flatten().collect();
        let mut frame = Frame::of(&bodies, &self.placed);
        frame.iteration = Some(Iteration {
            level: par.level,
            space: par.space.clone(),
            start: self.order.len(),
            dests: dests.iter().flatten().cloned().collect(),
            outside: frame.used_if(|name| self.arrays.contains_key(&name)),
            loose: Vec::new(),
        });
        let mark = self.facts.mark();
        // The results are there while it runs, so their sizes are not negative.
        self.facts.bind(pat.iter().filter(|param| param.ty.is_array()));
        for (i, n) in &par.space {
            self.note(*i);
            self.bounds.insert(*i, *n);
            self.facts.enter_loop(&[], &LoopForm::For(*i, Prim::I64, *n));
        }
        self.frames.push(frame);
        self.stms(&par.body)?;
        let (operands, _) = par.body.results.split_at(par.operands().min(par.body.results.len()));
        for name in operands.iter().filter_map(|x| x.name()) {
            self.read_array(name)?;
        }
        if let Some(post) = &par.post {
            if let Some(frame) = self.frames.last_mut() {
                frame.advance();
            }
            self.facts.bind(&post.params);
            self.bind(&post.params)?;
            self.stms(&post.body)?;
        }
        self.yields(par, &dests)?;
        let iteration = self.frames.pop().and_then(|frame| frame.iteration);
        if let Some(iteration) = iteration.filter(|iteration| iteration.level.is_some()) {
            self.keep_apart(&iteration)?;
        }
        self.facts.reset(mark);
        Ok(())
    }

    /// The results that are arrays, each with what an iteration has of it; checks that the `par` may write there.
    fn dests(&mut self, par: &Par, pat: &[Param]) -> Checked<Vec<Option<Dest>>> {
        let mut dests = Vec::with_capacity(pat.len());
        let mut params = pat.iter();
        for param in params.by_ref().take(par.reduced()) {
            dests.push(self.new_dest(param, |_| None)?);
        }
        let space: Option<Vec<Poly>> = par.space.iter().map(|(i, _)| Some(Poly::name(*i))).collect();
        for form in &par.forms {
            match form {
                Form::Own => {
                    let Some(param) = params.next() else { break };
                    dests.push(self.new_dest(param, |layout| layout.index(space.as_ref()?))?);
                }
                Form::Tile(tile) => {
                    let Some(param) = params.next() else { break };
                    dests.push(self.new_dest(param, |layout| tile_slot(layout, &par.space, tile))?);
                }
                Form::Write { dest, .. } => dests.push(self.old_dest(*dest, params.next())?),
                Form::Acc { dests: olds, .. } => {
                    for old in olds {
                        dests.push(self.old_dest(*old, params.next())?);
                    }
                }
            }
        }
        Ok(dests)
    }

    fn new_dest(&mut self, param: &Param, slot: impl FnOnce(&Layout) -> Option<Layout>) -> Checked<Option<Dest>> {
        let (Some(place), Some(whole)) = (&param.place, self.new_region(param)) else { return Ok(None) };
        self.injective(&whole)?;
        self.write(&whole, None)?;
        Ok(Some(Dest { name: param.name, slot: slot(&place.layout), whole }))
    }

    /// A destination that is consumed.
    fn old_dest(&mut self, dest: Name, param: Option<&Param>) -> Checked<Option<Dest>> {
        let (Some(old), Some(param)) = (self.array(dest).cloned(), param) else { return Ok(None) };
        let is_there = param.place.as_ref().is_some_and(|place| self.is_same(&old.place, place));
        self.ensure(is_there, Rule::DerivedPlace, || {
            format!("`{}` is not where its destination `{dest}` is, `{}`", param.name, old.place)
        })?;
        let whole = Region::of(&old);
        self.injective_array(dest)?;
        self.write(&whole, Some(&old.place))?;
        Ok(Some(Dest { name: param.name, slot: None, whole }))
    }

    /// What an iteration yields goes to its slots; see Note \[Built in place\].
    fn yields(&mut self, par: &'a Par, dests: &[Option<Dest>]) -> Checked {
        let (body, from) = par.yields();
        let mut values = body.results.get(from..).unwrap_or_default().iter();
        // Each value with its destination, if it goes to a slot.
        let mut pairs: Vec<(Operand, Option<&Dest>)> = Vec::new();
        let mut next = dests[par.reduced().min(dests.len())..].iter();
        for form in &par.forms {
            match form {
                Form::Own | Form::Tile(_) => {
                    let dest = next.next().and_then(|dest| dest.as_ref());
                    pairs.extend(values.next().map(|x| (*x, dest)));
                }
                Form::Write { .. } | Form::Acc { .. } => {
                    next.by_ref().take(form.results()).for_each(drop);
                    pairs.extend(values.by_ref().take(form.operands()).map(|x| (*x, None)));
                }
            }
        }
        // What is not in its slot already is read, and then written there.
        let is_there = |x: &Operand, dest: &Option<&Dest>| {
            let (Some(array), Some(dest)) = (self.array_of(*x), dest) else { return false };
            let place = |slot: &Layout| Place { block: dest.whole.block, layout: slot.clone() };
            dest.slot.as_ref().is_some_and(|slot| self.is_same(&array.place, &place(slot)))
        };
        let moved: Vec<(Operand, Option<&Dest>)> = pairs.into_iter().filter(|(x, dest)| !is_there(x, dest)).collect();
        for name in moved.iter().filter_map(|(x, _)| x.name()) {
            self.read_array(name)?;
            for (_, dest) in &moved {
                let Some(dest) = dest else { continue };
                self.moves(name, &dest.whole.clone().part(dest.slot.clone()))?;
            }
        }
        Ok(())
    }

    // Accesses

    /// Whether a block is certainly allocated in the iteration itself.
    fn is_own(&self, iteration: &Iteration, block: Name) -> bool {
        // What has no number yet is bound later in the iteration: nothing behind it can stand for what it allocates.
        let is_inside = |root: &Name| self.order.get(root).is_none_or(|at| *at >= iteration.start);
        self.blocks.all_roots(block).iter().all(is_inside)
    }

    /// Whether a region is certainly in the slots of the iteration.
    fn is_in_slot(&self, iteration: &Iteration, region: &Region) -> bool {
        let mut slots = iteration.dests.iter().filter_map(|dest| Some((dest, dest.slot.as_ref()?)));
        slots.any(|(dest, slot)| {
            self.blocks.first(dest.whole.block) == self.blocks.first(region.block)
                && self.is_within(region, slot, dest.whole.prim)
        })
    }

    /// Whether a region has certainly nothing of what other iterations have of the results.
    fn is_outside(&self, dest: &Dest, region: &Region) -> bool {
        let in_slot = |slot: &Layout| self.is_within(region, slot, dest.whole.prim);
        self.apart(region, &dest.whole) || dest.slot.as_ref().is_some_and(in_slot)
    }

    /// Whether reads of a block can be of what other iterations write.
    pub(super) fn concerns_iterations(&self, block: Name) -> bool {
        let mut dests = self.frames.iter().filter_map(|frame| frame.iteration.as_ref()).flat_map(|i| &i.dests);
        dests.any(|dest| self.blocks.may_be_same(Some(dest.whole.block), Some(block)))
    }

    pub(super) fn read(&mut self, region: &Region) -> Checked {
        for at in (0..self.frames.len()).rev() {
            let Some(iteration) = &self.frames[at].iteration else { continue };
            if self.is_own(iteration, region.block) {
                return Ok(());
            }
            if self.is_in_slot(iteration, region) {
                continue;
            }
            if let Some(dest) = iteration.dests.iter().find(|dest| !self.is_outside(dest, region)) {
                let message = format!(
                    "an iteration reads `{} -> {}`, which others may write: part of `{}`",
                    region.block, region.layouts[0], dest.name
                );
                return self.fail(Rule::Race, message);
            }
            self.is_loose(at, region, false);
        }
        Ok(())
    }

    /// Checks a write in the iteration of a frame; says whether nothing outside can be concerned.
    pub(super) fn write_in_iteration(&mut self, at: usize, region: &Region) -> Checked<bool> {
        let Some(iteration) = &self.frames[at].iteration else { return Ok(false) };
        // That nothing else is in the results was checked for the `par` as a whole.
        if self.is_own(iteration, region.block) || self.is_in_slot(iteration, region) {
            return Ok(true);
        }
        let (block, layout) = (region.block, &region.layouts[0]);
        if let Some(dest) = iteration.dests.iter().find(|dest| !self.is_outside(dest, region)) {
            let message = format!(
                "an iteration writes to `{block} -> {layout}`, perhaps to the part of another of `{}`",
                dest.name
            );
            return self.fail(Rule::Race, message);
        }
        let is_apart = |name: &&Name| self.region(**name).is_some_and(|other| !self.apart(region, &other));
        if let Some(name) = iteration.outside.iter().find(is_apart) {
            let message = format!("an iteration writes to `{block} -> {layout}`, where others may use `{name}`");
            return self.fail(Rule::Race, message);
        }
        self.is_loose(at, region, true);
        Ok(false)
    }

    fn is_loose(&mut self, at: usize, region: &Region, is_write: bool) {
        let iteration = self.frames[at].iteration.as_mut();
        if let Some(iteration) = iteration.filter(|iteration| iteration.level.is_some()) {
            iteration.loose.push(Access { region: region.clone(), is_write });
        }
    }

    /// Checks that what different iterations do outside their slots is apart.
    fn keep_apart(&mut self, iteration: &Iteration) -> Checked {
        let loose = &iteration.loose;
        for (i, write) in loose.iter().enumerate().filter(|(_, access)| access.is_write) {
            // Two writes once in each order would be the same question.
            let others = loose.iter().enumerate().filter(|(j, other)| !other.is_write || *j >= i);
            for (_, other) in others {
                let is_apart = self.are_apart_across(iteration, &write.region, &other.region);
                self.ensure(is_apart, Rule::Race, || {
                    format!(
                        "an iteration writes to `{} -> {}`, and another may access `{} -> {}` at the same time",
                        write.region.block, write.region.layouts[0], other.region.block, other.region.layouts[0]
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Whether two regions have certainly no address in common when they are of different iterations.
    fn are_apart_across(&mut self, iteration: &Iteration, a: &Region, b: &Region) -> bool {
        if !self.blocks.may_be_same(Some(a.block), Some(b.block)) {
            return true;
        }
        let (a, b) = (self.normalised(a), self.normalised(b));
        let mut inside: Vec<Name> = a.layouts.iter().chain(&b.layouts).flat_map(Layout::names).collect();
        inside.sort_unstable();
        inside.dedup();
        inside.retain(|name| self.order.get(name).is_some_and(|at| *at >= iteration.start));
        // The first dimension in which they differ, and which of the two is less.
        for k in 0..iteration.space.len() {
            let same = &iteration.space[..k];
            let moving: Vec<Name> =
                inside.iter().copied().filter(|name| !same.iter().any(|(i, _)| i == name)).collect();
            let other: FxHashMap<Name, Name> = moving.iter().map(|name| (*name, self.fresh.like(*name))).collect();
            let (index, _) = iteration.space[k];
            let renamed = self.renamed(&b, &other);
            let Some(other_index) = other.get(&index).copied() else {
                // They do not depend on what is different, but perhaps on what follows from it.
                if !self.apart(&a, &renamed) {
                    return false;
                }
                continue;
            };
            for (less, more) in [(index, other_index), (other_index, index)] {
                let mark = self.facts.mark();
                self.enter_indices(iteration, &inside, &FxHashMap::default());
                self.enter_indices(iteration, &moving, &other);
                self.facts.enter_loop(&[], &LoopForm::For(less, Prim::I64, more.into()));
                let is_apart = self.apart(&a, &renamed);
                self.facts.reset(mark);
                if !is_apart {
                    return false;
                }
            }
        }
        true
    }

    /// The bounds of indices, for those of the iteration itself or for what they are called in another.
    fn enter_indices(&mut self, iteration: &Iteration, names: &[Name], other: &FxHashMap<Name, Name>) {
        for name in names {
            let Some(bound) = self.bounds.get(name).copied() else { continue };
            let varies = |name: Name| self.order.get(&name).is_none_or(|at| *at >= iteration.start);
            let bound = match bound.name() {
                // What the bound is in the other iteration has no name.
                Some(n) if !other.is_empty() && varies(n) && !other.contains_key(&n) => continue,
                Some(n) => other.get(&n).copied().unwrap_or(n).into(),
                None => bound,
            };
            let index = other.get(name).copied().unwrap_or(*name);
            self.facts.enter_loop(&[], &LoopForm::For(index, Prim::I64, bound));
        }
    }

    fn normalised(&self, region: &Region) -> Region {
        let normal = |layout: &Layout| layout.map(&mut |poly| Some(self.facts.normal(poly)));
        let layouts = region.layouts.iter().map(|layout| normal(layout).unwrap_or_else(|| layout.clone()));
        Region { layouts: layouts.collect(), lent: None, ..*region }
    }

    fn renamed(&self, region: &Region, names: &FxHashMap<Name, Name>) -> Region {
        let get = |name: Name| names.get(&name).map(|name| Poly::name(*name));
        let renamed = |layout: &Layout| layout.map(&mut |poly| Some(poly.replace(get).unwrap_or_else(|| poly.clone())));
        // A layout that cannot be renamed says nothing.
        Region { layouts: region.layouts.iter().filter_map(renamed).collect(), lent: None, ..*region }
    }
}

/// The tile of an iteration.
fn tile_slot(layout: &Layout, space: &[(Name, Operand)], tile: &[Operand]) -> Option<Layout> {
    let one = Poly::constant(1);
    let mut ranges = Vec::with_capacity(layout.rank());
    for ((i, _), t) in space.iter().zip(tile) {
        let len = Poly::operand(*t)?;
        ranges.push(DimRange::Range { start: Poly::name(*i).times(&len)?, len, stride: one.clone() });
    }
    for dim in layout.dims.get(ranges.len()..)? {
        ranges.push(DimRange::Range { start: Poly::default(), len: dim.size()?, stride: one.clone() });
    }
    layout.slice(&ranges)
}
