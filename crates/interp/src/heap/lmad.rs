//! Layouts with numbers in them.

use smallvec::SmallVec;

/// Where the elements of an array are: [`kenaz_ir::Layout`] with all names known. The digits of all dimensions form one
/// list, so that the elements in row-major order are those in row-major order of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lmad {
    pub offset: i64,
    pub pairs: SmallVec<[Pair; 4]>,
    /// How many of the pairs belong to each dimension.
    pub groups: SmallVec<[u8; 4]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub size: i64,
    pub stride: i64,
}

/// What a slice takes of a dimension.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    Fix(i64),
    Range { start: i64, len: i64, stride: i64 },
}

/// Elements in row-major order, where a slice may be no layout.
#[derive(Clone, Debug)]
pub(super) enum Elements {
    Layout(Lmad),
    /// The address of each.
    List(Vec<i64>),
}

pub(super) type Shape = SmallVec<[i64; 4]>;

impl Lmad {
    /// Row-major from 0 on.
    pub(super) fn row_major(shape: &[i64]) -> Lmad {
        let mut pairs: SmallVec<[Pair; 4]> = shape.iter().map(|n| Pair { size: (*n).max(0), stride: 1 }).collect();
        let mut stride = 1i64;
        for pair in pairs.iter_mut().rev() {
            pair.stride = stride;
            stride = stride.saturating_mul(pair.size.max(1));
        }
        Lmad { offset: 0, groups: SmallVec::from_elem(1, pairs.len()), pairs }
    }

    pub(super) fn rank(&self) -> usize {
        self.groups.len()
    }

    /// The pairs of each dimension.
    fn dims(&self) -> impl Iterator<Item = &[Pair]> {
        let mut rest = &self.pairs[..];
        self.groups.iter().map(move |n| {
            let (dim, others) = rest.split_at(usize::from(*n));
            rest = others;
            dim
        })
    }

    pub(super) fn shape(&self) -> Shape {
        self.dims().map(size).collect()
    }

    /// The number of elements; one that does not fit is that of no array.
    pub(super) fn len(&self) -> usize {
        self.pairs.iter().fold(1usize, |product, pair| product.saturating_mul(pair.size.max(0) as usize))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.iter().any(|pair| pair.size <= 0)
    }

    /// The address of the element, or of the first one of the row, with these indices; none if one is out of bounds.
    #[inline]
    pub(super) fn at(&self, indices: &[i64]) -> Option<i64> {
        let mut at = self.offset;
        if self.pairs.len() == self.groups.len() {
            for (i, pair) in indices.iter().zip(&self.pairs) {
                if *i < 0 || *i >= pair.size {
                    return None;
                }
                at = at.wrapping_add(i.wrapping_mul(pair.stride));
            }
            return Some(at);
        }
        for (i, dim) in indices.iter().zip(self.dims()) {
            at = at.wrapping_add(digits(dim, *i)?);
        }
        Some(at)
    }

    /// The row with these indices of the outer dimensions; none if one is out of bounds.
    pub(super) fn row(&self, indices: &[i64]) -> Option<Lmad> {
        let offset = self.at(indices)?;
        let gone: usize = self.groups.iter().take(indices.len()).map(|n| usize::from(*n)).sum();
        let groups = self.groups.get(indices.len()..)?;
        Some(Lmad { offset, pairs: SmallVec::from_slice(&self.pairs[gone..]), groups: SmallVec::from_slice(groups) })
    }

    /// A part of the array; none if it is out of bounds.
    pub(super) fn slice(&self, cuts: &[Cut]) -> Option<Elements> {
        if cuts.len() != self.rank() || cuts.iter().zip(self.dims()).any(|(cut, dim)| !cut.fits(size(dim))) {
            return None;
        }
        let mut part = Lmad { offset: self.offset, ..Lmad::default() };
        for (cut, dim) in cuts.iter().zip(self.dims()) {
            match *cut {
                Cut::Fix(i) => part.offset = part.offset.wrapping_add(digits(dim, i)?),
                Cut::Range { start: 0, len, stride: 1 } if len == size(dim) => {
                    part.pairs.extend_from_slice(dim);
                    part.groups.push(dim.len() as u8);
                }
                Cut::Range { start, len, stride } => {
                    let [pair] = dim else { return self.listed(cuts) };
                    part.offset = part.offset.wrapping_add(if len == 0 { 0 } else { start.wrapping_mul(pair.stride) });
                    part.pairs.push(Pair { size: len, stride: stride.wrapping_mul(pair.stride) });
                    part.groups.push(1);
                }
            }
        }
        Some(Elements::Layout(part))
    }

