//! How many elements of a block accesses reach, from the factors of loop indices in their addresses.

use super::{Amount, Frame};
use kenaz_imp::symbolic::Sizes;
use kenaz_ir::Name;
use kenaz_ir::poly::Poly;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More indices than this in an address, or more regions of a block, and there is only a bound.
const PATIENCE: usize = 6;
const MOST_REGIONS: usize = 32;

/// An access that is made again and again.
pub(super) struct Access<'a> {
    pub address: &'a Poly,
    /// Of an element.
    pub bytes: i128,
    /// Indices that are not those of loops, for whole rows.
    pub along: &'a [(Name, Option<Poly>)],
    /// The bytes of the block.
    pub cap: Option<&'a Poly>,
    /// Whether each iteration makes it.
    pub is_certain: bool,
}

/// The elements of a block that an access reaches.
#[derive(Clone, PartialEq)]
pub(super) struct Region {
    /// Of an element.
    bytes: i128,
    /// For each index its factor and how many values it has, the smallest factor first; none if addresses are no such
    /// sum, or if some of them may be the same.
    shape: Option<Vec<(Poly, Poly)>>,
    /// The address is that of the shape and this.
    base: Poly,
    /// Of all, at most.
    size: Option<Poly>,
    cap: Option<Poly>,
    is_bound: bool,
}

impl Access<'_> {
    /// The elements that are reached from when the loops begin, the outermost of which has `at` others around it, until
    /// they end.
    pub(super) fn region(
        &self,
        frames: &[Frame],
        at: usize,
        depths: &FxHashMap<Name, usize>,
        sizes: &mut Sizes,
    ) -> Region {
        let cap = self.cap.and_then(|cap| most(cap, frames, at, depths, sizes)).map(|(cap, _)| cap);
        let mut region =
            Region { bytes: self.bytes, shape: None, base: Poly::default(), size: None, cap, is_bound: true };
        let mut extents: BTreeMap<Name, (Poly, bool)> = BTreeMap::new();
        for name in self.address.names() {
            if extents.contains_key(&name) {
                continue;
            }
            let of_loops = || frames.iter().flat_map(|frame| &frame.vars);
            let var = of_loops().chain(self.along).find(|(var, _)| *var == name);
            let extent = match var {
                Some((_, Some(extent))) => most(extent, frames, at, depths, sizes),
                Some((_, None)) => None,
                None => {
                    let depth = depths.get(&name).copied().unwrap_or(0);
                    if depth <= at || depth == usize::MAX {
                        continue;
                    }
                    // Another value in each iteration of the loops that it is in, perhaps.
                    let around = frames.iter().take(depth - at).flat_map(|frame| &frame.vars);
                    let product = around
                        .map(|(_, extent)| extent.as_ref())
                        .try_fold(Poly::constant(1), |n, extent| n.times(extent?));
                    let extent = product.and_then(|n| most(&n, frames, at, depths, sizes));
                    extent.map(|(extent, _)| (extent, false))
                }
            };
            match extent {
                Some(extent) => drop(extents.insert(name, extent)),
                None => {
                    region.size.clone_from(&region.cap);
                    return region;
                }
            }
        }
        let is_known = extents.values().all(|(_, is_exact)| *is_exact);
        let shape = self.shape(&extents, &mut region.base).and_then(|shape| apart(shape, sizes));
        let counts: Vec<&Poly> = match &shape {
            Some(shape) => shape.iter().map(|(_, extent)| extent).collect(),
            None => extents.values().map(|(extent, _)| extent).collect(),
        };
        region.size = product(counts, self.bytes);
        region.is_bound = !(is_known && self.is_certain && shape.is_some());
        region.shape = shape.filter(|_| is_known && self.is_certain);
        region.limit(sizes);
        region
    }

    /// The factor of each index and how many values it has; sums of indices with the same factor are one index.
    fn shape(&self, extents: &BTreeMap<Name, (Poly, bool)>, base: &mut Poly) -> Option<Vec<(Poly, Poly)>> {
        let mut factors: BTreeMap<Name, Poly> = BTreeMap::new();
        for (product, n) in self.address.terms() {
            let mut vars = product.iter().filter(|name| extents.contains_key(name));
            let (var, more) = (vars.next().copied(), vars.next());
            if more.is_some() {
                return None;
            }
            let others = product.iter().filter(|name| Some(**name) != var);
            let factor = others.into_iter().try_fold(Poly::constant(n), |x, name| x.times(&Poly::name(*name)))?;
            let sum = var.map_or(&mut *base, |var| factors.entry(var).or_default());
            *sum = sum.plus(&factor, 1)?;
        }
        let mut shape: Vec<(Poly, Poly)> = Vec::new();
        for (var, mut factor) in factors {
            let extent = &extents[&var].0;
            if factor.terms().all(|(_, n)| n < 0) {
                // From the other end.
                let last = extent.plus(&Poly::constant(1), -1)?.times(&factor)?;
                *base = base.plus(&last, 1)?;
                factor = factor.times_constant(-1)?;
            }
            match shape.iter_mut().find(|(other, _)| *other == factor) {
                Some((_, sum)) => *sum = sum.plus(extent, 1)?.plus(&Poly::constant(1), -1)?,
                None => shape.push((factor, extent.clone())),
            }
        }
        Some(shape)
    }
}

