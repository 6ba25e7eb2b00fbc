//! Polynomials over names with integer coefficients.

use crate::name::Name;
use crate::op::BinOp;
use crate::prog::Operand;
use crate::value::Scalar;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::fmt;

/// More terms, or a higher degree, than this and an expression is left as it is.
const MOST_TERMS: usize = 32;
const HIGHEST_DEGREE: usize = 32;

/// The names of a product, sorted.
type Product = SmallVec<[Name; 2]>;

/// Each product of names with its coefficient, which is not zero; the constant belongs to the empty product. The terms
/// are in the order of their products, each of which occurs once.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Poly {
    terms: Vec<(Product, i128)>,
}

impl Poly {
    pub fn constant(n: i128) -> Poly {
        Poly::term(Product::new(), n)
    }

    pub fn name(name: Name) -> Poly {
        Poly::term(smallvec![name], 1)
    }

    fn term(product: Product, n: i128) -> Poly {
        Poly { terms: if n == 0 { Vec::new() } else { vec![(product, n)] } }
    }

    /// An operand of type `i64`.
    pub fn operand(x: Operand) -> Option<Poly> {
        match x {
            Operand::Var(name) => Some(Poly::name(name)),
            Operand::Const(Scalar::I64(n)) => Some(Poly::constant(n.into())),
            Operand::Const(_) => None,
        }
    }

    /// The operand that it is, if it is just one.
    pub fn as_operand(&self) -> Option<Operand> {
        if let Some(n) = self.as_constant() {
            return i64::try_from(n).ok().map(Operand::i64);
        }
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (Some(([name], 1)), None) => Some(Operand::Var(*name)),
            _ => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn terms(&self) -> impl Iterator<Item = (&[Name], i128)> {
        self.terms.iter().map(|(product, n)| (&product[..], *n))
    }

    /// The names in it, some perhaps more than once.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        self.terms.iter().flat_map(|(product, _)| product).copied()
    }

    pub fn coefficient(&self, product: &[Name]) -> i128 {
        self.terms.binary_search_by(|(other, _)| other[..].cmp(product)).map_or(0, |at| self.terms[at].1)
    }

    /// Whether a term becomes less where the other polynomial is added.
    pub(crate) fn cancels_in(&self, other: &Poly) -> bool {
        other.terms().any(|(product, n)| self.coefficient(product).signum() == -n.signum())
    }

