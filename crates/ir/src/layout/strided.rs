//! Sets of addresses: an offset and, for each of some strides, the multiples of it from nothing up.

use super::Layout;
use crate::facts::Facts;
use crate::poly::Poly;
use std::collections::BTreeSet;

/// The addresses of a layout, in normal polynomials: `offset + x*stride + …` with `0 <= x < size` for each pair. No
/// stride is negative, no size is known to be 1.
#[derive(Clone, Debug)]
pub(super) struct Strided {
    pub offset: Poly,
    /// Sizes and strides; those that seem the largest first.
    pub pairs: Vec<(Poly, Poly)>,
}

impl Strided {
    /// None if it is not known of a stride whether it is negative.
    pub(super) fn of(layout: &Layout, facts: &Facts) -> Option<Strided> {
        let one = Poly::constant(1);
        let mut offset = facts.normal(&layout.offset);
        let mut pairs = Vec::new();
        for pair in layout.dims.iter().flat_map(|dim| &dim.0) {
            let (size, mut stride) = (facts.normal(&pair.size), facts.normal(&pair.stride));
            if size == one || facts.proves_poly_eq(&size, &one) {
                continue;
            }
            if !facts.proves_poly_nonneg(Some(&stride)) {
                // From the other end. If there is no element, it does not matter where it is not.
                let last = size.plus(&one, -1)?.times(&stride)?;
                offset = offset.plus(&last, 1)?;
                stride = stride.times_constant(-1)?;
                if !facts.proves_poly_nonneg(Some(&stride)) {
                    return None;
                }
            }
            pairs.push((size, stride));
        }
        pairs.sort_by_cached_key(|(_, stride)| largest_first(stride));
        Some(Strided { offset, pairs })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = crate::Name> {
        self.offset.names().chain(self.pairs.iter().flat_map(|(size, stride)| size.names().chain(stride.names())))
    }

    /// Whether there is no address at all.
    pub(super) fn is_empty(&self, facts: &Facts) -> bool {
        self.pairs.iter().any(|(size, _)| facts.proves_poly_nonneg(size.times_constant(-1).as_ref()))
    }

    /// Whether there is an address for sure.
    pub(super) fn has_some(&self, facts: &Facts) -> bool {
        self.pairs.iter().all(|(size, _)| facts.proves_poly_nonneg(size.plus(&Poly::constant(1), -1).as_ref()))
    }

    pub(super) fn assume_some(&self, facts: &mut Facts) {
        for (size, _) in &self.pairs {
            if let Some(poly) = size.plus(&Poly::constant(1), -1) {
                facts.assume_nonneg(&poly);
            }
        }
    }

    /// The highest address, if there is any.
    pub(super) fn last(&self) -> Option<Poly> {
        self.pairs.iter().try_fold(self.offset.clone(), |last, (size, stride)| {
            last.plus(&size.plus(&Poly::constant(1), -1)?.times(stride)?, 1)
        })
    }

    /// All addresses, if they are constants and not many, and whether one is there twice.
    pub(super) fn addresses(&self) -> Option<(BTreeSet<i128>, bool)> {
        const MOST: i128 = 1024;
        let mut all = vec![self.offset.as_constant()?];
        for (size, stride) in &self.pairs {
            let (size, stride) = (size.as_constant()?.max(0), stride.as_constant()?);
            if size.checked_mul(all.len() as i128)? > MOST {
                return None;
            }
            let step = |x: i128, i: i128| x.checked_add(i.checked_mul(stride)?);
            all = all.iter().flat_map(|x| (0..size).map(move |i| step(*x, i))).collect::<Option<_>>()?;
        }
        let count = all.len();
        let set: BTreeSet<i128> = all.into_iter().collect();
        let twice = set.len() < count;
        Some((set, twice))
    }

    /// With neighbours that are one pair merged.
    pub(super) fn merged(&self, facts: &Facts) -> Option<Strided> {
        let mut pairs: Vec<(Poly, Poly)> = Vec::new();
        for (size, stride) in &self.pairs {
            match pairs.last_mut() {
                Some(last) if facts.proves_poly_eq(&last.1, &size.times(stride)?) => {
                    *last = (last.0.times(size)?, stride.clone());
                }
                _ => pairs.push((size.clone(), stride.clone())),
            }
        }
        Some(Strided { offset: self.offset.clone(), pairs })
    }
}

/// An order in which what is first is often the largest.
pub(super) fn largest_first(stride: &Poly) -> impl Ord + use<> {
    std::cmp::Reverse(stride.terms().map(|(product, n)| (product.len(), n)).max())
}

/// A multiple of a stride, between two bounds.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub lo: Poly,
    pub hi: Poly,
    pub stride: Poly,
}

/// The bounds of a sum.
fn bounds(offset: &Poly, terms: &[Term]) -> Option<(Poly, Poly)> {
    terms.iter().try_fold((offset.clone(), offset.clone()), |(lo, hi), term| {
        Some((lo.plus(&term.lo.times(&term.stride)?, 1)?, hi.plus(&term.hi.times(&term.stride)?, 1)?))
    })
}