impl Region {
    /// Where the size is not known exactly, no more than the block has.
    fn limit(&mut self, sizes: &mut Sizes) {
        if self.is_bound {
            self.size = match (self.size.take(), self.cap.clone()) {
                (Some(size), Some(cap)) => Some(sizes.min(size, cap)),
                (size, cap) => size.or(cap),
            };
        }
    }
}

/// The accesses of a loop to blocks.
#[derive(Default)]
pub(super) struct Regions {
    blocks: BTreeMap<Name, Vec<Region>>,
    is_lost: bool,
}

impl Regions {
    pub(super) fn lose(&mut self) {
        self.is_lost = true;
    }

    pub(super) fn add(&mut self, block: Name, region: Region, sizes: &mut Sizes) {
        let regions = self.blocks.entry(block).or_default();
        if regions.contains(&region) {
            return;
        }
        regions.push(region);
        if regions.len() > MOST_REGIONS {
            let all = united(std::mem::take(regions), sizes);
            regions.push(all);
        }
    }

    /// The bytes of all blocks, each byte once.
    pub(super) fn total(&mut self, sizes: &mut Sizes) -> Amount {
        if self.is_lost {
            return Amount::unknown();
        }
        let mut total = Amount::exactly(Poly::default());
        for regions in std::mem::take(&mut self.blocks).into_values() {
            let all = united(regions, sizes);
            total = total.plus(&Amount { is_bound: all.is_bound || all.size.is_none(), value: all.size });
        }
        total
    }
}

/// Several regions of a block as one.
fn united(regions: Vec<Region>, sizes: &mut Sizes) -> Region {
    if let Some(all) = regions.iter().find(|region| !region.is_bound && region.size == region.cap) {
        return all.clone();
    }
    let mut left: Vec<Region> = Vec::new();
    let mut rest = regions;
    while !rest.is_empty() {
        let first = rest.remove(0);
        let (alike, others): (Vec<Region>, Vec<Region>) = rest.into_iter().partition(|other| is_alike(&first, other));
        rest = others;
        left.push(moved(first, &alike, sizes));
    }
    let mut left = left.into_iter();
    let mut is_sum = false;
    let Some(mut all) = left.next() else {
        return Region { bytes: 1, shape: None, base: Poly::default(), size: None, cap: None, is_bound: true };
    };
    for other in left {
        let size = all.size.as_ref().zip(other.size.as_ref()).and_then(|(x, y)| x.plus(y, 1));
        all = Region { shape: None, size, cap: all.cap.or(other.cap), is_bound: true, ..all };
        is_sum = true;
    }
    if is_sum {
        all.limit(sizes);
    }
    all
}

fn is_alike(a: &Region, b: &Region) -> bool {
    a.bytes == b.bytes && a.shape.is_some() && a.shape == b.shape && steps(a, b).is_some()
}

/// By how many steps along each index a region is away from another of the same shape.
fn steps(from: &Region, to: &Region) -> Option<Vec<i128>> {
    let mut rest = to.base.plus(&from.base, -1)?;
    let mut steps = Vec::new();
    // The largest factors first.
    for (factor, _) in from.shape.as_ref()?.iter().rev() {
        let (step, left) = if rest.is_zero() { (Poly::default(), rest) } else { rest.split_by(factor)? };
        steps.push(step.as_constant()?);
        rest = left;
    }
    steps.reverse();
    rest.is_zero().then_some(steps)
}

