//! The prover: whether a polynomial over the integers is not negative, by what is known of its names.

use super::{Answer, Facts, Names, Range, less_one};
use crate::name::Name;
use crate::poly::{Poly, without};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Questions about polynomials of layouts.
impl Facts {
    /// A polynomial of a layout in terms of what its names mean.
    pub fn normal(&self, poly: &Poly) -> Poly {
        self.unfolded(poly, Names::OfLayouts)
    }

    /// Whether a polynomial of a layout is not negative, see Note \[Layouts do not wrap\].
    pub fn poly_nonneg(&self, poly: &Poly) -> Answer {
        if self.proves_poly_nonneg(Some(poly)) {
            Answer::Proved
        } else if self.proves_poly_nonneg(less_one(poly.times_constant(-1)).as_ref()) {
            Answer::Refuted
        } else {
            Answer::Unknown
        }
    }

    /// Only whether it is proved, which is half the work.
    pub fn proves_poly_nonneg(&self, poly: Option<&Poly>) -> bool {
        const STEPS: u32 = 250;
        poly.is_some_and(|poly| self.proves(poly, Names::OfLayouts, 6, STEPS))
    }

    pub fn poly_le(&self, a: &Poly, b: &Poly) -> Answer {
        b.plus(a, -1).map_or(Answer::Unknown, |difference| self.poly_nonneg(&difference))
    }

    pub fn poly_lt(&self, a: &Poly, b: &Poly) -> Answer {
        self.poly_le(b, a).not()
    }

    pub fn poly_eq(&self, a: &Poly, b: &Poly) -> Answer {
        let Some(difference) = a.plus(b, -1) else { return Answer::Unknown };
        match self.as_known_constant(&difference) {
            Some(0) => Answer::Proved,
            Some(_) => Answer::Refuted,
            None if self.proves_zero(&difference) => Answer::Proved,
            None => match self.poly_nonneg(&difference).and(self.poly_le(a, b)) {
                Answer::Refuted => Answer::Refuted,
                _ => Answer::Unknown,
            },
        }
    }

    /// Only whether it is proved, which is much less work.
    pub fn proves_poly_eq(&self, a: &Poly, b: &Poly) -> bool {
        let Some(difference) = a.plus(b, -1) else { return false };
        self.as_known_constant(&difference).map_or_else(|| self.proves_zero(&difference), |n| n == 0)
    }

    /// The constant that a polynomial is by what its names mean, over the integers or modulo 2^64: whatever computes an
    /// offset or a size computes modulo that.
    fn as_known_constant(&self, poly: &Poly) -> Option<i128> {
        let modular = || {
            let poly = poly.replace(|name| self.modular.get(&name).cloned()).unwrap_or_else(|| poly.clone());
            poly.wrapped().as_constant()
        };
        poly.as_constant().or_else(|| self.normal(poly).as_constant()).or_else(modular)
    }

    /// Whether facts bound it by 0 from both sides: what is assumed to be equal is known as two such bounds.
    fn proves_zero(&self, poly: &Poly) -> bool {
        let nonneg = |poly: &Poly| self.proves(poly, Names::OfLayouts, 2, 40);
        nonneg(poly) && poly.times_constant(-1).is_some_and(|poly| nonneg(&poly))
    }

    /// The facts about some names of normal polynomials, to which [`Facts::assume_nonneg`] may add others. With
    /// `rename` the same also holds of other names.
    pub(crate) fn about(&self, names: impl Iterator<Item = Name>, rename: impl Fn(Name) -> Option<Name>) -> Facts {
        let mut names: Vec<Name> = names.collect();
        let known = self.known_of(names.iter().copied().collect(), Names::OfLayouts);
        names.extend(known.iter().flat_map(Poly::names));
        let mut facts = Facts::new();
        for name in names {
            let range = self.range_of(name.into());
            facts.narrow(name, range);
            if let Some(other) = rename(name) {
                facts.narrow(other, range);
            }
        }
        for poly in known {
            if let Some(renamed) = poly.replace(|name| rename(name).map(Poly::name)) {
                facts.assume_nonneg(&renamed);
            }
            facts.assume_nonneg(&poly);
        }
        facts
    }

    /// From here on the polynomial is not negative.
    pub(crate) fn assume_nonneg(&mut self, poly: &Poly) {
        self.learn_nonneg(Some(poly.clone()));
    }
}

