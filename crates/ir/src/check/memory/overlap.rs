//! What statements read and write, and that nothing is overwritten that is needed later.

use super::super::{Checked, Rule};
use super::place::{polys, ranges, substituted};
use super::race::Iteration;
use super::{Array, Walk};
use crate::effects;
use crate::exp::{DimSlice, Exp, LoopForm};
use crate::layout::{Dim, DimRange, Layout, disjoint};
use crate::mem::Place;
use crate::name::Name;
use crate::par::Form;
use crate::poly::Poly;
use crate::prog::{Body, Operand, Param, Stm};
use crate::types::Type;
use crate::visit::{for_each_body, for_each_use, has_bodies};
use kenaz_base::{Prim, Symbol, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A body that is running, or two of which the second sees the names of the first.
pub(super) struct Frame<'a> {
    /// The statements; none stands for the results of a body.
    items: Vec<Option<&'a Stm>>,
    /// For each array the items that use it, in order.
    uses: BTreeMap<Name, Vec<usize>>,
    /// The arrays that are bound, by items before the current one if by any, and used after it.
    live: BTreeSet<Name>,
    /// For each item the arrays that it uses last.
    ends: Vec<Vec<Name>>,
    /// The item that is running.
    at: usize,
    /// Arrays bound outside that are needed as long as the body runs.
    pub always: Vec<Name>,
    /// For the body of a `par`.
    pub iteration: Option<Iteration>,
}

impl<'a> Frame<'a> {
    /// For bodies in which these are the arrays.
    pub(super) fn of(bodies: &[&'a Body], arrays: &FxHashSet<Name>) -> Frame<'a> {
        let mut frame = Frame {
            items: Vec::new(),
            uses: BTreeMap::new(),
            live: BTreeSet::new(),
            ends: Vec::new(),
            at: 0,
            always: Vec::new(),
            iteration: None,
        };
        for body in bodies {
            for stm in &body.stms {
                let at = frame.items.len();
                for_each_use(&stm.exp, |name| frame.used(name, at, arrays));
                frame.items.push(Some(stm));
            }
            let at = frame.items.len();
            body.results.iter().filter_map(|x| x.name()).for_each(|name| frame.used(name, at, arrays));
            frame.items.push(None);
        }
        frame.ends = vec![Vec::new(); frame.items.len()];
        let bound: FxHashSet<Name> = frame.items.iter().flatten().flat_map(|stm| &stm.pat).map(|p| p.name).collect();
        for (name, uses) in &frame.uses {
            let last = uses.last().copied().unwrap_or(0);
            frame.ends[last].push(*name);
            if last > 0 && !bound.contains(name) {
                frame.live.insert(*name);
            }
        }
        frame
    }

    /// Goes on to the next item.
    pub(super) fn advance(&mut self) {
        let pat = self.items.get(self.at).copied().flatten().map_or(&[][..], |stm| &stm.pat);
        self.live.extend(pat.iter().map(|p| p.name).filter(|name| self.uses.contains_key(name)));
        self.at += 1;
        for name in self.ends.get(self.at).into_iter().flatten() {
            self.live.remove(name);
        }
    }

    fn used(&mut self, name: Name, at: usize, arrays: &FxHashSet<Name>) {
        if !arrays.contains(&name) {
            return;
        }
        let uses = self.uses.entry(name).or_default();
        if uses.last() != Some(&at) {
            uses.push(at);
        }
    }

    /// The names used in it for which something holds.
    pub(super) fn used_if(&self, holds: impl Fn(Name) -> bool) -> Vec<Name> {
        self.uses.keys().copied().filter(|name| holds(*name)).collect()
    }

    /// Says that the body may run again: what of outside it uses it needs always.
    pub(super) fn repeats(&mut self, is_outside: impl Fn(Name) -> bool) {
        self.always = self.used_if(is_outside);
    }

    /// The items after the current one that use a name.
    fn later(&self, name: Name) -> &[usize] {
        let uses = self.uses.get(&name).map_or(&[][..], |uses| uses);
        &uses[uses.partition_point(|at| *at <= self.at)..]
    }

    /// Names that are used after the current statement.
    fn needed(&self) -> impl Iterator<Item = Name> {
        self.live.iter().chain(&self.always).copied()
    }

    /// The type of a name that the body binds.
    fn type_of(&self, name: Name) -> Option<&'a Type> {
        let params = self.items.iter().flatten().flat_map(|stm| &stm.pat);
        params.filter(|p| p.name == name).map(|p| &p.ty).next()
    }
}

/// Addresses in a block: those of which are known that they are in each of the layouts.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub block: Name,
    pub prim: Prim,
    pub layouts: Vec<Layout>,
    /// The result of a call in which it lies.
    pub lent: Option<Name>,
}

