//! Arrays of the crate `ndarray`.

use crate::argument::{Argument, Mismatch, Slot};
use crate::results::{FromResult, Parts, is_plain};
use crate::{Array, Element, Error};
use kenaz_ir::{EntryKind, EntryType, Part};
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Data, Dimension, IxDyn};
use std::sync::Arc;

/// Read where it is if its elements lie row by row, and copied otherwise.
impl<'a, T: Element, S: Data<Elem = T>, D: Dimension> Argument<'a> for &'a ArrayBase<S, D> {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        match self.as_slice() {
            Some(elements) => slot.elements(elements, self.shape()),
            None => slot.copied(&self.iter().copied().collect::<Vec<T>>(), self.shape()),
        }
    }
}

/// A copy of a result, with as many dimensions as it has or, for `Array2` and the like, as many as these.
impl<T: Element, D: Dimension> FromResult for ndarray::Array<T, D> {
    fn check(ty: &EntryType) -> Result<(), Mismatch> {
        match (ty.kind.clone(), D::NDIM) {
            (EntryKind::Plain(Part { prim, rank: 1.. }), None) if prim == T::PRIM => Ok(()),
            (_, rank) => is_plain(ty, Part { prim: T::PRIM, rank: rank.unwrap_or(1) }),
        }
    }

    fn take(_: &Arc<EntryType>, parts: &mut Parts) -> Result<ndarray::Array<T, D>, Mismatch> {
        let wrong = || Mismatch::new("an array of other dimensions");
        let array = parts.next_array()?.to_ndarray().map_err(|error| Mismatch::new(error.to_string()))?;
        array.ok_or_else(wrong)?.into_dimensionality().map_err(|_| wrong())
    }
}

impl Array {
    /// Its elements where they are; nothing if they are of another type or on a device.
    pub fn view<T: Element>(&self) -> Option<ArrayViewD<'_, T>> {
        ArrayViewD::from_shape(self.dimensions(), self.as_slice()?).ok()
    }

    /// A copy of its elements, from wherever they are; nothing if they are of another type.
    pub fn to_ndarray<T: Element>(&self) -> Result<Option<ArrayD<T>>, Error> {
        let elements = self.to_vec()?;
        Ok(elements.and_then(|elements| ArrayD::from_shape_vec(self.dimensions(), elements).ok()))
    }

    fn dimensions(&self) -> IxDyn {
        IxDyn(&self.shape().iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect::<Vec<_>>())
    }
}