    pub fn as_constant(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(product, n)] => product.is_empty().then_some(*n),
            _ => None,
        }
    }

    /// The sum of terms in any order, if it is not too large.
    fn sum(mut terms: Vec<(Product, i128)>) -> Option<Poly> {
        terms.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut sum: Vec<(Product, i128)> = Vec::with_capacity(terms.len());
        for (product, n) in terms {
            match sum.last_mut() {
                Some((last, m)) if *last == product => *m = m.checked_add(n)?,
                _ => sum.push((product, n)),
            }
        }
        sum.retain(|(_, n)| *n != 0);
        (sum.len() <= MOST_TERMS).then_some(Poly { terms: sum })
    }

    /// `self + factor * other`, if it is not too large.
    pub fn plus(&self, other: &Poly, factor: i128) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut ours, mut theirs) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let ours = ours.next_if(|_| order.is_le());
            let theirs = theirs.next_if(|_| order.is_ge());
            let Some((product, _)) = ours.or(theirs) else { break };
            let more = theirs.map_or(Some(0), |(_, n)| n.checked_mul(factor))?;
            let n = ours.map_or(0, |(_, n)| *n).checked_add(more)?;
            if n != 0 {
                terms.push((product.clone(), n));
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Poly { terms })
    }

    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, n) in &self.terms {
            for (b, m) in &other.terms {
                if a.len() + b.len() > HIGHEST_DEGREE {
                    return None;
                }
                let mut product: Product = a.iter().chain(b).copied().collect();
                product.sort_unstable();
                terms.push((product, n.checked_mul(*m)?));
            }
        }
        Poly::sum(terms)
    }

    /// The sum, difference or product of two polynomials; none for other operations.
    pub fn combine(op: BinOp, x: &Poly, y: &Poly) -> Option<Poly> {
        match op {
            BinOp::Add => x.plus(y, 1),
            BinOp::Sub => x.plus(y, -1),
            BinOp::Mul => x.times(y),
            _ => None,
        }
    }

    pub fn times_constant(&self, n: i128) -> Option<Poly> {
        Poly::default().plus(self, n)
    }

    /// `self = quotient * divisor` as polynomials, if there is such a quotient.
    pub fn divided_by(&self, divisor: &Poly) -> Option<Poly> {
        let (lead, n) = divisor.leading()?;
        if lead.is_empty() {
            let divided = |m: i128| m.checked_div(n).filter(|quotient| quotient * n == m);
            let terms = self.terms.iter().map(|(product, m)| Some((product.clone(), divided(*m)?)));
            return Some(Poly { terms: terms.collect::<Option<_>>()? });
        }
        let mut quotient = Poly::default();
        let mut rest = self.clone();
        // Every step removes the leading term for good, and there are not many below it.
        for _ in 0..4 * MOST_TERMS {
            let Some((product, m)) = rest.leading() else { return Some(quotient) };
            let term = Poly::term(without(product, lead)?.into(), m.checked_div(n)?);
            if m % n != 0 {
                return None;
            }
            rest = rest.plus(&term.times(divisor)?, -1)?;
            quotient = quotient.plus(&term, 1)?;
        }
        None
    }

    /// `self = quotient * divisor + rest`, where no term of the rest is a multiple of the divisor's leading one.
    pub fn split_by(&self, divisor: &Poly) -> Option<(Poly, Poly)> {
        let (lead, n) = divisor.leading()?;
        let (mut quotient, mut rest, mut left) = (Poly::default(), Poly::default(), self.clone());
        for _ in 0..4 * MOST_TERMS {
            let Some((product, m)) = left.leading() else { return Some((quotient, rest)) };
            match without(product, lead).zip(m.checked_div_euclid(n).filter(|factor| *factor != 0)) {
                Some((product, factor)) => {
                    let term = Poly::term(product.into(), factor);
                    left = left.plus(&term.times(divisor)?, -1)?;
                    quotient = quotient.plus(&term, 1)?;
                }
                None => {
                    let term = Poly::term(product.into(), m);
                    left = left.plus(&term, -1)?;
                    rest = rest.plus(&term, 1)?;
                }
            }
        }
        None
    }

    /// The term of the highest degree, of those the one with most of the first name, and so on: the order of a product
    /// of terms is that of its factors.
    fn leading(&self) -> Option<(&[Name], i128)> {
        self.terms().max_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| b.cmp(a)))
    }

    /// The greatest number that divides all coefficients; 0 for nothing.
    pub fn content(&self) -> i128 {
        self.terms().fold(0, |g, (_, n)| gcd(g, n))
    }

    /// With coefficients modulo 2^64, between -2^63 and 2^63.
    pub fn wrapped(mut self) -> Poly {
        self.terms.retain_mut(|(_, n)| {
            *n = i128::from(*n as i64);
            *n != 0
        });
        self
    }

    /// With polynomials in the place of some names; none if it is too large or no name was replaced.
    pub fn replace(&self, get: impl Fn(Name) -> Option<Poly>) -> Option<Poly> {
        let meanings: FxHashMap<Name, Poly> = self.names().filter_map(|name| Some((name, get(name)?))).collect();
        if meanings.is_empty() {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len());
        for (product, n) in &self.terms {
            let (replaced, kept): (Product, Product) =
                product.iter().copied().partition(|name| meanings.contains_key(name));
            let term = replaced.iter().try_fold(Poly::term(kept, *n), |term, name| term.times(&meanings[name]))?;
            terms.extend(term.terms);
        }
        Poly::sum(terms)
    }
}

/// A sorted product divided by another one: its names without those of the other, if it has them all.
pub(crate) fn without(product: &[Name], part: &[Name]) -> Option<Vec<Name>> {
    let mut part = part.iter().peekable();
    let rest = product.iter().filter(|name| part.next_if_eq(name).is_none()).copied().collect();
    part.peek().is_none().then_some(rest)
}

/// Not negative; of 0 and `n` it is `|n|`.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `2*n_1*m_2 + -1*k_3 + 4`, the constant last; `0` for nothing.
impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        // The constant is the least term.
        let (constant, others): (Vec<_>, Vec<_>) = self.terms().partition(|(product, _)| product.is_empty());
        for (i, (product, n)) in others.into_iter().chain(constant).enumerate() {
            if i > 0 {
                f.write_str(" + ")?;
            }
            if n != 1 || product.is_empty() {
                write!(f, "{n}")?;
            }
            for (j, name) in product.iter().enumerate() {
                write!(f, "{}{name}", if j > 0 || n != 1 { "*" } else { "" })?;
            }
        }
        Ok(())
    }
}