/// Where the result of a call is if it is in a block that was there before: inside the arrays that the function was
/// given, since all that a function has in the blocks of its parameters is inside its parameters.
#[derive(Debug)]
pub(super) struct Lent {
    args: Vec<Region>,
    /// How many names were bound before the call.
    since: usize,
}

impl Region {
    pub(super) fn of(array: &Array) -> Region {
        Region {
            block: array.place.block,
            prim: array.prim,
            layouts: vec![array.place.layout.clone()],
            lent: array.lent,
        }
    }

    /// A part of it, if that is a layout.
    pub(super) fn part(mut self, layout: Option<Layout>) -> Region {
        if let Some(layout) = layout {
            self.layouts.insert(0, layout);
        }
        self
    }

    fn layout(&self) -> &Layout {
        &self.layouts[0]
    }
}

/// A part of an array that a statement copies to, and what it copies.
struct Copied {
    from: Option<Name>,
    to: Region,
    /// Exactly where it goes, if that is a layout.
    slot: Option<Layout>,
}

impl Copied {
    fn new(from: Option<Name>, whole: &Region, slot: Option<Layout>) -> Copied {
        Copied { from, to: whole.clone().part(slot.clone()), slot }
    }
}

impl<'a> Walk<'a> {
    // Questions

    /// Whether two regions have certainly no address in common.
    pub(super) fn apart(&self, a: &Region, b: &Region) -> bool {
        self.are_layouts_apart(a, b) || self.is_lent_apart(a, b) || self.is_lent_apart(b, a)
    }

    fn are_layouts_apart(&self, a: &Region, b: &Region) -> bool {
        if !self.blocks.may_be_same(Some(a.block), Some(b.block)) {
            return true;
        }
        let (m, n) = (bytes(a.prim), bytes(b.prim));
        let proved = |x: &Layout, y: &Layout| {
            if m == n {
                return disjoint(x, y, &self.facts).is_proved();
            }
            let both = in_bytes(x, m).zip(in_bytes(y, n));
            both.is_some_and(|(x, y)| disjoint(&x, &y, &self.facts).is_proved())
        };
        a.layouts.iter().any(|x| b.layouts.iter().any(|y| proved(x, y)))
    }

    /// Whether a region in the result of a call has certainly no address in common with another, because that is in a
    /// block that was there before the call, but not where the function's arguments are.
    fn is_lent_apart(&self, a: &Region, b: &Region) -> bool {
        let (Some(first), Some(bound)) = (a.lent, self.order.get(&b.block)) else { return false };
        let (mut todo, mut seen) = (vec![first], FxHashSet::from_iter([first]));
        while let Some(result) = todo.pop() {
            let Some(lent) = self.lent.get(&result).filter(|lent| *bound < lent.since) else { return false };
            for arg in lent.args.iter().filter(|arg| !self.are_layouts_apart(arg, b)) {
                // It may in turn be the result of a call.
                let Some(earlier) = arg.lent else { return false };
                if seen.insert(earlier) {
                    todo.push(earlier);
                }
            }
        }
        true
    }

