//! Index expressions.
//!
//! The index of an element is a polynomial over names. When an access is written, the polynomial is split along the
//! loops around it: what does not change in the innermost loop is bound outside it, and so on outwards. With
//! `i*m + j + 1` in the loop over `j` inside that over `i`, `i*m` is bound in the outer loop and the access is at
//! `b + j + 1`. The constant stays at the access, so that neighbours share what is bound.

use super::Lower;
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir::layout::Dim;
use kenaz_ir::{Layout, Name, Operand, Poly};
use std::collections::BTreeMap;

/// Polynomials with more terms than this, or after so many steps, are not expanded further.
const MOST_TERMS: usize = 8;
const MOST_STEPS: usize = 8;

impl Lower<'_> {
    /// Where in its block the element at an index is. There is an index for each dimension.
    pub(super) fn address(&mut self, layout: &Layout, index: &[Poly]) -> Poly {
        let mut sum = layout.offset.clone();
        for (dim, i) in layout.dims.iter().zip(index) {
            sum = self.plus_along(sum, dim, i);
        }
        sum
    }

    fn plus_along(&mut self, sum: Poly, dim: &Dim, i: &Poly) -> Poly {
        if let Some(stride) = dim.stride() {
            let term = self.times(i, stride);
            return self.plus(&sum, &term);
        }
        // The digits of the index, the lowest first.
        let mut sum = sum;
        let mut rest = i.clone();
        for (at, pair) in dim.0.iter().enumerate().rev() {
            let digit = if at == 0 {
                rest.clone()
            } else {
                let (low, high) = self.divided(&rest, &pair.size);
                rest = high;
                low
            };
            let term = self.times(&digit, &pair.stride);
            sum = self.plus(&sum, &term);
        }
        sum
    }

    /// Remainder and quotient.
    fn divided(&mut self, i: &Poly, by: &Poly) -> (Poly, Poly) {
        if let (Some(i), Some(by)) = (i.as_constant(), by.as_constant())
            && i >= 0
            && by > 0
        {
            return (Poly::constant(i % by), Poly::constant(i / by));
        }
        if let Some(Operand::Var(name)) = i.as_operand()
            && let Some((low, high, of)) = self.digits.get(&name).cloned()
            && self.scope.equal(&of, by)
        {
            return (low, high);
        }
        let (x, y) = (self.index(i), self.index(by));
        let rem = self.bound("d", Exp::rem(x.clone(), y.clone()));
        let quot = self.bound("d", Exp::quot(x, y));
        (Poly::name(rem), Poly::name(quot))
    }

    fn bound(&mut self, base: &str, value: Exp) -> Name {
        let name = self.fresh(base);
        self.variable(name, Prim::I64);
        self.push(Stm::Let { name, prim: Prim::I64, value });
        name
    }

    /// The sum; one that is too large gets a name for each part.
    pub(super) fn plus(&mut self, a: &Poly, b: &Poly) -> Poly {
        a.plus(b, 1).unwrap_or_else(|| self.named(a).plus(&self.named(b), 1).unwrap_or_default())
    }

    pub(super) fn times(&mut self, a: &Poly, b: &Poly) -> Poly {
        a.times(b).unwrap_or_else(|| self.named(a).times(&self.named(b)).unwrap_or_default())
    }

    fn named(&mut self, poly: &Poly) -> Poly {
        let value = self.index(poly);
        Poly::name(self.bound("s", value))
    }

    /// The expression for a polynomial, here.
    pub(super) fn index(&mut self, poly: &Poly) -> Exp {
        // A name may stand for something that was computed outside of the innermost loop.
        let poly = self.scope.resolved(&self.expanded(poly));
        self.split(&poly, self.here())
    }

    /// With the definitions of what is computed in the innermost loop, if that does not make it much larger.
    pub(super) fn expanded(&self, poly: &Poly) -> Poly {
        let Some(inner) = self.frames[self.here()].inner_loop else { return poly.clone() };
        let definition = |name: Name| self.definitions.get(&name).filter(|_| self.depth(name) >= inner).cloned();
        let most = MOST_TERMS.max(poly.terms().count());
        let mut poly = poly.clone();
        for _ in 0..MOST_STEPS {
            match poly.replace(definition) {
                Some(next) if next.terms().count() <= most => poly = next.wrapped(),
                _ => break,
            }
        }
        poly
    }

    fn depth(&self, name: Name) -> usize {
        self.depths.get(&name).copied().unwrap_or(0)
    }

    /// An expression for use in a scope.
    fn split(&mut self, poly: &Poly, scope: usize) -> Exp {
        let Some(inner) = self.frames[scope].inner_loop else { return plain(poly) };
        let mut constant = 0;
        // For each product of what changes in the loop its factor, which does not.
        let mut parts: BTreeMap<Vec<Name>, Poly> = BTreeMap::new();
        for (product, n) in poly.terms() {
            if product.is_empty() {
                constant = n;
                continue;
            }
            let (changing, fixed): (Vec<Name>, Vec<Name>) = product.iter().partition(|x| self.depth(**x) >= inner);
            let factor = parts.entry(changing).or_default();
            let fixed = fixed.into_iter().try_fold(Poly::constant(n), |term, x| term.times(&Poly::name(x)));
            match fixed.and_then(|fixed| factor.plus(&fixed, 1)) {
                Some(sum) => *factor = sum,
                None => return plain(poly),
            }
        }
        let mut terms = Vec::new();
        for (changing, factor) in parts {
            if changing.is_empty() {
                terms.push((self.outside(&factor, inner), 1));
                continue;
            }
            let product = product(&changing);
            terms.push(match factor.as_constant() {
                Some(n) => (product, n),
                None => (Exp::mul(product, self.outside(&factor, inner)), 1),
            });
        }
        sum(terms, constant)
    }

    /// An expression that does not change in a loop, bound outside it unless it is simple.
    pub(super) fn outside(&mut self, poly: &Poly, inner: usize) -> Exp {
        let scope = inner.saturating_sub(1);
        if poly.as_operand().is_some() {
            return plain(poly);
        }
        if let Some(known) = self.frames[scope].bases.get(poly) {
            return known.clone();
        }
        let value = match self.split(poly, scope) {
            simple @ (Exp::Var(..) | Exp::Const(_)) => simple,
            value => Exp::var(self.let_outside("b", value, inner)),
        };
        self.frames[scope].bases.insert(poly.clone(), value.clone());
        value
    }

    /// Binds an `i64` in front of a loop.
    pub(super) fn let_outside(&mut self, base: &str, value: Exp, inner: usize) -> Name {
        let (name, scope) = (self.fresh(base), inner.saturating_sub(1));
        self.scope.variable(name, Prim::I64);
        self.depths.insert(name, scope);
        self.frames[scope].stms.push(Stm::Let { name, prim: Prim::I64, value });
        name
    }
}