fn positive(poly: &Poly, facts: &Facts) -> bool {
    facts.proves_poly_nonneg(poly.plus(&Poly::constant(1), -1).as_ref())
}

fn negative(poly: &Poly, facts: &Facts) -> bool {
    poly.times_constant(-1).is_some_and(|poly| positive(&poly, facts))
}

/// Whether a sum is never 0, whatever the multiples.
pub(super) fn never_zero(offset: &Poly, terms: &[Term], facts: &Facts) -> bool {
    // Each time more than one multiple of a stride could make up for the rest, the cases multiply.
    const CASES: u32 = 2;
    never_zero_in(offset, terms, CASES, facts)
}

fn never_zero_in(offset: &Poly, terms: &[Term], cases: u32, facts: &Facts) -> bool {
    if out_of_reach(offset, terms, facts) == Some(true) || differs_modulo(offset, terms, facts) {
        return true;
    }
    // Where the rest of the sum is less than a stride, its multiple has to be 0: nothing is lost by looking at that
    // only.
    for most in 0..=i128::from(cases > 0) {
        for at in 0..terms.len() {
            let mut rest = terms.to_vec();
            let term = rest.remove(at);
            let whole = (Poly::default(), offset.clone());
            // The multiples of the stride in the offset belong to the multiple.
            let split = offset.split_by(&term.stride).filter(|split| *split != whole);
            for (more, offset) in split.into_iter().chain([whole]) {
                if !is_less(&offset, &rest, most, &term.stride, facts) {
                    continue;
                }
                let is_settled = |n: i128| {
                    excludes(&term, &more, n, facts)
                        || offset
                            .plus(&term.stride, n)
                            .is_some_and(|offset| never_zero_in(&offset, &rest, cases - most as u32, facts))
                };
                let settled = (-most..=most).all(is_settled);
                if settled || most == 0 {
                    return settled;
                }
            }
        }
    }
    false
}

/// Whether a multiple and some more is never `n`.
fn excludes(term: &Term, more: &Poly, n: i128, facts: &Facts) -> bool {
    let beyond = |bound: &Poly| bound.plus(more, 1)?.plus(&Poly::constant(n), -1);
    beyond(&term.lo).is_some_and(|above| positive(&above, facts))
        || beyond(&term.hi).is_some_and(|below| negative(&below, facts))
}

/// The lowest is above 0 or the highest below.
fn out_of_reach(offset: &Poly, terms: &[Term], facts: &Facts) -> Option<bool> {
    let (lo, hi) = bounds(offset, terms)?;
    Some(positive(&lo, facts) || negative(&hi, facts))
}

/// All strides are multiples of something of which the offset is none.
fn differs_modulo(offset: &Poly, terms: &[Term], facts: &Facts) -> bool {
    let unit = terms.iter().fold(0, |g, term| crate::poly::gcd(g, term.stride.content()));
    if unit > 1 {
        let varying = offset.terms().any(|(product, n)| !product.is_empty() && n % unit != 0);
        if !varying && offset.coefficient(&[]) % unit != 0 {
            return true;
        }
    }
    let units = terms.iter().map(|term| &term.stride).filter(|stride| stride.as_constant().is_none());
    for unit in units.filter(|unit| terms.iter().all(|term| term.stride.divided_by(unit).is_some())) {
        let Some((_, rest)) = offset.split_by(unit) else { continue };
        let below = |x: &Poly| unit.plus(x, -1).is_some_and(|poly| positive(&poly, facts));
        let opposite = rest.times_constant(-1);
        if positive(&rest, facts) && below(&rest) || opposite.is_some_and(|x| positive(&x, facts) && below(&x)) {
            return true;
        }
    }
    false
}

/// Whether a sum lies strictly between the `n + 1`-fold of the stride and its opposite.
fn is_less(offset: &Poly, terms: &[Term], n: i128, stride: &Poly, facts: &Facts) -> bool {
    let (Some((lo, hi)), Some(limit)) = (bounds(offset, terms), stride.times_constant(n + 1)) else { return false };
    limit.plus(&hi, -1).is_some_and(|poly| positive(&poly, facts))
        && limit.plus(&lo, 1).is_some_and(|poly| positive(&poly, facts))
}

/// Whether a sum of such multiples is 0 only if each of them is: digits of a number.
pub(super) fn only_zero(terms: &[Term], facts: &Facts) -> bool {
    let zero = Poly::default();
    let mut terms = terms.to_vec();
    while !terms.is_empty() {
        let found = (0..terms.len()).find(|at| {
            let mut rest = terms.clone();
            let term = rest.remove(*at);
            is_less(&zero, &rest, 0, &term.stride, facts)
        });
        let Some(at) = found else { return false };
        terms.remove(at);
    }
    true
}