    /// Whether all addresses of a region are certainly in a layout, if they are in its block.
    pub(super) fn is_within(&self, region: &Region, layout: &Layout, prim: Prim) -> bool {
        let proved = |inner: &Layout| inner.same(layout, &self.facts) || inner.within(layout, &self.facts).is_proved();
        bytes(region.prim) == bytes(prim) && region.layouts.iter().any(proved)
    }

    /// The region of an array: also the arrays of which it is a view are around it.
    pub(super) fn region(&self, name: Name) -> Option<Region> {
        let array = self.array(name)?;
        let mut region = Region::of(array);
        let mut next = array.view_of;
        // A view of a view of …: the first few say enough.
        const MOST: usize = 4;
        while let Some(array) = next.and_then(|name| self.array(name)).filter(|_| region.layouts.len() < MOST) {
            region.layouts.push(array.place.layout.clone());
            next = array.view_of;
        }
        Some(region)
    }

    pub(super) fn new_region(&self, param: &Param) -> Option<Region> {
        let (place, prim) = (param.place.as_ref()?, param.ty.prim()?);
        Some(Region { block: place.block, prim, layouts: vec![place.layout.clone()], lent: None })
    }

    // Statements

    /// The reads and writes of an expression without bodies that is not a call.
    pub(super) fn reads_and_writes(&mut self, exp: &'a Exp, pat: &[Param]) -> Checked {
        let result = pat.first().and_then(|param| self.new_region(param));
        match exp {
            Exp::Index(a, indices) => {
                let Some(region) = self.region(*a).filter(|_| result.is_none()) else { return Ok(()) };
                let element = polys(indices).and_then(|indices| region.layout().index(&indices));
                let mark = self.facts.mark();
                if self.concerns_iterations(region.block) {
                    self.assume_in_bounds(*a, indices);
                }
                self.read(&region.part(element))?;
                self.facts.reset(mark);
                Ok(())
            }
            Exp::Trace(_, Operand::Var(x)) => self.read_array(*x),
            Exp::Copy(a) => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                let slot = Some(to.layout().clone());
                self.copies(&[Copied::new(Some(*a), &to, slot)])
            }
            Exp::Replicate(_, x) => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                if let Some(from) = x.name().filter(|x| self.array(*x).is_some()) {
                    self.moves(from, &to)?;
                }
                self.write(&to, None)
            }
            Exp::Iota { .. } => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                self.write(&to, None)
            }
            // It leaves what is there, but is there to be updated.
            Exp::Scratch(..) => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                self.foreign(&to)
            }
            Exp::Array(elems, ty) => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                if !ty.is_array() {
                    return self.write(&to, None);
                }
                let slot = |i: usize| to.layout().index(&[Poly::constant(i as i128)]);
                let copied: Vec<Copied> =
                    elems.iter().enumerate().map(|(i, x)| Copied::new(x.name(), &to, slot(i))).collect();
                self.copies(&copied)
            }
            Exp::Concat(_, arrays) => {
                let Some(to) = result else { return Ok(()) };
                self.injective(&to)?;
                let copied = self.concat_slots(arrays, &to);
                self.copies(&copied)
            }
            Exp::Update(a, slices, value) => {
                let Some(dest) = self.array(*a).cloned() else { return Ok(()) };
                self.injective_array(*a)?;
                let slot = ranges(slices).and_then(|ranges| dest.place.layout.slice(&ranges));
                let from = value.name().filter(|value| self.array(*value).is_some());
                let mark = self.facts.mark();
                let fixed = |slice: &DimSlice| match slice {
                    DimSlice::Fix(i) => *i,
                    // It is no index; a constant says nothing.
                    DimSlice::Range { .. } => Operand::i64(0),
                };
                self.assume_in_bounds(*a, &slices.iter().map(fixed).collect::<Vec<Operand>>());
                self.copies_over(&[Copied::new(from, &Region::of(&dest), slot)], Some(&dest.place))?;
                self.facts.reset(mark);
                Ok(())
            }
            Exp::FlatUpdate(a, offset, strides, value) => {
                let Some(dest) = self.array(*a).cloned() else { return Ok(()) };
                self.injective_array(*a)?;
                let dims = self.array(*value).and_then(|v| v.place.layout.sizes()).unwrap_or_default();
                let slot = flat_slot(&dest.place.layout, *offset, &dims, strides);
                // That no element is replaced twice is up to the program: it may compute the strides.
                let copied = Copied::new(Some(*value), &Region::of(&dest), slot);
                self.copies_over(&[copied], Some(&dest.place))
            }
            // Views, scalars, checks, blocks. What has bodies is treated elsewhere.
            _ => Ok(()),
        }
    }

    /// Indices are in bounds, or vouched for.
    fn assume_in_bounds(&mut self, array: Name, indices: &[Operand]) {
        let dims = self.array(array).map(|array| array.dims.clone()).unwrap_or_default();
        for (index, bound) in indices.iter().zip(dims) {
            if let Operand::Var(index) = index {
                self.facts.enter_loop(&[], &LoopForm::For(*index, Prim::I64, bound));
            }
        }
    }

    /// Where the parts of a `concat` go.
    fn concat_slots(&self, arrays: &[Name], to: &Region) -> Vec<Copied> {
        let mut start = Some(Poly::default());
        let mut copied = Vec::with_capacity(arrays.len());
        for name in arrays {
            let len = self.array(*name).and_then(|a| a.place.layout.dims.first()?.size());
            let slot = start.as_ref().zip(len.as_ref()).and_then(|(start, len)| {
                let inner = to.layout().dims[1..].iter().map(Dim::size).collect::<Option<Vec<Poly>>>()?;
                let outer = DimRange::Range { start: start.clone(), len: len.clone(), stride: Poly::constant(1) };
                let whole = |len: Poly| DimRange::Range { start: Poly::default(), len, stride: Poly::constant(1) };
                let ranges: Vec<DimRange> = [outer].into_iter().chain(inner.into_iter().map(whole)).collect();
                to.layout().slice(&ranges)
            });
            start = start.zip(len).and_then(|(start, len)| start.plus(&len, 1));
            copied.push(Copied::new(Some(*name), to, slot));
        }
        copied
    }

    pub(super) fn call(&mut self, f: Symbol, args: &[Operand], pat: &[Param]) -> Checked {
        let Some(fun) = self.funs.get(&f).copied() else { return Ok(()) };
        let mut subst: FxHashMap<Name, Operand> = fun.params.iter().map(|p| p.name).zip(args.iter().copied()).collect();
        self.placed(args, &fun.params, &subst)?;
        subst.extend(fun.results.iter().map(|r| r.name).zip(pat.iter().map(|p| Operand::Var(p.name))));
        for (param, result) in pat.iter().zip(&fun.results) {
            let (Some(mine), Some(place)) = (&param.place, &result.place) else { continue };
            let is_there = substituted(place, &subst).is_some_and(|place| self.is_same(mine, &place));
            self.ensure(is_there, Rule::ResultPlace, || {
                format!("`{}` is at `{mine}`, which is not where `{f}` yields it, `{place}`", param.name)
            })?;
        }
        let arrays: Vec<(Name, bool)> =
            fun.params.iter().zip(args).filter_map(|(p, x)| Some((x.name()?, p.unique))).collect();
        for (name, _) in &arrays {
            self.read_array(*name)?;
        }
        for (i, (name, is_unique)) in arrays.iter().enumerate() {
            let Some(region) = self.region(*name).filter(|_| *is_unique) else { continue };
            for (j, (other, _)) in arrays.iter().enumerate() {
                let is_apart = i == j || self.region(*other).is_none_or(|other| self.apart(&region, &other));
                self.ensure(is_apart, Rule::Overwritten, || {
                    format!("`{f}` may overwrite `{name}`, where `{other}` may be, which it is given too")
                })?;
            }
            let base = self.array(*name).map(|array| array.place.clone());
            self.write(&region, base.as_ref())?;
        }
        let args = arrays.iter().filter_map(|(name, _)| self.region(*name)).collect();
        let lent = Rc::new(Lent { args, since: self.order.len() });
        self.lent.extend(pat.iter().filter(|p| p.place.is_some()).map(|p| (p.name, Rc::clone(&lent))));
        Ok(())
    }

    // Copies

    fn copies(&mut self, copied: &[Copied]) -> Checked {
        self.copies_over(copied, None)
    }

    /// Copies to slots that do not overlap; see Note \[Built in place\]. `base` is the place of the array whose slots
    /// they are, if it is not new.
    fn copies_over(&mut self, copied: &[Copied], base: Option<&Place>) -> Checked {
        let is_there = |copied: &Copied| {
            let (Some(source), Some(slot)) = (copied.from.and_then(|from| self.array(from)), &copied.slot) else {
                return false;
            };
            self.is_same(&source.place, &Place { block: copied.to.block, layout: slot.clone() })
        };
        let written: Vec<&Copied> = copied.iter().filter(|copied| !is_there(copied)).collect();
        for from in written.iter().filter_map(|copied| copied.from) {
            for Copied { to, .. } in &written {
                self.moves(from, to)?;
            }
        }
        written.iter().try_for_each(|copied| self.write(&copied.to, base))
    }

    /// Checks what is read to be written elsewhere.
    pub(super) fn moves(&mut self, from: Name, to: &Region) -> Checked {
        self.read_array(from)?;
        let is_apart = self.region(from).is_none_or(|region| self.apart(&region, to));
        self.ensure(is_apart, Rule::Overwritten, || {
            format!("`{from}` is copied to `{} -> {}`, which may overlap it", to.block, to.layout())
        })
    }

    pub(super) fn injective(&self, region: &Region) -> Checked {
        let is_injective = region.layout().injective(&self.facts).is_proved();
        self.ensure(is_injective, Rule::Injective, || {
            format!("two elements may be at one address of `{}`", region.layout())
        })
    }

    /// The same for an array that is there.
    pub(super) fn injective_array(&self, name: Name) -> Checked {
        match self.array(name) {
            Some(array) if !self.injective.contains(&name) => self.injective(&Region::of(array)),
            _ => Ok(()),
        }
    }

    /// The parameters whose values are arrays without two elements at one address.
    pub(super) fn injective_among(&self, values: &[Operand], params: &[Param]) -> FxHashSet<Name> {
        let is_array = |x: &Operand| x.name().filter(|name| self.array(*name).is_some());
        let is_injective = |x: &Operand| is_array(x).is_some_and(|name| self.injective_array(name).is_ok());
        values.iter().zip(params).filter(|(x, _)| is_injective(x)).map(|(_, p)| p.name).collect()
    }

    /// Notes the views and updates of arrays that are known to be injective by where they come from.
    pub(super) fn derive_injective(&mut self, stm: &Stm) {
        let source = match &stm.exp {
            // Views that may show an element twice.
            Exp::FlatIndex(..) => return,
            Exp::Slice(_, slices) if !slices.iter().all(goes_on) => return,
            exp => effects::viewed(exp).or(effects::over(exp, 0)),
        };
        // Where there are several results, they are looked at together with the bodies that yield them.
        if stm.pat.len() == 1 && source.is_some_and(|source| self.injective.contains(&source)) {
            self.injective.extend(stm.pat.iter().map(|p| p.name));
        }
    }

    pub(super) fn read_array(&mut self, name: Name) -> Checked {
        match self.region(name) {
            Some(region) => self.read(&region),
            None => Ok(()),
        }
    }

    // Writes

    /// Checks that nothing is in a region that is needed after the current statement. `base` is the place of the array
    /// that the statement consumes, if the region is part of it.
    pub(super) fn write(&mut self, region: &Region, base: Option<&Place>) -> Checked {
        // What is consumed is the function's own, and so is its memory: it is where it was made, or given as unique, or
        // given away and returned by another function. What is updated later is consumed then.
        let mut is_own = base.is_some();
        for at in (0..self.frames.len()).rev() {
            // Facts about what is done later come and go meanwhile.
            let frames = std::mem::take(&mut self.frames);
            let kept = self.keeps_what_is_needed(&frames[at], region, &mut is_own);
            self.frames = frames;
            kept?;
            if self.frames[at].iteration.is_some() && self.write_in_iteration(at, region)? {
                return Ok(());
            }
        }
        if is_own { Ok(()) } else { self.foreign(region) }
    }

    fn keeps_what_is_needed(&mut self, frame: &Frame, region: &Region, is_own: &mut bool) -> Checked {
        for name in frame.needed() {
            let may_meet = |array: &&Array| {
                self.blocks.may_be_same(Some(region.block), Some(array.place.block))
                    && !self.apart(region, &Region::of(array))
            };
            let Some(array) = self.array(name).filter(may_meet) else { continue };
            let array = array.clone();
            if self.is_free(frame, name, &array, region) {
                *is_own |= array.place.block == region.block;
                continue;
            }
            let message = format!(
                "`{name}`, which is used later, is at `{}`, which may overlap `{} -> {}`",
                array.place,
                region.block,
                region.layout()
            );
            return self.fail(Rule::Overwritten, message);
        }
        Ok(())
    }

    /// Whether all that is done with an array is to look at other parts of it and to update the region; see Note
    /// \[Built in place\].
    fn is_free(&mut self, frame: &Frame, name: Name, array: &Array, region: &Region) -> bool {
        let mark = self.facts.mark();
        let is_free = self.is_free_after(frame, name, array, region);
        self.facts.reset(mark);
        is_free
    }

    fn is_free_after(&mut self, frame: &Frame, mut name: Name, array: &Array, region: &Region) -> bool {
        // Where a later item looks may be said by those before it.
        let mut known = frame.at + 1;
        loop {
            if frame.always.contains(&name) {
                return false;
            }
            let Some((last, others)) = frame.later(name).split_last() else { return false };
            let mut is_apart = |at: &usize| {
                frame.items[known.min(*at)..*at].iter().flatten().for_each(|stm| self.facts.stm(stm));
                known = known.max(*at);
                frame.items[*at].is_some_and(|stm| self.looks_elsewhere(stm, name, array, region))
            };
            let Some(stm) = frame.items[*last].filter(|_| others.iter().all(&mut is_apart)) else { return false };
            let slot = match &stm.exp {
                Exp::Update(a, slices, value) if *a == name && *value != Operand::Var(name) => {
                    ranges(slices).and_then(|ranges| array.place.layout.slice(&ranges))
                }
                Exp::FlatUpdate(a, offset, strides, value) if *a == name && *value != name => {
                    let dims = frame.type_of(*value).and_then(|ty| polys(ty.dims())).unwrap_or_default();
                    flat_slot(&array.place.layout, *offset, &dims, strides)
                }
                _ => return false,
            };
            if slot.is_some_and(|slot| self.is_within(region, &slot, array.prim)) {
                return true;
            }
            // What the update yields may be updated in turn.
            let [param] = &stm.pat[..] else { return false };
            name = param.name;
        }
    }

    /// Whether all that a statement and what is inside it do with an array is to read elements of it, or to view it,
    /// outside a region.
    fn looks_elsewhere(&mut self, stm: &Stm, name: Name, array: &Array, region: &Region) -> bool {
        if has_bodies(&stm.exp) {
            return with_stack(|| self.looks_elsewhere_inside(&stm.exp, name, array, region));
        }
        let [param] = &stm.pat[..] else { return false };
        let part = match &stm.exp {
            Exp::Index(a, indices) if *a == name => polys(indices).and_then(|i| array.place.layout.index(&i)),
            Exp::Slice(a, slices) if *a == name => ranges(slices).and_then(|ranges| array.place.layout.slice(&ranges)),
            _ => None,
        };
        // A view is where it says.
        let is_there = param.place.as_ref().is_none_or(|place| {
            part.as_ref().is_some_and(|part| place.block == array.place.block && place.layout.same(part, &self.facts))
        });
        let part = part.map(|layout| Region { layouts: vec![layout], ..Region::of(array) });
        is_there && part.is_some_and(|part| self.apart(&part, region))
    }

    fn looks_elsewhere_inside(&mut self, exp: &Exp, name: Name, array: &Array, region: &Region) -> bool {
        let mark = self.facts.mark();
        let mut operands = Vec::new();
        match exp {
            Exp::Par(par) if par.ops.is_empty() => {
                self.facts.enter_space(&par.space);
                operands.extend(par.forms.iter().flat_map(Form::dests).copied());
            }
            Exp::Loop { params, form, .. } => {
                self.facts.enter_loop(params.iter().map(|(p, _)| p), form);
                operands.extend(params.iter().filter_map(|(_, init)| init.name()));
            }
            Exp::If(..) | Exp::Match(..) => {}
            _ => return false,
        }
        let mut is_apart = !operands.contains(&name);
        for_each_body(exp, |body| {
            let mark = self.facts.mark();
            for stm in &body.stms {
                let mut is_used = false;
                for_each_use(&stm.exp, |used| is_used |= used == name);
                is_apart = is_apart && (!is_used || self.looks_elsewhere(stm, name, array, region));
                self.facts.stm(stm);
            }
            is_apart = is_apart && !body.results.contains(&name.into());
            self.facts.reset(mark);
        });
        self.facts.reset(mark);
        is_apart
    }

    /// Checks that a new array is not made in memory of the caller.
    fn foreign(&self, region: &Region) -> Checked {
        let roots = self.blocks.all_roots(region.block);
        let is_param = |name: &Name| self.fun.params.iter().any(|p| p.name == *name);
        for block in roots.iter().filter(|root| is_param(root)) {
            let owned = self.fun.params.iter().filter(|p| p.unique).filter_map(|p| self.array(p.name));
            let mut owned = owned.filter(|array| array.place.block == *block);
            let is_inside = owned.any(|array| self.is_within(region, &array.place.layout, array.prim));
            self.ensure(is_inside, Rule::ForeignWrite, || {
                let (to, layout) = (region.block, region.layout());
                format!("a write to `{to} -> {layout}` may go to `{block}`, which belongs to the caller")
            })?;
        }
        Ok(())
    }
}