impl Facts {
    pub(super) fn proves(&self, poly: &Poly, names: Names, depth: u32, steps: u32) -> bool {
        let poly = self.unfolded(poly, names);
        if self.is_sum_of_nonneg(&poly) {
            return true;
        }
        let mut facts = self.known_of(poly.names().collect(), names);
        facts.extend(self.most_of_factors(&poly));
        !self.has_counterexample(&poly, &facts) && self.search(&poly, &facts, depth, steps)
    }

    /// Whether the ranges of its names say that a polynomial is not negative, or that all its terms are not once each
    /// name is taken as what it is above its least value.
    fn is_sum_of_nonneg(&self, poly: &Poly) -> bool {
        if self.interval(poly).is_some_and(|(lo, _)| lo >= 0) {
            return true;
        }
        // Where the least value is far from 0, coefficients would only become large.
        const FAR: i64 = 1 << 32;
        let least = |name: Name| self.range_of(name.into()).lo;
        if poly.names().any(|name| !(-FAR..FAR).contains(&least(name))) {
            return false;
        }
        if poly.names().all(|name| least(name) == 0) {
            return poly.terms().all(|(_, n)| n >= 0);
        }
        let above = poly.replace(|name| Poly::name(name).plus(&Poly::constant(least(name).into()), 1));
        above.is_some_and(|above| above.terms().all(|(_, n)| n >= 0))
    }

    /// That names with others in a negative product are at most what their ranges say: facts that only say so are not
    /// kept, but a multiple of one may cancel the product.
    fn most_of_factors(&self, poly: &Poly) -> Vec<Poly> {
        // Where the most is far from 0, coefficients would only become large.
        const FAR: i64 = 1 << 32;
        let products = poly.terms().filter(|(product, n)| *n < 0 && product.len() > 1);
        let names: BTreeSet<Name> = products.flat_map(|(product, _)| product.iter().copied()).collect();
        let most = |name: Name| {
            let Range { hi, .. } = self.range_of(name.into());
            if (-FAR..FAR).contains(&hi) { Poly::constant(hi.into()).plus(&Poly::name(name), -1) } else { None }
        };
        names.into_iter().filter_map(most).collect()
    }

    /// What is known about the names in a polynomial, about the names in that, and so on, up to a limit.
    fn known_of(&self, mut names: VecDeque<Name>, names_mean: Names) -> Vec<Poly> {
        const MOST: usize = 48;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut known: FxHashSet<Name> = names.iter().copied().collect();
        while let Some(name) = names.pop_front() {
            for at in self.mentions.get(&name).into_iter().flatten() {
                if found.len() == MOST {
                    return found;
                }
                if *at < self.nonneg.len() && seen.insert(*at) {
                    let fact = self.unfolded(&self.nonneg[*at], names_mean);
                    names.extend(fact.names().filter(|name| known.insert(*name)));
                    found.push(fact);
                }
            }
        }
        found
    }

    /// Whether a polynomial is a sum of ones known not to be negative, up to positive factors: looks for such ones that
    /// cancel a negative term, first where the fewest negative terms are left.
    fn search(&self, poly: &Poly, facts: &[Poly], depth: u32, mut steps: u32) -> bool {
        let negative = |poly: &Poly| poly.terms().filter(|(product, n)| *n < 0 && !product.is_empty()).count();
        let mut seen = FxHashSet::from_iter([poly.clone()]);
        let mut found = vec![(poly.clone(), 0)];
        let mut todo = BinaryHeap::from([Reverse((negative(poly), 0))]);
        while let Some(Reverse((_, at))) = todo.pop() {
            let (poly, taken) = found[at].clone();
            if taken == depth {
                continue;
            }
            // Each negative term has to go, in whatever order: those of the highest degree first.
            let negative_terms = || poly.terms().filter(|(product, n)| *n < 0 && !product.is_empty());
            let degree = negative_terms().map(|(product, _)| product.len()).max();
            for (product, n) in negative_terms().filter(|(product, _)| Some(product.len()) == degree) {
                for fact in facts.iter().flat_map(|fact| self.multiples(fact, product)) {
                    if steps == 0 {
                        return false;
                    }
                    steps -= 1;
                    // poly * -m = rest + fact * -n, and both factors are positive.
                    let m = fact.coefficient(product);
                    let rest = poly.times_constant(-m).and_then(|poly| poly.plus(&fact, n));
                    let smaller = |rest: Poly| rest.divided_by(&Poly::constant(rest.content().max(1)));
                    let Some(rest) = rest.and_then(smaller) else { continue };
                    if self.is_sum_of_nonneg(&rest) {
                        return true;
                    }
                    if seen.insert(rest.clone()) {
                        todo.push(Reverse((negative(&rest) + taken as usize, found.len())));
                        found.push((rest, taken + 1));
                    }
                }
            }
        }
        false
    }

