//! Arrays of a context, and memory of the caller.

#![expect(unsafe_code, reason = "elements are where a program in C has put them")]

use crate::context::Owner;
use crate::raw::{self, Block};
use crate::{Context, Error};
use kenaz_base::Prim;
use kenaz_runtime::{Element, element_count};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// The sizes of dimensions, which are not negative.
pub(crate) type Shape = SmallVec<[i64; 4]>;

/// An array of scalars that a program has made, or that was made for one. Its elements lie one after the other, those
/// of a row together. It does not change, but by [`Array::elements_mut`].
pub struct Array {
    owner: Arc<Owner>,
    block: Block,
    prim: Prim,
    shape: Shape,
}

// SAFETY: The elements only change by way of `&mut`, and the references of the block under the lock of its owner.
unsafe impl Send for Array {}
// SAFETY: As above.
unsafe impl Sync for Array {}

impl Array {
    /// The array of a block, whose reference it takes over.
    ///
    /// # Safety
    ///
    /// The block is one of a context of this owner, with at least as many elements as the shape says.
    pub(crate) unsafe fn new(owner: Arc<Owner>, block: Block, prim: Prim, shape: Shape) -> Array {
        Array { owner, block, prim, shape }
    }

    pub fn prim(&self) -> Prim {
        self.prim
    }

    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        if self.shape.contains(&0) {
            return 0;
        }
        self.shape.iter().map(|size| usize::try_from(*size).unwrap_or(0)).product()
    }

    /// The number of bytes of the elements.
    pub fn bytes(&self) -> usize {
        self.count() * self.prim.bytes()
    }

    /// Whether the elements are in the memory of a device.
    pub fn is_on_device(&self) -> bool {
        self.owner.program.is_device()
    }

    /// Where the elements are: an address, or with CUDA an address on the device, or with OpenCL a `cl_mem`.
    pub fn address(&self) -> usize {
        // SAFETY: The block is one of this library's.
        unsafe { raw::buffer(&self.owner.program.library, self.block) }
    }

    /// The elements, if they are of this type and in the memory of the host.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        let is_here = T::PRIM == self.prim && !self.is_on_device();
        // SAFETY: A block has as many elements as the shape says, of the type that is asked for, and is aligned for all
        // of them. Nobody writes to it: its context only does so once it is given away, and so nobody borrows it.
        is_here.then(|| unsafe { std::slice::from_raw_parts(self.block.as_ptr().cast::<T>(), self.count()) })
    }

    /// The same, to be changed; nothing where others share the block, see [`Array::unshare`].
    pub fn elements_mut<T: Element>(&mut self) -> Result<Option<&mut [T]>, Error> {
        if T::PRIM != self.prim || self.is_on_device() {
            return Ok(None);
        }
        self.unshare()?;
        // SAFETY: As above, and nobody else has a reference to the block.
        Ok(Some(unsafe { std::slice::from_raw_parts_mut(self.block.as_ptr().cast::<T>(), self.count()) }))
    }

    /// Sees to it that nobody else has a reference to the block: no other result of the call that it came of, no
    /// argument of it, and no constant of the program.
    pub fn unshare(&mut self) -> Result<(), Error> {
        let (library, bytes) = (&self.owner.program.library, self.bytes());
        // SAFETY: The block is one of this context with so many bytes, and replaced.
        self.block = self.owner.with(|context| unsafe { context.unshare(library, self.block, bytes) })?;
        Ok(())
    }

    /// The elements, copied from wherever they are, if they are of this type.
    pub fn to_vec<T: Element>(&self) -> Result<Option<Vec<T>>, Error> {
        if T::PRIM != self.prim {
            return Ok(None);
        }
        if let Some(elements) = self.elements::<T>() {
            return Ok(Some(elements.to_vec()));
        }
        let mut copy: Vec<T> = Vec::new();
        let count = self.count();
        copy.try_reserve_exact(count).map_err(|_| Error::out_of_memory("cannot copy an array"))?;
        // SAFETY: There is room for them, and then they have been written by a program that has elements of this type
        // there.
        unsafe {
            self.read(copy.as_mut_ptr().cast())?;
            copy.set_len(count);
        }
        Ok(Some(copy))
    }

    /// Copies the elements, from wherever they are.
    ///
    /// # Safety
    ///
    /// There is room for as many bytes as [`Array::bytes`] says, which nobody else uses.
    pub unsafe fn read(&self, to: *mut c_void) -> Result<(), Error> {
        let library = &self.owner.program.library;
        // SAFETY: As of this function; the block has so many bytes.
        self.owner.with(|context| unsafe { context.get(library, to, self.block, self.bytes()) })
    }

    /// Waits until all kernels have run that write to the array.
    pub fn sync(&self) -> Result<(), Error> {
        self.owner.with(|context| context.sync(&self.owner.program.library))
    }

    /// The context that the array belongs to.
    pub fn context(&self) -> Context {
        Context::of(self.owner.clone())
    }

    pub(crate) fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    pub(crate) fn block(&self) -> Block {
        self.block
    }

    pub(crate) fn shape_of(&self) -> &Shape {
        &self.shape
    }

    /// The block, whose reference is the caller's from now on.
    pub(crate) fn into_block(self) -> Block {
        let array = ManuallyDrop::new(self);
        let block = array.block;
        // SAFETY: The fields are not used again, and not dropped elsewhere.
        unsafe {
            drop(std::ptr::read(&raw const array.owner));
            drop(std::ptr::read(&raw const array.shape));
        }
        block
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.owner.release(self.block);
    }
}

