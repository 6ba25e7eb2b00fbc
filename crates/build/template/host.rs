//! What a module for a CPU has as well: arrays whose elements can be read where they are.

impl<T: Element, const RANK: usize> std::ops::Deref for Array<'_, T, RANK> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: A block has as many elements as the shape says, is aligned for all types, and nobody writes to it but
        // an entry point that it was given to.
        unsafe { std::slice::from_raw_parts(self.block.as_ptr().cast::<T>(), self.shape().iter().product()) }
    }
}