    /// Multiples of a fact in which a product has a negative coefficient: it times something that is not negative is
    /// not negative either.
    fn multiples(&self, fact: &Poly, product: &[Name]) -> Vec<Poly> {
        let negative = fact.terms().filter(|(_, m)| *m < 0);
        let factors = negative.filter_map(|(part, _)| without(product, part));
        let nonneg = |name: &Name| self.range_of((*name).into()).lo >= 0;
        let multiple = |factor: Vec<Name>| {
            factor.into_iter().try_fold(fact.clone(), |multiple, name| multiple.times(&Poly::name(name)))
        };
        let multiples = factors.filter(|factor| factor.iter().all(nonneg)).filter_map(multiple);
        multiples.filter(|multiple| multiple.coefficient(product) < 0).collect()
    }

    /// Whether values were found that agree with the facts and for which the polynomial is negative: then there is no
    /// need to look for a proof, which takes longest where there is none.
    fn has_counterexample(&self, poly: &Poly, facts: &[Poly]) -> bool {
        const TRIES: u64 = 12;
        let names: BTreeSet<Name> = poly.names().chain(facts.iter().flat_map(Poly::names)).collect();
        let ranges: Vec<Range> = names.iter().map(|name| self.range_of((*name).into())).collect();
        let places: FxHashMap<Name, usize> = names.into_iter().zip(0..).collect();
        let poly = Numbered::of(poly, &places);
        let facts: Vec<Numbered> = facts.iter().map(|fact| Numbered::of(fact, &places)).collect();
        (0..TRIES).any(|seed| {
            let value = |(i, range): (usize, &Range)| {
                // Close to the least value, or to 0 where there is none; at the least at first.
                let start = if range.lo == i64::MIN { 0 } else { range.lo };
                let more = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * i as u32) % (seed + 1);
                i128::from(start.saturating_add(more as i64).min(range.hi))
            };
            let mut values: Vec<i128> = ranges.iter().enumerate().map(value).collect();
            repair(&mut values, &ranges, &facts) && poly.value(&values).is_some_and(|value| value < 0)
        })
    }
}

/// Makes values larger until all facts hold, if that helps.
fn repair(values: &mut [i128], ranges: &[Range], facts: &[Numbered]) -> bool {
    const ROUNDS: usize = 16;
    for _ in 0..ROUNDS {
        let mut all_hold = true;
        for fact in facts {
            let Some(value) = fact.value(values) else { return false };
            if value >= 0 {
                continue;
            }
            all_hold = false;
            let grows = |(product, n): &&(SmallVec<[usize; 2]>, i128)| product.len() == 1 && *n > 0;
            let Some((product, n)) = fact.0.iter().find(grows) else { return false };
            let (at, by) = (product[0], (-value + n - 1) / n);
            if values[at] + by > i128::from(ranges[at].hi) {
                return false;
            }
            values[at] += by;
        }
        if all_hold {
            return true;
        }
    }
    false
}

/// The terms of a polynomial with numbers in the place of its names.
struct Numbered(Vec<(SmallVec<[usize; 2]>, i128)>);

impl Numbered {
    fn of(poly: &Poly, places: &FxHashMap<Name, usize>) -> Numbered {
        Numbered(poly.terms().map(|(product, n)| (product.iter().map(|name| places[name]).collect(), n)).collect())
    }

    /// None if it is very large.
    fn value(&self, values: &[i128]) -> Option<i128> {
        self.0.iter().try_fold(0i128, |sum, (product, n)| {
            let term = product.iter().try_fold(*n, |term, at| term.checked_mul(values[*at]))?;
            sum.checked_add(term)
        })
    }
}
