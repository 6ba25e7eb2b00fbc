//! How a part lies in a whole.

use kenaz_ir::facts::Facts;
use kenaz_ir::layout::DimRange;
use kenaz_ir::{DimSlice, Layout, Operand, Place, Poly};

/// From the place of a whole to that of a part, or from the place of a view back to that of its array.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// The whole itself.
    Same,
    /// So many rows, from this one on.
    Rows {
        start: Poly,
        len: Operand,
    },
    /// What is at these indices of the outermost dimensions.
    At(Vec<Operand>),
    Slice(Vec<DimSlice>),
    /// Of a whole of one dimension: an offset, sizes and strides.
    Flat(Operand, Vec<(Operand, Operand)>),
    /// The array of which the whole is a rearrangement.
    Unpermute(Vec<usize>),
    /// The array with these dimensions of which the whole is a reshape.
    Reshape(Vec<Operand>),
    /// The array with these dimensions, which are equal to the whole's.
    Resize(Vec<Operand>),
}

impl Step {
    pub(super) fn apply(&self, place: &Place, facts: &Facts) -> Option<Place> {
        let layout = &place.layout;
        let layout = match self {
            Step::Same => layout.clone(),
            Step::Rows { start, len } => rows(layout, start.clone(), Poly::operand(*len)?)?,
            Step::At(indices) => layout.index(&polys(indices)?)?,
            Step::Slice(dims) => layout.slice(&ranges(dims)?)?,
            Step::Flat(offset, dims) => flat(layout, *offset, dims)?,
            Step::Unpermute(perm) => layout.unpermute(perm),
            Step::Reshape(dims) => layout.reshape(&polys(dims)?, facts)?,
            Step::Resize(dims) => layout.resize(&polys(dims)?)?,
        };
        Some(Place { block: place.block, layout })
    }

    /// The names it depends on.
    pub(super) fn names(&self) -> Vec<kenaz_ir::Name> {
        let operands: Vec<Operand> = match self {
            Step::Same | Step::Unpermute(_) => Vec::new(),
            Step::Rows { start, len } => return start.names().chain(len.name()).collect(),
            Step::At(xs) | Step::Reshape(xs) | Step::Resize(xs) => xs.clone(),
            Step::Slice(dims) => dims
                .iter()
                .flat_map(|dim| match dim {
                    DimSlice::Fix(i) => vec![*i],
                    DimSlice::Range { start, len, stride } => vec![*start, *len, *stride],
                })
                .collect(),
            Step::Flat(offset, dims) => dims.iter().flat_map(|(n, s)| [*n, *s]).chain([*offset]).collect(),
        };
        operands.into_iter().filter_map(Operand::name).collect()
    }
}

/// Where the rows after some others start.
pub(super) fn after(start: &Poly, len: Operand) -> Option<Poly> {
    start.plus(&Poly::operand(len)?, 1)
}

/// Rows of a layout.
pub(super) fn rows(layout: &Layout, start: Poly, len: Poly) -> Option<Layout> {
    let mut dims = vec![DimRange::Range { start, len, stride: Poly::constant(1) }];
    for dim in &layout.dims[1..] {
        dims.push(DimRange::Range { start: Poly::default(), len: dim.size()?, stride: Poly::constant(1) });
    }
    layout.slice(&dims)
}

pub(super) fn flat(layout: &Layout, offset: Operand, dims: &[(Operand, Operand)]) -> Option<Layout> {
    let dims = dims.iter().map(|(n, s)| Some((Poly::operand(*n)?, Poly::operand(*s)?))).collect::<Option<Vec<_>>>()?;
    layout.flat(&Poly::operand(offset)?, &dims)
}

pub(super) fn polys(xs: &[Operand]) -> Option<Vec<Poly>> {
    xs.iter().map(|x| Poly::operand(*x)).collect()
}

pub(super) fn ranges(dims: &[DimSlice]) -> Option<Vec<DimRange>> {
    let range = |dim: &DimSlice| {
        Some(match dim {
            DimSlice::Fix(i) => DimRange::Fix(Poly::operand(*i)?),
            DimSlice::Range { start, len, stride } => DimRange::Range {
                start: Poly::operand(*start)?,
                len: Poly::operand(*len)?,
                stride: Poly::operand(*stride)?,
            },
        })
    };
    dims.iter().map(range).collect()
}