    /// A part element by element.
    fn listed(&self, cuts: &[Cut]) -> Option<Elements> {
        let mut list = vec![self.offset];
        for (cut, dim) in cuts.iter().zip(self.dims()) {
            let (start, len, stride) = match *cut {
                Cut::Fix(i) => (i, 1, 1),
                Cut::Range { start, len, stride } => (start, len, stride),
            };
            let mut next = Vec::with_capacity(list.len().saturating_mul(len as usize));
            for at in list {
                for i in 0..len {
                    next.push(at.wrapping_add(digits(dim, start.wrapping_add(i.wrapping_mul(stride)))?));
                }
            }
            list = next;
        }
        Some(Elements::List(list))
    }

    pub(super) fn permuted(&self, perm: &[usize]) -> Option<Lmad> {
        let dims: Vec<&[Pair]> = self.dims().collect();
        let mut result = Lmad { offset: self.offset, ..Lmad::default() };
        for i in perm {
            let dim = dims.get(*i)?;
            result.pairs.extend_from_slice(dim);
            result.groups.push(dim.len() as u8);
        }
        Some(result)
    }

    /// Another shape over the same elements in the same order, if it has a digit for each of the pairs.
    pub(super) fn reshaped(&self, shape: &[i64]) -> Option<Lmad> {
        let normal = self.normal();
        let mut result = Lmad { offset: self.offset, ..Lmad::default() };
        let mut pairs = normal.into_iter().rev();
        let mut pair = pairs.next();
        for size in shape.iter().rev() {
            if *size == 1 {
                result.pairs.push(Pair { size: 1, stride: 0 });
                continue;
            }
            let left = pair.as_mut()?;
            if left.size % size != 0 {
                return None;
            }
            result.pairs.push(Pair { size: *size, stride: left.stride });
            *left = Pair { size: left.size / size, stride: left.stride.wrapping_mul(*size) };
            if left.size == 1 {
                pair = pairs.next();
            }
        }
        result.pairs.reverse();
        result.groups = SmallVec::from_elem(1, shape.len());
        pair.is_none().then_some(result)
    }

    /// As few pairs as possible: there is only one such list for each order of addresses.
    fn normal(&self) -> SmallVec<[Pair; 4]> {
        let mut out: SmallVec<[Pair; 4]> = SmallVec::new();
        for pair in self.pairs.iter().filter(|pair| pair.size != 1) {
            match out.last_mut() {
                Some(outer) if outer.stride == pair.stride.wrapping_mul(pair.size) => {
                    *outer = Pair { size: outer.size.wrapping_mul(pair.size), stride: pair.stride };
                }
                _ => out.push(*pair),
            }
        }
        out
    }

    /// Calls `f` with the first address, the number and the stride of elements, over and over until it had all, in
    /// row-major order.
    pub(super) fn runs<E>(&self, mut f: impl FnMut(i64, usize, i64) -> Result<(), E>) -> Result<(), E> {
        if self.is_empty() {
            return Ok(());
        }
        let normal = self.normal();
        let Some((last, outer)) = normal.split_last() else { return f(self.offset, 1, 1) };
        let mut counter: SmallVec<[i64; 4]> = SmallVec::from_elem(0, outer.len());
        let mut at = self.offset;
        loop {
            f(at, last.size as usize, last.stride)?;
            let mut k = outer.len();
            loop {
                if k == 0 {
                    return Ok(());
                }
                k -= 1;
                counter[k] += 1;
                at = at.wrapping_add(outer[k].stride);
                if counter[k] < outer[k].size {
                    break;
                }
                at = at.wrapping_sub(outer[k].stride.wrapping_mul(outer[k].size));
                counter[k] = 0;
            }
        }
    }

    /// The lowest and the highest address, unless there are no elements.
    fn range(&self) -> Option<(i64, i64)> {
        let mut range = (self.offset, self.offset);
        for pair in &self.pairs {
            let span = pair.stride.saturating_mul(pair.size - 1);
            range.0 = range.0.saturating_add(span.min(0));
            range.1 = range.1.saturating_add(span.max(0));
        }
        (!self.is_empty()).then_some(range)
    }
}

impl Cut {
    /// Whether it stays within a dimension.
    fn fits(self, size: i64) -> bool {
        match self {
            Cut::Fix(i) => 0 <= i && i < size,
            Cut::Range { len, .. } if len <= 0 => len == 0,
            Cut::Range { start, len, stride } => {
                let last = (len - 1).checked_mul(stride).and_then(|n| n.checked_add(start));
                0 <= start && start < size && last.is_some_and(|last| 0 <= last && last < size)
            }
        }
    }
}

impl Elements {
    pub(super) fn len(&self) -> usize {
        match self {
            Elements::Layout(layout) => layout.len(),
            Elements::List(list) => list.len(),
        }
    }

    pub(super) fn runs<E>(&self, mut f: impl FnMut(i64, usize, i64) -> Result<(), E>) -> Result<(), E> {
        match self {
            Elements::Layout(layout) => layout.runs(f),
            Elements::List(list) => list.iter().try_for_each(|at| f(*at, 1, 1)),
        }
    }