fn product(names: &[Name]) -> Exp {
    names.iter().copied().map(Exp::var).reduce(Exp::mul).unwrap_or(Exp::i64(1))
}

/// The expression for a polynomial as it stands.
fn plain(poly: &Poly) -> Exp {
    let terms = poly.terms().filter(|(names, _)| !names.is_empty()).map(|(names, n)| (product(names), n));
    sum(terms.collect(), poly.coefficient(&[]))
}

/// The sum of expressions with factors and of a constant, modulo 2^64.
fn sum(terms: Vec<(Exp, i128)>, constant: i128) -> Exp {
    let mut terms: Vec<(Exp, i64)> = terms.into_iter().map(|(x, n)| (x, wrapped(n))).collect();
    // Positive terms first, so that the others can be subtracted.
    terms.sort_by_key(|(_, n)| *n < 0);
    let mut total: Option<Exp> = None;
    for (x, n) in terms {
        let times = |n: i64, x: Exp| if n == 1 { x } else { Exp::mul(x, Exp::i64(n)) };
        total = Some(match total {
            None => times(n, x),
            Some(total) if n < 0 && n != i64::MIN => Exp::sub(total, times(-n, x)),
            Some(total) => Exp::add(total, times(n, x)),
        });
    }
    let constant = wrapped(constant);
    match total {
        None => Exp::i64(constant),
        Some(total) if constant == 0 => total,
        Some(total) if constant < 0 && constant != i64::MIN => Exp::sub(total, Exp::i64(-constant)),
        Some(total) => Exp::add(total, Exp::i64(constant)),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "indices are modulo 2^64")]
fn wrapped(n: i128) -> i64 {
    n as i64
}
