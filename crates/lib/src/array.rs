//! Arrays that a program has made, or that were made for one.

use crate::{Element, Error, Prim};
use kenaz_embed as embed;

/// An array of scalars that belongs to a context: a result, or one made by [`Context::array`](crate::Context::array).
/// Its elements are where the program has put them, row by row. It keeps its context alive.
pub struct Array {
    pub(crate) inner: embed::Array,
}

impl Array {
    /// The type of its elements.
    pub fn prim(&self) -> Prim {
        self.inner.prim()
    }

    /// The sizes of its dimensions, none of which is negative.
    pub fn shape(&self) -> &[i64] {
        self.inner.shape()
    }

    /// The number of its elements.
    pub fn len(&self) -> usize {
        self.inner.count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its elements are in the memory of a device.
    pub fn is_on_device(&self) -> bool {
        self.inner.is_on_device()
    }

    /// Its elements where they are; nothing if they are of another type or on a device.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        self.inner.elements()
    }

    /// The same, to be changed. If others have the same elements, such as another result of the same call, they keep
    /// theirs, and these are a copy.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<Option<&mut [T]>, Error> {
        Ok(self.inner.elements_mut()?)
    }

    /// A copy of its elements, from wherever they are; nothing if they are of another type.
    pub fn to_vec<T: Element>(&self) -> Result<Option<Vec<T>>, Error> {
        Ok(self.inner.to_vec()?)
    }
}

/// The type of such an array, as programs write it.
pub(crate) fn type_name(prim: Prim, rank: usize) -> String {
    format!("{}{}", "[]".repeat(rank), prim.name())
}

/// Its type and shape, and not its elements, which may be many or elsewhere.
impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Array ")?;
        self.shape().iter().try_for_each(|size| write!(f, "[{size}]"))?;
        f.write_str(self.prim().name())
    }
}
