//! The prover: whether a polynomial over the integers is not negative, by what is known of its names.

use super::{Answer, Facts, Names, Range, less_one};
use crate::name::Name;
use crate::op::BinOp;
use crate::poly::{Poly, without};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// Questions about polynomials of layouts.
impl Facts {
    /// A polynomial of a layout in terms of what its names mean.
    pub fn normal(&self, poly: &Poly) -> Poly {
        self.unfolded(poly, Names::OfLayouts).into_owned()
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
        names.extend(known.iter().flat_map(|poly| poly.names()));
        let mut facts = Facts::new();
        for name in names {
            let range = self.range_of(name.into());
            facts.narrow(name, range);
            if let Some(other) = rename(name) {
                facts.narrow(other, range);
            }
        }
        // The ranges are as narrow as the facts make them already.
        for poly in known {
            if let Some(renamed) = poly.replace(|name| rename(name).map(Poly::name)) {
                facts.keep(renamed);
            }
            facts.keep(poly.into_owned());
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
        // An index that is clamped at both ends is the greater of something and the lesser of something.
        const CASES: u32 = 2;
        self.proves_in_cases(poly, names, depth, steps, CASES)
    }

    fn proves_in_cases(&self, poly: &Poly, names: Names, depth: u32, steps: u32, cases: u32) -> bool {
        let poly = self.unfolded(poly, names);
        if self.proves_unfolded(&poly, names, depth, steps) {
            return true;
        }
        // That it is at least one of two numbers is a known fact; that it is at most both is what is left to prove.
        let is_bounded = |name: &Name, n: i128| match self.extremes.get(name) {
            Some((BinOp::Max, ..)) => n < 0,
            Some(_) => n > 0,
            None => false,
        };
        let mut terms = poly.terms().flat_map(|(product, n)| product.iter().map(move |name| (name, n)));
        let Some(chosen) = terms.find(|(name, n)| is_bounded(name, *n)).map(|(name, _)| *name) else { return false };
        let (_, x, y) = self.extremes[&chosen];
        cases > 0
            && [x, y].into_iter().all(|x| {
                let case = self.exact(x).and_then(|x| poly.replace(|name| (name == chosen).then(|| x.clone())));
                case.is_some_and(|case| self.proves_in_cases(&case, names, depth, steps, cases - 1))
            })
    }

    fn proves_unfolded(&self, poly: &Poly, names: Names, depth: u32, steps: u32) -> bool {
        if self.is_sum_of_nonneg(poly) {
            return true;
        }
        let mut facts = self.known_of(poly.names().collect(), names);
        facts.extend(self.most_of_factors(poly).into_iter().map(Cow::Owned));
        !self.has_counterexample(poly, &facts)
            && (self.search(poly, &facts, depth, steps) || self.is_product_and_more(poly, &facts))
    }

    /// Whether a polynomial is the product of two known not to be negative, and something that is not negative either.
    /// A product of names needs no such search, but that of differences does: `(n - i - 1) * (k - m)`, where rows have
    /// `k - m` elements and the name of that is written out.
    fn is_product_and_more(&self, poly: &Poly, facts: &[Cow<'_, Poly>]) -> bool {
        let names: BTreeSet<Name> =
            poly.terms().filter(|(product, _)| product.len() > 1).flat_map(|(product, _)| product.to_vec()).collect();
        let is_factor = |fact: &&Cow<'_, Poly>| fact.terms().count() > 1 && fact.names().all(|x| names.contains(&x));
        let factors: Vec<&Poly> = facts.iter().filter(is_factor).map(|fact| &**fact).collect();
        // All products in it are there, with the same sign.
        let is_part = |product: &Poly| {
            product.terms().all(|(names, n)| names.len() < 2 || poly.coefficient(names).signum() == n.signum())
        };
        let rest_of = |a: &Poly, b: &Poly| poly.plus(&a.times(b).filter(is_part)?, -1);
        let mut pairs = factors.iter().enumerate().flat_map(|(i, a)| factors[i..].iter().map(move |b| (a, b)));
        pairs.any(|(a, b)| rest_of(a, b).is_some_and(|rest| self.is_sum_of_nonneg(&rest)))
    }

    /// Whether the ranges of its names say that a polynomial is not negative, or that all its terms are not once each
    /// name is taken as what it is above its least value.
    pub(crate) fn is_sum_of_nonneg(&self, poly: &Poly) -> bool {
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
        // A negative term can only vanish into one that it is a factor of.
        let stays = |(product, n): (&[Name], i128)| {
            let is_factor_of = |other: &[Name]| other.len() > product.len() && without(other, product).is_some();
            n < 0 && !product.is_empty() && !poly.terms().any(|(other, _)| is_factor_of(other))
        };
        if poly.terms().any(stays) {
            return false;
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
    fn known_of(&self, mut names: VecDeque<Name>, names_mean: Names) -> Vec<Cow<'_, Poly>> {
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
    fn search(&self, poly: &Poly, facts: &[Cow<'_, Poly>], depth: u32, mut steps: u32) -> bool {
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
    fn has_counterexample(&self, poly: &Poly, facts: &[Cow<'_, Poly>]) -> bool {
        const TRIES: u64 = 8;
        // The values are made to agree with this as well.
        let Some(negated) = less_one(poly.times_constant(-1)) else { return false };
        let all = || facts.iter().map(|fact| &**fact).chain([&negated]);
        let mut names: Vec<Name> = all().flat_map(Poly::names).collect();
        names.sort_unstable();
        names.dedup();
        let ranges: Vec<Range> = names.iter().map(|name| self.range_of((*name).into())).collect();
        let facts = Numbered::of(all(), &names);
        let mut values: Vec<i128> = Vec::with_capacity(names.len());
        (0..TRIES).any(|seed| {
            values.clear();
            values.extend(ranges.iter().enumerate().map(|(i, range)| {
                // Close to the least value, or to 0 where there is none; at the least at first.
                let start = if range.lo == i64::MIN { 0 } else { range.lo };
                let more = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * i as u32) % (seed + 1);
                i128::from(start.saturating_add(more as i64).min(range.hi))
            }));
            repair(&mut values, &ranges, &facts)
        })
    }
}

/// Makes values larger until all facts hold, if that helps.
fn repair(values: &mut [i128], ranges: &[Range], facts: &Numbered) -> bool {
    const ROUNDS: usize = 16;
    for _ in 0..ROUNDS {
        let mut all_hold = true;
        for fact in facts.iter() {
            let Some(value) = value_of(fact, values) else { return false };
            if value >= 0 {
                continue;
            }
            all_hold = false;
            let raised = |(product, n): &Term| {
                let [at] = product[..] else { return None };
                let by = if *n > 0 { (-value + n - 1) / n } else { return None };
                let raised = values[at].checked_add(by)?;
                (raised <= i128::from(ranges[at].hi)).then_some((at, raised))
            };
            let Some((at, raised)) = fact.iter().find_map(raised) else { return false };
            values[at] = raised;
        }
        if all_hold {
            return true;
        }
    }
    false
}

/// A product of names, as numbers, and its coefficient.
type Term = (SmallVec<[usize; 2]>, i128);

/// Polynomials with numbers in the place of their names: the terms of all of them, and where those of each one end.
struct Numbered {
    terms: Vec<Term>,
    ends: Vec<usize>,
}

impl Numbered {
    /// A name has the number of its place among these, which are sorted.
    fn of<'a>(polys: impl Iterator<Item = &'a Poly>, names: &[Name]) -> Numbered {
        let mut all = Numbered { terms: Vec::new(), ends: Vec::new() };
        let number = |name: &Name| names.binary_search(name).unwrap_or(0);
        for poly in polys {
            all.terms.extend(poly.terms().map(|(product, n)| (product.iter().map(number).collect(), n)));
            all.ends.push(all.terms.len());
        }
        all
    }

    fn iter(&self) -> impl Iterator<Item = &[Term]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.terms[start..*end])
    }
}

/// None if it is very large.
fn value_of(terms: &[Term], values: &[i128]) -> Option<i128> {
    terms.iter().try_fold(0i128, |sum, (product, n)| {
        let term = product.iter().try_fold(*n, |term, at| term.checked_mul(values[*at]))?;
        sum.checked_add(term)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Symbol;

    fn named(id: u32) -> Poly {
        Poly::name(Name { base: Symbol::intern("x"), id })
    }

    /// Where nothing is to be proved, values say so, however far they are from the least ones.
    #[test]
    fn counterexamples_are_looked_for_where_they_could_be() {
        let (n, i, k) = (named(1), named(2), named(3));
        let mut facts = Facts::new();
        [&n, &i, &k].into_iter().for_each(|name| facts.assume_nonneg(name));
        // i < n
        let below = less_one(n.plus(&i, -1)).unwrap();
        facts.assume_nonneg(&below);
        let known = facts.known_of(below.names().collect(), Names::OfValues);
        let plus = |poly: &Poly, n: i128| poly.plus(&Poly::constant(n), 1).unwrap();
        // i + 1 < n, k <= n + 100, and n <= i + 100
        let last = plus(&below, -1);
        let far = plus(&n.plus(&k, -1).unwrap(), 100);
        let near = plus(&i.plus(&n, -1).unwrap(), 100);
        for poly in [&last, &far, &near] {
            assert!(facts.has_counterexample(poly, &known), "{poly}");
        }
        assert!(!facts.has_counterexample(&below, &known));
        assert!(!facts.has_counterexample(&plus(&n.plus(&i, 1).unwrap(), -1), &known));
    }

    /// A negative term is not negative any more above the least values only if it is a factor of another one.
    #[test]
    fn terms_vanish_into_their_multiples() {
        let (n, m) = (named(1), named(2));
        let mut facts = Facts::new();
        for name in [&n, &m] {
            facts.assume_nonneg(&less_one(Some(name.clone())).unwrap());
        }
        // (n - 1) * (m - 1), and that less the same n once more
        let product = less_one(Some(n.clone())).unwrap().times(&less_one(Some(m)).unwrap()).unwrap();
        assert!(facts.is_sum_of_nonneg(&product));
        assert!(!facts.is_sum_of_nonneg(&product.plus(&n, -1).unwrap()));
        assert!(!facts.is_sum_of_nonneg(&product.plus(&n.times(&n).unwrap(), -1).unwrap()));
    }
}
