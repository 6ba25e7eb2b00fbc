//! Questions about the addresses of layouts: whether two have one in common, whether one has one twice, whether one
//! has only addresses of another.
//!
//! An address is a sum of multiples of strides. Two layouts have one in common if the difference of two such sums is 0;
//! multiples of the same stride are taken together. So all questions are whether a sum of bounded multiples of strides
//! can be 0, and [`strided`](super::strided) answers those: the sum may be out of reach of 0, it may differ from 0
//! modulo what all strides are multiples of, or all but one multiple may together be less than one stride, as the lower
//! digits of a number are, so that this one has to be 0 itself.
//!
//! Whether a layout has any address is often not known. What is proved may assume it does; what is refuted may not.

use super::strided::{Strided, Term, largest_first, never_zero, only_zero};
use super::{Dim, Layout};
use crate::facts::{Answer, Facts};
use crate::name::Name;
use crate::poly::Poly;

/// Whether two layouts have no address in common.
pub fn disjoint(a: &Layout, b: &Layout, facts: &Facts) -> Answer {
    // The parts of a large constant are compared each with each.
    if let (Some((a, b)), Some((c, d))) = (constant_span(a), constant_span(b))
        && (b < c || d < a)
    {
        return Answer::Proved;
    }
    if follows_plainly(a, b, facts) {
        return Answer::Proved;
    }
    let (Some(a), Some(b)) = (Strided::of(a, facts), Strided::of(b, facts)) else { return Answer::Unknown };
    if a.is_empty(facts) || b.is_empty(facts) {
        return Answer::Proved;
    }
    if let (Some((a, _)), Some((b, _))) = (a.addresses(), b.addresses()) {
        return if a.is_disjoint(&b) { Answer::Proved } else { Answer::Refuted };
    }
    let mut some = facts.about(a.names().chain(b.names()), |_| None);
    if proves_disjoint(&a, &b, &mut some) {
        return Answer::Proved;
    }
    // The first address of one is one of the other.
    let meets = |a: &Strided, b: &Strided| {
        let first = Strided { offset: a.offset.clone(), pairs: Vec::new() };
        a.has_some(facts) && is_within(&first, b, facts)
    };
    if meets(&a, &b) || meets(&b, &a) { Answer::Refuted } else { Answer::Unknown }
}

/// Whether one layout begins after the other ends, as far as the ranges of names tell: so do the parts of an array that
/// is put together from many, of which each is compared with each.
fn follows_plainly(a: &Layout, b: &Layout, facts: &Facts) -> bool {
    let one = Poly::constant(1);
    // Where there is no element, it does not matter where the last one would be.
    let span = |layout: &Layout| {
        let first = facts.normal(&layout.offset);
        let last = layout.dims.iter().flat_map(|dim| &dim.0).try_fold(first.clone(), |last, pair| {
            let stride = Some(facts.normal(&pair.stride)).filter(|stride| facts.is_sum_of_nonneg(stride))?;
            last.plus(&facts.normal(&pair.size).plus(&one, -1)?.times(&stride)?, 1)
        })?;
        Some((first, last))
    };
    let (Some((first, last)), Some((start, end))) = (span(a), span(b)) else { return false };
    let is_before = |end: &Poly, start: &Poly| {
        let gap = start.plus(end, -1).and_then(|gap| gap.plus(&one, -1));
        gap.is_some_and(|gap| facts.is_sum_of_nonneg(&gap))
    };
    is_before(&last, &start) || is_before(&end, &first)
}

/// The first and the last address of a layout without names that has any.
fn constant_span(layout: &Layout) -> Option<(i128, i128)> {
    let offset = layout.offset.as_constant()?;
    layout.dims.iter().flat_map(|dim| &dim.0).try_fold((offset, offset), |(first, last), pair| {
        let steps = pair.size.as_constant()?.checked_sub(1).filter(|steps| *steps >= 0)?;
        let far = steps.checked_mul(pair.stride.as_constant()?)?;
        Some((first.checked_add(far.min(0))?, last.checked_add(far.max(0))?))
    })
}

