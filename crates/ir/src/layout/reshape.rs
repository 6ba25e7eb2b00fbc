//! Reshaping, and what it rests on: which dimensions are one, which layouts are row-major.
//!
//! An array with other sizes is at the same addresses in the same order. So the dimensions are taken apart into pairs,
//! neighbours that together are one dimension are merged, and the pairs are dealt out to the new sizes: a pair may be
//! split, and a size may get several pairs as a nest.
//!
//! The products of the old and of the new sizes are equal, that is the rule of `reshape`. Where a product is 0 nothing
//! more follows, but then there is no element either.

use super::{Dim, Layout, Pair};
use crate::facts::Facts;
use crate::poly::Poly;

impl Layout {
    /// The same elements in the same order with other sizes.
    pub fn reshape(&self, sizes: &[Poly], facts: &Facts) -> Option<Layout> {
        let is = |size: &Poly, n| facts.proves_poly_eq(size, &Poly::constant(n));
        let pairs = merged(self.dims.iter().flat_map(|dim| &dim.0), facts)?;
        let dims = match &pairs[..] {
            // One element: all strides are the same.
            [] => row_major(sizes, &Poly::constant(1))?,
            [pair] => row_major(sizes, &pair.stride)?,
            _ => {
                let long: Vec<Poly> = sizes.iter().filter(|size| !is(size, 1)).cloned().collect();
                let dealt = deal(&pairs, &long, End::Outer, facts).or_else(|| deal(&pairs, &long, End::Inner, facts));
                let mut dealt = dealt?.into_iter();
                let dim = |size: &Poly| if is(size, 1) { Some(unit(size)) } else { dealt.next() };
                sizes.iter().map(dim).collect::<Option<_>>()?
            }
        };
        Some(Layout { offset: self.offset.clone(), dims })
    }

    /// Whether the elements follow each other in their order, from any offset on. What the stride of a dimension of
    /// size 1 is does not matter.
    pub fn is_row_major(&self, facts: &Facts) -> bool {
        let Some(pairs) = merged(self.dims.iter().flat_map(|dim| &dim.0), facts) else { return false };
        match &pairs[..] {
            [] => true,
            [pair] => facts.proves_poly_eq(&pair.stride, &Poly::constant(1)),
            _ => false,
        }
    }

    /// Whether the elements follow each other in some order of the dimensions: they are an interval of addresses.
    pub fn is_contiguous(&self, facts: &Facts) -> bool {
        let Some(mut pairs) = merged(self.dims.iter().flat_map(|dim| &dim.0), facts) else { return false };
        let mut stride = Poly::constant(1);
        while !pairs.is_empty() {
            let Some(at) = pairs.iter().position(|pair| facts.proves_poly_eq(&pair.stride, &stride)) else {
                return false;
            };
            let Some(next) = stride.times(&pairs.remove(at).size) else { return false };
            stride = next;
        }
        true
    }

    /// Whether it is the same map from indices to addresses.
    pub fn same(&self, other: &Layout, facts: &Facts) -> bool {
        self == other
            || self.rank() == other.rank()
                && facts.proves_poly_eq(&self.offset, &other.offset)
                && (self.dims.iter().zip(&other.dims).all(|(a, b)| same_dim(a, b, facts))
                    || self.same_rows(other, facts))
    }

    /// Whether both are row-major and have the same sizes: their strides may be products that are hard to compare.
    fn same_rows(&self, other: &Layout, facts: &Facts) -> bool {
        let same_size = |(a, b): (&Dim, &Dim)| match (a.size(), b.size()) {
            (Some(a), Some(b)) => facts.proves_poly_eq(&a, &b),
            _ => false,
        };
        self.dims.iter().zip(&other.dims).all(same_size) && self.is_row_major(facts) && other.is_row_major(facts)
    }
}

impl Dim {
    /// Whether a nest of pairs is one dimension for all who look at it.
    pub(crate) fn is_one(&self, facts: &Facts) -> bool {
        merged(&self.0, facts).is_some_and(|pairs| pairs.len() <= 1)
    }
}

fn same_dim(a: &Dim, b: &Dim, facts: &Facts) -> bool {
    let eq = |x: &Poly, y: &Poly| facts.proves_poly_eq(x, y);
    let (Some(pairs), Some(others)) = (merged(&a.0, facts), merged(&b.0, facts)) else { return false };
    pairs.len() == others.len()
        && pairs.iter().zip(&others).all(|(a, b)| eq(&a.size, &b.size) && eq(&a.stride, &b.stride))
}