    /// The same addresses in the same order.
    pub(super) fn same(&self, other: &Elements) -> bool {
        match (self, other) {
            (Elements::Layout(a), Elements::Layout(b)) => {
                a.is_empty() && b.is_empty() || a.offset == b.offset && a.normal() == b.normal()
            }
            (Elements::Layout(_) | Elements::List(_), _) => self.addresses() == other.addresses(),
        }
    }

    /// Whether they have an address in common.
    pub(super) fn overlaps(&self, other: &Elements) -> bool {
        let ((a, b), (c, d)) = match (self.range(), other.range()) {
            (Some(a), Some(b)) => (a, b),
            (None, _) | (_, None) => return false,
        };
        if b < c || d < a {
            return false;
        }
        let mut mine = self.addresses();
        mine.sort_unstable();
        other.addresses().iter().any(|at| mine.binary_search(at).is_ok())
    }

    fn range(&self) -> Option<(i64, i64)> {
        match self {
            Elements::Layout(layout) => layout.range(),
            Elements::List(list) => Some((*list.iter().min()?, *list.iter().max()?)),
        }
    }

    fn addresses(&self) -> Vec<i64> {
        let mut out = Vec::with_capacity(self.len());
        let done: Result<(), std::convert::Infallible> = self.runs(|at, n, stride| {
            out.extend((0..n as i64).map(|i| at.wrapping_add(i.wrapping_mul(stride))));
            Ok(())
        });
        let Ok(()) = done;
        out
    }
}

fn size(dim: &[Pair]) -> i64 {
    dim.iter().fold(1i64, |product, pair| product.saturating_mul(pair.size.max(0)))
}

/// How far from the first element of a dimension the one with this index is.
fn digits(dim: &[Pair], i: i64) -> Option<i64> {
    if i < 0 || i >= size(dim) {
        return None;
    }
    let (mut rest, mut at) = (i, 0i64);
    for pair in dim.iter().rev() {
        at = at.wrapping_add((rest % pair.size).wrapping_mul(pair.stride));
        rest /= pair.size;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    fn nested() -> Lmad {
        // 6 elements: 3 rows of 2, read down the columns.
        let pairs = smallvec![Pair { size: 2, stride: 1 }, Pair { size: 3, stride: 2 }];
        Lmad { offset: 10, pairs, groups: smallvec![2] }
    }

    #[test]
    fn nests_are_digits() {
        let layout = nested();
        assert_eq!(layout.shape().as_slice(), [6]);
        let addresses: Vec<i64> = (0..6).filter_map(|i| layout.at(&[i])).collect();
        assert_eq!(addresses, [10, 12, 14, 11, 13, 15]);
        assert_eq!(layout.at(&[6]), None);
        assert_eq!(Elements::Layout(layout.clone()).addresses(), addresses);
        let part = layout.slice(&[Cut::Range { start: 1, len: 3, stride: 2 }]).unwrap();
        assert_eq!(part.addresses(), [12, 11, 15]);
        // Apart, the digits are a transposed matrix.
        let matrix = layout.reshaped(&[2, 3]).unwrap();
        assert_eq!(matrix.groups.as_slice(), [1, 1]);
        assert_eq!(matrix.row(&[1]).unwrap().at(&[2]), Some(15));
        assert_eq!(layout.reshaped(&[3, 2]), None);
    }

    #[test]
    fn layouts_are_the_same_if_their_addresses_are() {
        let matrix = Lmad::row_major(&[4, 1, 3]);
        let flat = Lmad::row_major(&[12]);
        let same = |a: &Lmad, b: &Lmad| Elements::Layout(a.clone()).same(&Elements::Layout(b.clone()));
        assert!(same(&matrix, &flat));
        assert!(!same(&matrix, &matrix.permuted(&[2, 1, 0]).unwrap()));
        let row = matrix.row(&[2]).unwrap();
        let slice = flat.slice(&[Cut::Range { start: 6, len: 3, stride: 1 }]).unwrap();
        assert!(slice.same(&Elements::Layout(row.clone())));
        assert!(slice.same(&Elements::List(vec![6, 7, 8])));
        assert!(slice.overlaps(&Elements::Layout(flat.clone())));
        assert!(!slice.overlaps(&Elements::Layout(matrix.row(&[1]).unwrap())));
        let odd = flat.slice(&[Cut::Range { start: 1, len: 6, stride: 2 }]).unwrap();
        let even = flat.slice(&[Cut::Range { start: 10, len: 6, stride: -2 }]).unwrap();
        assert!(!odd.overlaps(&even));
        assert_eq!(even.addresses(), [10, 8, 6, 4, 2, 0]);
        assert!(flat.slice(&[Cut::Range { start: 10, len: 7, stride: -2 }]).is_none());
    }
}