/// Elements that belong to the caller of a program, which only reads them: one after the other, those of a row
/// together.
#[derive(Clone, Debug)]
pub struct Memory<'m> {
    pub(crate) at: At,
    pub(crate) prim: Prim,
    pub(crate) shape: Shape,
    pub(crate) bytes: usize,
    lifetime: PhantomData<&'m [u8]>,
}

/// Where they are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    Host(*const c_void),
    /// A buffer of the device, as [`Array::address`] has it.
    Device(usize),
}

// SAFETY: It is a borrow of elements, all of which may be read by any thread.
unsafe impl Send for Memory<'_> {}

impl<'m> Memory<'m> {
    /// The elements of a slice, if there are as many as the shape says.
    pub fn new<T: Element>(elements: &'m [T], shape: &[usize]) -> Option<Memory<'m>> {
        let count = element_count(shape, T::PRIM)?;
        let sizes: Option<Shape> = shape.iter().map(|size| i64::try_from(*size).ok()).collect();
        let at = At::Host(elements.as_ptr().cast());
        let bytes = size_of_val(elements);
        (count == elements.len()).then_some(Memory { at, prim: T::PRIM, shape: sizes?, bytes, lifetime: PhantomData })
    }

    /// Elements at an address, which may be that of any byte; nothing if no array can have this shape.
    ///
    /// # Safety
    ///
    /// As many elements as the shape says lie there, each of them one of the type, and nobody writes to them as long as
    /// the value lives.
    pub unsafe fn at(address: *const c_void, prim: Prim, shape: &[i64]) -> Option<Memory<'m>> {
        Memory::anywhere(At::Host(address), prim, shape)
    }

    /// Elements in a buffer of the device on which a program runs, as [`Array::address`] has it; nothing if no array
    /// can have this shape.
    ///
    /// # Safety
    ///
    /// As of [`Memory::at`], of the buffer; and whatever was to be written to it has been.
    pub unsafe fn buffer(buffer: usize, prim: Prim, shape: &[i64]) -> Option<Memory<'m>> {
        Memory::anywhere(At::Device(buffer), prim, shape)
    }

    /// The number of bytes of the elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address of the elements, or the buffer that they are in.
    pub fn address(&self) -> usize {
        match self.at {
            At::Host(address) => address.addr(),
            At::Device(buffer) => buffer,
        }
    }

    fn anywhere(at: At, prim: Prim, shape: &[i64]) -> Option<Memory<'m>> {
        let sizes: Option<SmallVec<[usize; 4]>> = shape.iter().map(|size| usize::try_from(*size).ok()).collect();
        let bytes = element_count(&sizes?, prim)? * prim.bytes();
        Some(Memory { at, prim, shape: Shape::from_slice(shape), bytes, lifetime: PhantomData })
    }
}