/// Pairs without those of size 1, neighbours that are one dimension merged.
pub(super) fn merged<'a>(pairs: impl IntoIterator<Item = &'a Pair>, facts: &Facts) -> Option<Vec<Pair>> {
    let one = Poly::constant(1);
    let mut merged: Vec<Pair> = Vec::new();
    for pair in pairs {
        if facts.proves_poly_eq(&pair.size, &one) {
            continue;
        }
        let run = pair.size.times(&pair.stride)?;
        match merged.last_mut() {
            Some(last) if facts.proves_poly_eq(&last.stride, &run) => {
                *last = Pair { size: last.size.times(&pair.size)?, stride: pair.stride.clone() };
            }
            _ => merged.push(pair.clone()),
        }
    }
    Some(merged)
}

/// Dimensions of these sizes that follow each other at this distance.
fn row_major(sizes: &[Poly], stride: &Poly) -> Option<Vec<Dim>> {
    let mut stride = stride.clone();
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        dims.push(Dim::new(size.clone(), stride.clone()));
        stride = stride.times(size)?;
    }
    dims.reverse();
    Some(dims)
}

/// A dimension of size 1.
fn unit(size: &Poly) -> Dim {
    Dim::new(size.clone(), Poly::constant(1))
}

/// From which end pairs are dealt out. One of them may succeed where the other does not, because a quotient of sizes is
/// not always a polynomial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Outer,
    Inner,
}

impl End {
    fn take<T>(self, list: &mut Vec<T>) -> Option<T> {
        match self {
            End::Outer if list.is_empty() => None,
            End::Outer => Some(list.remove(0)),
            End::Inner => list.pop(),
        }
    }

    fn put<T>(self, list: &mut Vec<T>, x: T) {
        match self {
            End::Outer => list.insert(0, x),
            End::Inner => list.push(x),
        }
    }
}

/// Deals the pairs out to the sizes, none of which is 1.
fn deal(pairs: &[Pair], sizes: &[Poly], end: End, facts: &Facts) -> Option<Vec<Dim>> {
    let mut pairs = pairs.to_vec();
    let mut sizes = sizes.to_vec();
    // In the order in which they are dealt.
    let mut dims: Vec<Dim> = Vec::new();
    while !sizes.is_empty() {
        if let Some((count, run)) = run_of(&pairs, &sizes, end, facts) {
            end.take(&mut pairs);
            for _ in 0..count {
                end.take(&mut sizes);
            }
            match end {
                End::Outer => dims.extend(run),
                End::Inner => dims.extend(run.into_iter().rev()),
            }
            continue;
        }
        let size = end.take(&mut sizes)?;
        dims.push(nest(&mut pairs, &size, end, facts)?);
    }
    if end == End::Inner {
        dims.reverse();
    }
    pairs.is_empty().then_some(dims)
}

/// The dimensions of the sizes at this end whose product is the next pair's size, and how many these are.
fn run_of(pairs: &[Pair], sizes: &[Poly], end: End, facts: &Facts) -> Option<(usize, Vec<Dim>)> {
    let pair = if end == End::Outer { pairs.first() } else { pairs.last() }?;
    // The last pair belongs to the sizes that are left.
    let last = pairs.len() == 1;
    for count in (1..=sizes.len()).rev().filter(|count| !last || *count == sizes.len()) {
        let run = if end == End::Outer { &sizes[..count] } else { &sizes[sizes.len() - count..] };
        let product = || run.iter().try_fold(Poly::constant(1), |product, size| product.times(size));
        if last || product().is_some_and(|product| facts.proves_poly_eq(&product, &pair.size)) {
            return Some((count, row_major(run, &pair.stride)?));
        }
    }
    None
}

/// Takes pairs for a size, the last of them perhaps only in part.
fn nest(pairs: &mut Vec<Pair>, size: &Poly, end: End, facts: &Facts) -> Option<Dim> {
    let mut nest: Vec<Pair> = Vec::new();
    let mut needed = facts.normal(size);
    let done = loop {
        let Pair { size, stride } = end.take(pairs)?;
        if facts.proves_poly_eq(&needed, &size) {
            break Pair { size, stride };
        }
        let known = facts.normal(&size);
        if let Some(rest) = known.divided_by(&needed) {
            // The part at this end is taken, the other is left.
            let (outer, inner) = if end == End::Outer { (&needed, &rest) } else { (&rest, &needed) };
            let outer = Pair { size: outer.clone(), stride: stride.times(inner)? };
            let inner = Pair { size: inner.clone(), stride };
            let (taken, left) = if end == End::Outer { (outer, inner) } else { (inner, outer) };
            end.put(pairs, left);
            break taken;
        }
        needed = needed.divided_by(&known)?;
        nest.push(Pair { size, stride });
    };
    if nest.is_empty() {
        return Some(Dim::new(size.clone(), done.stride));
    }
    nest.push(done);
    if end == End::Inner {
        nest.reverse();
    }
    Some(Dim(nest))
}