/// Whether a slice certainly goes somewhere else from one element to the next.
fn goes_on(slice: &DimSlice) -> bool {
    match slice {
        DimSlice::Fix(_) => true,
        DimSlice::Range { stride: Operand::Const(stride), .. } => stride.as_i64().is_some_and(|n| n != 0),
        DimSlice::Range { stride: Operand::Var(_), .. } => false,
    }
}

/// The places of a one-dimensional array that `flat_update` writes to.
fn flat_slot(layout: &Layout, offset: Operand, dims: &[Poly], strides: &[Operand]) -> Option<Layout> {
    if dims.len() != strides.len() {
        return None;
    }
    let dims: Vec<(Poly, Poly)> = dims.iter().cloned().zip(polys(strides)?).collect();
    layout.flat(&Poly::operand(offset)?, &dims)
}

fn bytes(prim: Prim) -> i128 {
    match prim {
        Prim::I8 | Prim::U8 | Prim::Bool => 1,
        Prim::I16 | Prim::U16 | Prim::F16 => 2,
        Prim::I32 | Prim::U32 | Prim::F32 => 4,
        Prim::I64 | Prim::U64 | Prim::F64 => 8,
    }
}

/// The bytes of the elements of a layout.
fn in_bytes(layout: &Layout, size: i128) -> Option<Layout> {
    let offset = layout.offset.times_constant(size)?;
    let mut dims = layout.dims.clone();
    for pair in dims.iter_mut().flat_map(|dim| &mut dim.0) {
        pair.stride = pair.stride.times_constant(size)?;
    }
    dims.push(Dim::new(Poly::constant(size), Poly::constant(1)));
    Some(Layout { offset, dims })
}
