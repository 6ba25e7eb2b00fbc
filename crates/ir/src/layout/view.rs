//! Views: layouts computed from others.

use super::{Dim, DimRange, Layout, Pair};
use crate::poly::Poly;

impl Layout {
    /// The layout that remains when the outermost dimensions are fixed. An index along a nest has to be a constant, and
    /// so have the sizes of its inner pairs.
    pub fn index(&self, indices: &[Poly]) -> Option<Layout> {
        let (fixed, rest) = self.dims.split_at_checked(indices.len())?;
        let offset = fixed
            .iter()
            .zip(indices)
            .try_fold(self.offset.clone(), |offset, (dim, index)| offset.plus(&dim.distance(index)?, 1))?;
        Some(Layout { offset, dims: rest.to_vec() })
    }

    /// The address of an element.
    pub fn address(&self, index: &[Poly]) -> Option<Poly> {
        let element = self.index(index)?;
        element.dims.is_empty().then_some(element.offset)
    }

    /// One range for each dimension; those that are fixed go away.
    pub fn slice(&self, ranges: &[DimRange]) -> Option<Layout> {
        if ranges.len() != self.rank() {
            return None;
        }
        let mut offset = self.offset.clone();
        let mut dims = Vec::with_capacity(self.rank());
        for (dim, range) in self.dims.iter().zip(ranges) {
            let distance = match range {
                DimRange::Fix(index) => dim.distance(index)?,
                DimRange::Range { start, len, stride } => {
                    let (distance, pairs) = slice_pairs(&dim.0, start, len, stride)?;
                    dims.push(Dim(pairs));
                    distance
                }
            };
            offset = offset.plus(&distance, 1)?;
        }
        Some(Layout { offset, dims })
    }

    /// Dimension `i` of the result is the one at `perm[i]`, for a permutation of the dimensions.
    pub fn permute(&self, perm: &[usize]) -> Layout {
        Layout { offset: self.offset.clone(), dims: perm.iter().map(|i| self.dims[*i].clone()).collect() }
    }

    /// The layout that `permute` makes this one of.
    pub fn unpermute(&self, perm: &[usize]) -> Layout {
        let mut dims = self.dims.clone();
        for (dim, at) in self.dims.iter().zip(perm) {
            dims[*at] = dim.clone();
        }
        Layout { offset: self.offset.clone(), dims }
    }

    /// With other names for the same sizes.
    pub fn resize(&self, sizes: &[Poly]) -> Option<Layout> {
        if sizes.len() != self.rank() {
            return None;
        }
        let resized = |(dim, size): (&Dim, &Poly)| match &dim.0[..] {
            [pair] => Dim::new(size.clone(), pair.stride.clone()),
            _ => dim.clone(),
        };
        let dims = self.dims.iter().zip(sizes).map(resized).collect();
        Some(Layout { offset: self.offset.clone(), dims })
    }

    /// Repeated along new outer dimensions.
    pub fn broadcast(&self, outer: &[Poly]) -> Layout {
        let repeated = outer.iter().map(|size| Dim::new(size.clone(), Poly::default()));
        Layout { offset: self.offset.clone(), dims: repeated.chain(self.dims.iter().cloned()).collect() }
    }

    /// The elements at `offset + i*s + …` of a one-dimensional array, for each size and stride `s` an index.
    pub fn flat(&self, offset: &Poly, dims: &[(Poly, Poly)]) -> Option<Layout> {
        let [dim] = &self.dims[..] else { return None };
        let stride = dim.stride()?;
        let offset = self.offset.plus(&offset.times(stride)?, 1)?;
        let pick = |(size, step): &(Poly, Poly)| Some(Dim::new(size.clone(), step.times(stride)?));
        Some(Layout { offset, dims: dims.iter().map(pick).collect::<Option<_>>()? })
    }

    pub fn sizes(&self) -> Option<Vec<Poly>> {
        self.dims.iter().map(Dim::size).collect()
    }
}

impl Dim {
    /// How far the element at an index is from the first one.
    fn distance(&self, index: &Poly) -> Option<Poly> {
        match &self.0[..] {
            [pair] => index.times(&pair.stride),
            _ if index.is_zero() => Some(Poly::default()),
            pairs => digits(pairs, index.as_constant()?),
        }
    }
}

/// How far the element at an index is from the first one.
fn digits(pairs: &[Pair], mut index: i128) -> Option<Poly> {
    let mut distance = Poly::default();
    for (i, pair) in pairs.iter().enumerate().rev() {
        let digit = if i == 0 {
            index
        } else {
            let size = pair.size.as_constant().filter(|size| *size > 0)?;
            let digit = index.rem_euclid(size);
            index = index.div_euclid(size);
            digit
        };
        distance = distance.plus(&pair.stride, digit)?;
    }
    Some(distance)
}

/// The distance to the first element of a range, and its pairs.
fn slice_pairs(pairs: &[Pair], start: &Poly, len: &Poly, step: &Poly) -> Option<(Poly, Vec<Pair>)> {
    let one = Poly::constant(1);
    let (outer, inner) = pairs.split_first()?;
    if inner.is_empty() {
        let pair = Pair { size: len.clone(), stride: outer.stride.times(step)? };
        return Some((start.times(&outer.stride)?, vec![pair]));
    }
    if *len == one {
        let distance = Dim(pairs.to_vec()).distance(start)?;
        return Some((distance, vec![Pair { size: one, stride: Poly::default() }]));
    }
    let size = Dim(pairs.to_vec()).size()?;
    if *len == size && start.is_zero() && *step == one {
        return Some((Poly::default(), pairs.to_vec()));
    }
    // The whole backwards: every digit backwards.
    if *len == size && start.plus(&one, 1)? == size && step.as_constant() == Some(-1) {
        let mut distance = Poly::default();
        let mut reversed = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let last = pair.size.plus(&one, -1)?;
            distance = distance.plus(&last.times(&pair.stride)?, 1)?;
            reversed.push(Pair { size: pair.size.clone(), stride: pair.stride.times_constant(-1)? });
        }
        return Some((distance, reversed));
    }
    let inner_size = Dim(inner.to_vec()).size()?;
    // Whole runs of the inner pairs.
    if *step == one
        && let (Some(first), Some(count)) = (start.divided_by(&inner_size), len.divided_by(&inner_size))
    {
        let mut pairs = pairs.to_vec();
        pairs[0].size = count;
        return Some((first.times(&outer.stride)?, pairs));
    }
    // One element of each run, or of some.
    if let (Some(first), Some(step)) = (start.divided_by(&inner_size), step.divided_by(&inner_size)) {
        let pair = Pair { size: len.clone(), stride: outer.stride.times(&step)? };
        return Some((first.times(&outer.stride)?, vec![pair]));
    }
    let (first, count, width, step) =
        (start.as_constant()?, len.as_constant()?, inner_size.as_constant()?, step.as_constant()?);
    if width <= 0 || count <= 0 {
        return None;
    }
    let (run, at) = (first.div_euclid(width), first.rem_euclid(width));
    let last = count.checked_sub(1)?.checked_mul(step)?.checked_add(at)?;
    let (distance, pairs) = if step % width == 0 {
        let stride = outer.stride.times_constant(step / width)?;
        (digits(inner, at)?, vec![Pair { size: len.clone(), stride }])
    } else if (0..width).contains(&last) {
        slice_pairs(inner, &Poly::constant(at), len, &Poly::constant(step))?
    } else {
        return None;
    };
    Some((distance.plus(&outer.stride, run)?, pairs))
}
