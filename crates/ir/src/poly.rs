//! Polynomials over names with integer coefficients.

use crate::name::Name;
use crate::op::BinOp;
use crate::prog::Operand;
use crate::value::Scalar;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;

/// More terms, or a higher degree, than this and an expression is left as it is.
const MOST_TERMS: usize = 32;
const HIGHEST_DEGREE: usize = 32;

/// Each product of names, sorted, with its coefficient, which is not zero; the constant belongs to the empty product.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Poly {
    terms: BTreeMap<Vec<Name>, i128>,
}

impl Poly {
    pub fn constant(n: i128) -> Poly {
        Poly::default().plus_term(Vec::new(), n).unwrap_or_default()
    }

    pub fn name(name: Name) -> Poly {
        Poly { terms: BTreeMap::from([(vec![name], 1)]) }
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
        self.terms.keys().flatten().copied()
    }

    pub fn coefficient(&self, product: &[Name]) -> i128 {
        self.terms.get(product).copied().unwrap_or(0)
    }

    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&[][..]).copied(),
            _ => None,
        }
    }

    fn plus_term(mut self, product: Vec<Name>, n: i128) -> Option<Poly> {
        let sum = self.coefficient(&product).checked_add(n)?;
        if sum == 0 {
            self.terms.remove(&product);
        } else {
            self.terms.insert(product, sum);
        }
        (self.terms.len() <= MOST_TERMS).then_some(self)
    }

    /// `self + factor * other`, if it is not too large.
    pub fn plus(&self, other: &Poly, factor: i128) -> Option<Poly> {
        let mut sum = self.clone();
        for (product, n) in other.terms() {
            sum = sum.plus_term(product.to_vec(), n.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (a, n) in self.terms() {
            for (b, m) in other.terms() {
                let mut product = [a, b].concat();
                product.sort_unstable();
                if product.len() > HIGHEST_DEGREE {
                    return None;
                }
                result = result.plus_term(product, n.checked_mul(m)?)?;
            }
        }
        Some(result)
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
        let mut quotient = Poly::default();
        let mut rest = self.clone();
        // Every step removes the leading term for good, and there are not many below it.
        for _ in 0..4 * MOST_TERMS {
            let Some((product, m)) = rest.leading() else { return Some(quotient) };
            let term = Poly::default().plus_term(without(product, lead)?, m.checked_div(n)?)?;
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
                    let term = Poly::default().plus_term(product, factor)?;
                    left = left.plus(&term.times(divisor)?, -1)?;
                    quotient = quotient.plus(&term, 1)?;
                }
                None => {
                    let term = Poly::default().plus_term(product.to_vec(), m)?;
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
        self.terms.retain(|_, n| {
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
        let mut result = Poly::default();
        for (product, n) in self.terms() {
            let mut term = Poly::constant(n);
            for name in product {
                term = match meanings.get(name) {
                    Some(poly) => term.times(poly)?,
                    None => term.times(&Poly::name(*name))?,
                };
            }
            result = result.plus(&term, 1)?;
        }
        Some(result)
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
