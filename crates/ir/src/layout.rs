//! Layouts: where in a block the elements of an array are.
//!
//! A layout is a linear memory access descriptor, `offset + {(size : stride) …}` in elements, where a dimension may be
//! a nest of such pairs: the index along it is split into digits, the last pair being the lowest, as a row-major array
//! of these sizes would be indexed. Offsets, sizes and strides are polynomials over names of type `i64`.
//!
//! `view` and `reshape` have the operations, `overlap` the questions about the addresses.
//!
//! Every operation gives `None` where the result is no layout (or its polynomials would be too large): then the array
//! has to be copied, or its index computed first.

mod overlap;
mod reshape;
mod strided;
mod view;

pub use overlap::disjoint;

use crate::facts::Facts;
use crate::name::Name;
use crate::poly::Poly;
use crate::prog::Operand;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub offset: Poly,
    pub dims: Vec<Dim>,
}

/// A dimension: at least one pair, the outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dim(pub Vec<Pair>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    pub size: Poly,
    pub stride: Poly,
}

/// What a slice takes of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimRange {
    Fix(Poly),
    Range { start: Poly, len: Poly, stride: Poly },
}

impl Dim {
    pub fn new(size: Poly, stride: Poly) -> Dim {
        Dim(vec![Pair { size, stride }])
    }

    /// The product of the sizes.
    pub fn size(&self) -> Option<Poly> {
        self.0.iter().try_fold(Poly::constant(1), |product, pair| product.times(&pair.size))
    }

    /// The distance from one element to the next, unless it is a nest.
    pub fn stride(&self) -> Option<&Poly> {
        match &self.0[..] {
            [pair] => Some(&pair.stride),
            _ => None,
        }
    }
}

impl Layout {
    /// Row-major, from the offset on.
    pub fn row_major_at(offset: Poly, sizes: &[Operand]) -> Option<Layout> {
        let mut dims = Vec::with_capacity(sizes.len());
        let mut stride = Poly::constant(1);
        for size in sizes.iter().rev() {
            let size = Poly::operand(*size)?;
            dims.push(Dim::new(size.clone(), stride.clone()));
            stride = stride.times(&size)?;
        }
        dims.reverse();
        Some(Layout { offset, dims })
    }

    pub fn row_major(sizes: &[Operand]) -> Option<Layout> {
        Layout::row_major_at(Poly::default(), sizes)
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The names in it, some perhaps more than once.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        let pairs = self.dims.iter().flat_map(|dim| &dim.0);
        self.offset.names().chain(pairs.flat_map(|pair| pair.size.names().chain(pair.stride.names())))
    }

    /// In terms of what its names mean.
    #[must_use]
    pub fn normal(&self, facts: &Facts) -> Layout {
        self.map(&mut |poly| Some(facts.normal(poly))).unwrap_or_else(|| self.clone())
    }

    /// With every polynomial changed.
    pub fn map(&self, f: &mut impl FnMut(&Poly) -> Option<Poly>) -> Option<Layout> {
        let offset = f(&self.offset)?;
        let mut dims = Vec::with_capacity(self.dims.len());
        for dim in &self.dims {
            let mut pairs = Vec::with_capacity(dim.0.len());
            for pair in &dim.0 {
                pairs.push(Pair { size: f(&pair.size)?, stride: f(&pair.stride)? });
            }
            dims.push(Dim(pairs));
        }
        Some(Layout { offset, dims })
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} : {})", self.size, self.stride)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [pair] => write!(f, "{pair}"),
            pairs => {
                f.write_str("(")?;
                pairs.iter().try_for_each(|pair| write!(f, "{pair}"))?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} + {{", self.offset)?;
        for (i, dim) in self.dims.iter().enumerate() {
            write!(f, "{}{dim}", if i > 0 { " " } else { "" })?;
        }
        f.write_str("}")
    }
}
