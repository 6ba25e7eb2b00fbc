//! How large types may become.
//!
//! A small program can have huge types: `let x = (x, x)` forty times over is a type of 2^40 parts. So every type and
//! every size knows how large it is, and one that would be too large is never made: it is an error instead, which goes
//! with everything. That this happened is remembered here until the checker has reported it. Meanwhile all types are
//! errors, so that no more time is spent on the definition that they belong to.

use crate::types::{TyArg, TyKind};
use std::cell::Cell;

/// A type has at most so many parts, those of its sizes included.
pub const MAX_PARTS: u32 = 100_000;

/// So many parts has a size: that of `xs ++ xs ++ …` has three for every operator, in each of the types on the way.
pub const MAX_SIZE_PARTS: u32 = 10_000;

/// An expression with so many parts is not taken for a size any more.
pub const MAX_WRITTEN_SIZE_PARTS: u32 = 500;

/// Types are nested at most so deeply; every parameter of a function is a level.
pub const MAX_LEVELS: u32 = 2_000;

/// Sums in sums are nested at most so deeply, with whatever is between them: each of them has a place for all the
/// values of those in it.
pub const MAX_SUM_LEVELS: u32 = 500;

/// Arrays have at most so many dimensions, those of arrays in records in arrays counted together: the place of an
/// element is a polynomial of that degree.
pub const MAX_RANK: u32 = 30;

thread_local! {
    static EXCEEDED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that there would be a type that is too large.
pub(crate) fn exceed() {
    EXCEEDED.set(true);
}

/// Whether a type would have been too large since the last [`reset`].
pub fn is_exceeded() -> bool {
    EXCEEDED.get()
}

pub fn reset() {
    EXCEEDED.set(false);
}

/// How large a type or size is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The number of nodes, counted where they occur and not where they are shared.
    pub parts: u32,
    /// The length of the longest path.
    pub levels: u32,
    /// The most dimensions of an array in it.
    pub rank: u32,
    /// Whether a part of a size in it does not tell its type: a constructor, `[]` or a section.
    pub typeless: bool,
}

impl Extent {
    pub(crate) const ATOM: Extent = Extent { parts: 1, levels: 1, rank: 0, typeless: false };

    pub(crate) fn of_parts(parts: impl Iterator<Item = Extent>) -> Extent {
        let mut whole = Extent { levels: 0, ..Extent::ATOM };
        for part in parts {
            whole.parts = whole.parts.saturating_add(part.parts);
            whole.levels = whole.levels.max(part.levels);
            whole.rank = whole.rank.max(part.rank);
            whole.typeless |= part.typeless;
        }
        whole.levels += 1;
        whole
    }

    pub(crate) fn of_ty(kind: &TyKind) -> Extent {
        match kind {
            TyKind::Error | TyKind::Prim(_) | TyKind::Meta(_) => Extent::ATOM,
            TyKind::Array(size, elem) => {
                let extent = Extent::of_parts([size.extent(), elem.extent()].into_iter());
                Extent { rank: extent.rank + 1, ..extent }
            }
            TyKind::Record(fields) => Extent::of_parts(fields.iter().map(|(_, ty)| ty.extent())),
            TyKind::Sum(constrs) => Extent::of_parts(constrs.iter().flat_map(|(_, tys)| tys).map(|ty| ty.extent())),
            TyKind::Arrow(arrow) => Extent::of_parts([arrow.arg.extent(), arrow.ret.extent()].into_iter()),
            TyKind::Con(_, args) => Extent::of_parts(args.iter().map(|arg| match arg {
                TyArg::Size(size) => size.extent(),
                TyArg::Type(ty) => ty.extent(),
            })),
            TyKind::Unique(ty) | TyKind::Exists(_, ty) => Extent::of_parts([ty.extent()].into_iter()),
        }
    }

    pub(crate) fn is_too_large(self) -> bool {
        self.parts > MAX_PARTS || self.levels > MAX_LEVELS || self.rank > MAX_RANK
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Size, SizeHead, Ty};
    use kenaz_base::Prim;

    #[test]
    fn no_type_is_larger_than_allowed() {
        reset();
        let small = Ty::prim(Prim::I32);
        let doubled = |n| (0..n).fold(small.clone(), |ty, _| Ty::tuple(vec![ty.clone(), ty]));
        let nested = |n: u32| (0..n).fold(small.clone(), |ty, _| Ty::tuple(vec![small.clone(), ty]));
        let array = |n: u32| (0..n).fold(small.clone(), |ty, _| Ty::array(Size::Const(1), ty));
        assert!(!doubled(15).is_error() && !nested(MAX_LEVELS - 1).is_error() && !array(MAX_RANK).is_error());
        assert!(!is_exceeded());
        assert!(doubled(16).is_error() && is_exceeded());
        reset();
        assert!(nested(MAX_LEVELS).is_error() && is_exceeded());
        reset();
        assert!(array(MAX_RANK + 1).is_error() && is_exceeded());
        reset();
    }

    #[test]
    fn sizes_may_be_long_but_not_huge() {
        reset();
        let chain = |n| {
            let add = |size| Size::term(SizeHead::Apply, vec![size, Size::Const(1)]);
            (0..n).fold(Size::Const(0), |size, _| add(size))
        };
        assert!(chain(4_000) != Size::Error && !is_exceeded());
        let _ = chain(6_000);
        assert!(is_exceeded());
        reset();
    }
}