fn proves_disjoint(a: &Strided, b: &Strided, facts: &mut Facts) -> bool {
    a.assume_some(facts);
    b.assume_some(facts);
    difference(a, b, facts).is_some_and(|(offset, terms)| never_zero(&offset, &terms, facts))
}

/// `a - b`, as a sum that takes all differences of their addresses.
fn difference(a: &Strided, b: &Strided, facts: &Facts) -> Option<(Poly, Vec<Term>)> {
    let mut terms: Vec<Term> = Vec::new();
    let of_a = a.pairs.iter().map(|pair| (pair, 1));
    let of_b = b.pairs.iter().map(|pair| (pair, -1));
    for ((size, stride), sign) in of_a.chain(of_b) {
        let last = size.plus(&Poly::constant(1), -1)?.times_constant(sign)?;
        let (lo, hi) = if sign == 1 { (Poly::default(), last) } else { (last, Poly::default()) };
        match terms.iter_mut().find(|term| facts.proves_poly_eq(&term.stride, stride)) {
            Some(term) => (term.lo, term.hi) = (term.lo.plus(&lo, 1)?, term.hi.plus(&hi, 1)?),
            None => terms.push(Term { lo, hi, stride: stride.clone() }),
        }
    }
    terms.sort_by_cached_key(|term| largest_first(&term.stride));
    Some((a.offset.plus(&b.offset, -1)?, terms))
}

impl Layout {
    /// Whether no address is there twice.
    pub fn injective(&self, facts: &Facts) -> Answer {
        // Without elements there is nothing to show. So every size may be taken to be one at least, which can tell
        // that a stride is not negative.
        let with_some = || {
            let mut some = facts.about(self.names(), |_| None);
            let sizes = self.dims.iter().flat_map(|dim| &dim.0).map(|pair| &pair.size);
            for size in sizes.filter_map(|size| size.plus(&Poly::constant(1), -1)) {
                some.assume_nonneg(&size);
            }
            Strided::of(self, &some)
        };
        let Some(set) = Strided::of(self, facts).or_else(with_some) else { return Answer::Unknown };
        if set.is_empty(facts) {
            return Answer::Proved;
        }
        // The offset does not matter.
        let set = Strided { offset: Poly::default(), ..set };
        if let Some((_, twice)) = set.addresses() {
            return if twice { Answer::Refuted } else { Answer::Proved };
        }
        let mut some = facts.about(set.names(), |_| None);
        set.assume_some(&mut some);
        let one = Poly::constant(1);
        let span = |(size, stride): &(Poly, Poly)| {
            let hi = size.plus(&one, -1)?;
            Some(Term { lo: hi.times_constant(-1)?, hi, stride: stride.clone() })
        };
        let terms: Option<Vec<Term>> = set.pairs.iter().map(span).collect();
        if terms.is_some_and(|terms| only_zero(&terms, &some)) {
            return Answer::Proved;
        }
        // Two steps of the same length, or one of none, end at one address.
        let long = |size: &Poly| facts.proves_poly_nonneg(size.plus(&Poly::constant(2), -1).as_ref());
        let steps: Vec<&Poly> = set.pairs.iter().filter(|(size, _)| long(size)).map(|(_, stride)| stride).collect();
        let eq = |a: &Poly, b: &Poly| facts.proves_poly_eq(a, b);
        let same = |(i, a): (usize, &&Poly)| eq(a, &Poly::default()) || steps[..i].iter().any(|b| eq(a, b));
        if set.has_some(facts) && steps.iter().enumerate().any(same) { Answer::Refuted } else { Answer::Unknown }
    }