/// A region together with those of the same shape that are some steps away: all between them, at most.
fn moved(first: Region, others: &[Region], sizes: &mut Sizes) -> Region {
    let Some(shape) = first.shape.as_ref().filter(|_| !others.is_empty()) else { return first };
    let mut along: Vec<Vec<i128>> = vec![vec![0]; shape.len()];
    for other in others {
        for (all, step) in along.iter_mut().zip(steps(&first, other).unwrap_or_default()) {
            all.push(step);
        }
    }
    let (mut counts, mut moving, mut has_gaps) = (Vec::with_capacity(shape.len()), 0, false);
    for ((_, extent), steps) in shape.iter().zip(&mut along) {
        steps.sort_unstable();
        has_gaps |= steps.windows(2).any(|pair| pair[1] - pair[0] > 1);
        let range = steps[steps.len() - 1] - steps[0];
        moving += usize::from(range > 0);
        counts.push(extent.plus(&Poly::constant(range), 1).unwrap_or_else(|| extent.clone()));
    }
    let size = product(counts.iter().collect(), first.bytes);
    let is_bound = first.is_bound || moving > 1 || has_gaps;
    let mut all = Region { size, is_bound, shape: None, ..first };
    all.limit(sizes);
    all
}

fn product(counts: Vec<&Poly>, bytes: i128) -> Option<Poly> {
    counts.into_iter().try_fold(Poly::constant(bytes), |product, n| product.times(n))
}

/// The indices in an order in which each of them steps over all that those before it reach, so that all addresses are
/// different.
fn apart(mut shape: Vec<(Poly, Poly)>, sizes: &Sizes) -> Option<Vec<(Poly, Poly)>> {
    if shape.len() > PATIENCE {
        return None;
    }
    let mut order: Vec<(Poly, Poly)> = Vec::with_capacity(shape.len());
    let mut span = Poly::constant(1);
    while !shape.is_empty() {
        let reach = |(factor, extent): &(Poly, Poly), span: &Poly| {
            extent.plus(&Poly::constant(1), -1)?.times(factor)?.plus(span, 1)
        };
        // All others must step over this one, so that there is no other choice but among equals.
        let at = (0..shape.len()).find(|i| {
            // An index that nothing depends on would be no index: a factor is 0 only where the array has no elements.
            (order.is_empty() || sizes.is_at_least(&shape[*i].0, &span))
                && reach(&shape[*i], &span).is_some_and(|next| {
                    shape.iter().enumerate().all(|(j, (factor, _))| j == *i || sizes.is_at_least(factor, &next))
                })
        })?;
        span = reach(&shape[at], &span)?;
        order.push(shape.remove(at));
    }
    Some(order)
}

/// The most that a number can be, in terms of what is known where the loops begin, and whether it is always that.
pub(super) fn most(
    x: &Poly,
    frames: &[Frame],
    at: usize,
    depths: &FxHashMap<Name, usize>,
    sizes: &Sizes,
) -> Option<(Poly, bool)> {
    let mut x = x.clone();
    let mut is_same = true;
    for _ in 0..16 {
        let inner = sizes.leaves(&x).into_iter().find(|name| depths.get(name).is_some_and(|depth| *depth > at));
        let Some(name) = inner else { return Some((x, is_same)) };
        let mut vars = frames.iter().flat_map(|frame| &frame.vars);
        let (_, extent) = vars.find(|(var, _)| *var == name)?;
        let last = extent.as_ref()?.plus(&Poly::constant(1), -1)?;
        let mut sum = Poly::default();
        for (product, n) in x.terms() {
            let has_it = product.contains(&name);
            if has_it && n < 0 {
                continue;
            }
            let factor = |other: &Name| if *other == name { last.clone() } else { Poly::name(*other) };
            let term = product.iter().try_fold(Poly::constant(n), |term, other| term.times(&factor(other)))?;
            sum = sum.plus(&term, 1)?;
        }
        (x, is_same) = (sum, false);
    }
    None
}