    /// Whether no address is there twice, in one or in different iterations: for each of the indices from 0 to below
    /// its bound, the layout is that of one iteration. Names bound after the indices may have another value in each;
    /// the bounds do not change.
    pub fn injective_over(&self, index: &[(Name, Poly)], facts: &Facts) -> Answer {
        let layout = self.normal(facts);
        let mut inside = facts.about(layout.names().chain(index.iter().flat_map(|(_, n)| n.names())), |_| None);
        assume_in_bounds(index, &mut inside, |name| name);
        let is_index = |name: Name| index.iter().any(|(index, _)| *index == name);
        let varies = |name: Name| !is_index(name) && index.iter().any(|(index, _)| !facts.bound_before(name, *index));
        let own = layout.injective(&inside);
        if own == Answer::Refuted && index.iter().all(|(_, n)| facts.poly_lt(&Poly::default(), n).is_proved()) {
            return Answer::Refuted;
        }
        // All iterations as one layout.
        if !layout.names().any(varies)
            && let Some(whole) = with_indices(&layout, index, &is_index)
        {
            match whole.injective(facts) {
                Answer::Unknown => {}
                answer => return answer,
            }
        }
        let apart = || (0..index.len()).all(|at| iterations_apart(&layout, index, at, &varies, facts));
        if own.is_proved() && apart() { Answer::Proved } else { Answer::Unknown }
    }

    /// Whether all its addresses are ones of another.
    pub fn within(&self, outer: &Layout, facts: &Facts) -> Answer {
        if self.is_reshape_of(outer, facts) {
            return Answer::Proved;
        }
        let (Some(a), Some(b)) = (Strided::of(self, facts), Strided::of(outer, facts)) else { return Answer::Unknown };
        if a.is_empty(facts) {
            return Answer::Proved;
        }
        if let (Some((a, _)), Some((b, _))) = (a.addresses(), b.addresses()) {
            return if a.is_subset(&b) { Answer::Proved } else { Answer::Refuted };
        }
        let mut some = facts.about(a.names().chain(b.names()), |_| None);
        a.assume_some(&mut some);
        if is_within(&a, &b, &some) {
            return Answer::Proved;
        }
        if !a.has_some(facts) {
            return Answer::Unknown;
        }
        let below = facts.poly_lt(&a.offset, &b.offset).is_proved();
        let above = || match (a.last(), b.last()) {
            (Some(a), Some(b)) => facts.poly_lt(&b, &a).is_proved(),
            _ => false,
        };
        if b.is_empty(facts) || b.has_some(facts) && (below || above()) { Answer::Refuted } else { Answer::Unknown }
    }
}

impl Layout {
    /// Whether two layouts go through the same addresses without a gap, in whatever dimensions.
    fn is_reshape_of(&self, other: &Layout, facts: &Facts) -> bool {
        let count = |layout: &Layout| layout.sizes()?.iter().try_fold(Poly::constant(1), |n, size| n.times(size));
        self.rank() != other.rank()
            && facts.proves_poly_eq(&self.offset, &other.offset)
            && matches!((count(self), count(other)), (Some(a), Some(b)) if facts.proves_poly_eq(&a, &b))
            && self.is_row_major(facts)
            && other.is_row_major(facts)
    }
}

fn assume_in_bounds(index: &[(Name, Poly)], facts: &mut Facts, rename: impl Fn(Name) -> Name) {
    for (name, bound) in index {
        let i = Poly::name(rename(*name));
        facts.assume_nonneg(&i);
        if let Some(left) = bound.plus(&i, -1).and_then(|left| left.plus(&Poly::constant(1), -1)) {
            facts.assume_nonneg(&left);
        }
    }
}

/// With the indices as further dimensions, if only the offset depends on them, and linearly.
fn with_indices(layout: &Layout, index: &[(Name, Poly)], is_index: &impl Fn(Name) -> bool) -> Option<Layout> {
    let pairs = layout.dims.iter().flat_map(|dim| &dim.0);
    if pairs.flat_map(|pair| pair.size.names().chain(pair.stride.names())).any(is_index) {
        return None;
    }
    let mut whole = layout.clone();
    for (name, bound) in index {
        let (stride, rest) = whole.offset.split_by(&Poly::name(*name))?;
        if stride.names().any(is_index) {
            return None;
        }
        whole.offset = rest;
        whole.dims.insert(0, Dim::new(bound.clone(), stride));
    }
    if whole.offset.names().any(is_index) { None } else { Some(whole) }
}

/// Whether iterations have no address in common that agree in the indices before one and differ in that one.
fn iterations_apart(
    layout: &Layout,
    index: &[(Name, Poly)],
    at: usize,
    varies: &impl Fn(Name) -> bool,
    facts: &Facts,
) -> bool {
    let names = || layout.names().chain(index.iter().flat_map(|(name, n)| n.names().chain([*name])));
    // In the other iteration, names that may have another value have another name, from the far end of all names.
    let changes = |name: Name| index[at..].iter().any(|(index, _)| *index == name) || varies(name);
    let other = |name: Name| {
        let near = name.id < u32::MAX / 2;
        (near && changes(name)).then_some(Name { id: !name.id, ..name })
    };
    let renamed = |poly: &Poly| poly.replace(|name| other(name).map(Poly::name)).or_else(|| Some(poly.clone()));
    if names().any(|name| changes(name) && other(name).is_none()) {
        return false;
    }
    let Some(there) = layout.map(&mut |poly| renamed(poly)) else { return false };
    let mut both = facts.about(names(), other);
    assume_in_bounds(index, &mut both, |name| name);
    assume_in_bounds(index, &mut both, |name| other(name).unwrap_or(name));
    let i = index[at].0;
    // That the other one comes later is only a matter of names.
    let later = other(i).and_then(|j| Poly::name(j).plus(&Poly::name(i), -1)?.plus(&Poly::constant(1), -1));
    let Some(later) = later else { return false };
    both.assume_nonneg(&later);
    let (Some(a), Some(b)) = (Strided::of(layout, &both), Strided::of(&there, &both)) else { return false };
    a.is_empty(&both) || b.is_empty(&both) || proves_disjoint(&a, &b, &mut both)
}

/// Whether the addresses of one are ones of the other, under facts that may assume that it has some.
fn is_within(a: &Strided, b: &Strided, facts: &Facts) -> bool {
    [b.merged(facts), Some(b.clone())].into_iter().flatten().any(|b| digits_within(a, &b, facts).unwrap_or(false))
}

/// Whether each multiple of a stride of the outer one that the inner one takes, its own multiples of it and its part of
/// the offset, is one that the outer one takes.
fn digits_within(a: &Strided, b: &Strided, facts: &Facts) -> Option<bool> {
    let zero = Poly::default();
    let mut offset = a.offset.plus(&b.offset, -1)?;
    let mut left = a.pairs.clone();
    for (limit, unit) in &b.pairs {
        if unit.is_zero() {
            if facts.proves_poly_nonneg(limit.plus(&Poly::constant(1), -1).as_ref()) {
                continue;
            }
            return Some(false);
        }
        let (lo, rest) = offset.split_by(unit)?;
        offset = rest;
        let mut hi = lo.clone();
        let mut others = Vec::new();
        for (size, stride) in left {
            match stride.divided_by(unit) {
                Some(factor) => {
                    let last = size.plus(&Poly::constant(1), -1)?.times(&factor)?;
                    hi = hi.plus(&last, 1)?;
                    // The factor may be negative only if the unit is.
                    if !facts.proves_poly_nonneg(Some(&factor)) {
                        return Some(false);
                    }
                }
                None => others.push((size, stride)),
            }
        }
        left = others;
        let fits = facts.proves_poly_nonneg(Some(&lo))
            && facts.proves_poly_nonneg(limit.plus(&hi, -1)?.plus(&Poly::constant(1), -1).as_ref());
        if !fits {
            return Some(false);
        }
    }
    Some(left.is_empty() && facts.proves_poly_eq(&offset, &zero))
}
