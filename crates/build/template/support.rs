//! What every generated module begins with; `write` adds what differs. `KZ_LIBRARY` stands for the name of the library.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

#[repr(C)]
struct RawContext {
    _opaque: [u8; 0],
}

/// `struct kz_part_view`.
#[repr(C)]
struct RawView {
    at: *mut c_void,
    shape: *mut i64,
}

unsafe extern "C" {
    fn KZ_LIBRARY_start(threads: c_int, device: *const c_char) -> *mut RawContext;
    fn KZ_LIBRARY_stop(context: *mut RawContext);
    fn KZ_LIBRARY_error(context: *mut RawContext) -> *mut c_char;
    fn KZ_LIBRARY_forget(error: *mut c_void);
    fn KZ_LIBRARY_find(name: *const c_char) -> c_int;
    fn KZ_LIBRARY_call(context: *mut RawContext, entry: c_int, outs: *mut RawView, ins: *const RawView) -> c_int;
    fn KZ_LIBRARY_alloc(context: *mut RawContext, bytes: i64) -> *mut c_void;
    fn KZ_LIBRARY_release(context: *mut RawContext, block: *mut c_void);
    fn KZ_LIBRARY_unshare(context: *mut RawContext, block: *mut c_void, bytes: i64) -> *mut c_void;
    fn KZ_LIBRARY_get(context: *mut RawContext, to: *mut c_void, block: *const c_void, bytes: i64) -> c_int;
    fn KZ_LIBRARY_put(context: *mut RawContext, block: *mut c_void, from: *const c_void, bytes: i64) -> c_int;
    fn KZ_LIBRARY_copy(context: *mut RawContext, to: *mut c_void, from: *const c_void, bytes: i64) -> c_int;
    fn KZ_LIBRARY_lend(data: *const c_void) -> c_int;
    fn KZ_LIBRARY_take_back(place: c_int);
}

/// Why a call gives no results.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The program failed, or cannot run here; what it says.
    Failed(String),
    /// There are more or fewer elements than a shape says.
    Shape { elements: usize, shape: Vec<usize> },
    /// An option that cannot be.
    Usage(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Failed(said) | Error::Usage(said) => f.write_str(said),
            Error::Shape { elements, shape } => write!(f, "{elements} elements do not fill an array of shape {shape:?}"),
        }
    }
}

impl std::error::Error for Error {}

/// How a context begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// On how many threads a program for several cores runs; nothing is as many as usual.
    pub threads: Option<u32>,
    /// A part of the name of a device, for programs that run on one.
    pub device: Option<String>,
}

/// Where the program keeps its memory and threads. It can be sent to another thread, but is not `Sync`.
pub struct Context {
    raw: NonNull<RawContext>,
    entries: [c_int; ENTRIES.len()],
}

// SAFETY: No part of a context belongs to a thread.
unsafe impl Send for Context {}

impl Context {
    /// A context with the usual options.
    pub fn new() -> Result<Context, Error> {
        Context::with_options(&Options::default())
    }

    pub fn with_options(options: &Options) -> Result<Context, Error> {
        let threads = c_int::try_from(options.threads.unwrap_or(0)).unwrap_or(c_int::MAX);
        let device = options.device.as_deref().map(CString::new).transpose();
        let device = device.map_err(|_| Error::Usage("no device has a zero in its name".to_string()))?;
        let device = device.as_deref().map_or(ptr::null(), CStr::as_ptr);
        // SAFETY: The name outlives the call.
        let raw = NonNull::new(unsafe { KZ_LIBRARY_start(threads, device) });
        let raw = raw.ok_or_else(|| Error::Failed("Error: out of memory: cannot start the program.".to_string()))?;
        // SAFETY: All names end with a zero.
        let entries = ENTRIES.map(|name| unsafe { KZ_LIBRARY_find(name.as_ptr()) });
        let context = Context { raw, entries };
        match context.error() {
            Some(said) => Err(Error::Failed(said)),
            None => Ok(context),
        }
    }

    /// A copy of elements as an array of this context, for records and sums, or for several calls.
    pub fn array<T: Element, const RANK: usize>(
        &self,
        elements: &[T],
        shape: [usize; RANK],
    ) -> Result<Array<'_, T, RANK>, Error> {
        let view = View::new(elements, shape);
        let sizes = view.sizes()?;
        let block = self.copied(elements.as_ptr().cast(), size_of_val(elements))?;
        Ok(Array { context: self, block, shape: sizes, elements: PhantomData })
    }

    /// What went wrong since it was last asked.
    fn error(&self) -> Option<String> {
        // SAFETY: The context lives; the message is ours until it is forgotten.
        unsafe {
            let message = NonNull::new(KZ_LIBRARY_error(self.raw.as_ptr()))?;
            let text = CStr::from_ptr(message.as_ptr()).to_string_lossy().trim_end().to_string();
            KZ_LIBRARY_forget(message.as_ptr().cast());
            Some(text)
        }
    }

    fn failure(&self) -> Error {
        Error::Failed(self.error().unwrap_or_else(|| "Error: out of memory.".to_string()))
    }

    fn outcome(&self, code: c_int) -> Result<(), Error> {
        if code == 0 { Ok(()) } else { Err(self.failure()) }
    }

    /// A block with room for so many bytes.
    fn alloc(&self, bytes: usize) -> Result<NonNull<c_void>, Error> {
        // SAFETY: The context lives.
        let block = unsafe { KZ_LIBRARY_alloc(self.raw.as_ptr(), bytes as i64) };
        NonNull::new(block).ok_or_else(|| self.failure())
    }

    fn release(&self, block: NonNull<c_void>) {
        // SAFETY: Blocks are released by those who own a reference, once.
        unsafe { KZ_LIBRARY_release(self.raw.as_ptr(), block.as_ptr()) }
    }

    /// A block with bytes of the host.
    fn copied(&self, from: *const c_void, bytes: usize) -> Result<NonNull<c_void>, Error> {
        let block = self.alloc(bytes)?;
        if bytes > 0 {
            // SAFETY: The caller has so many bytes, and there is room for them.
            let code = unsafe { KZ_LIBRARY_put(self.raw.as_ptr(), block.as_ptr(), from, bytes as i64) };
            self.outcome(code).inspect_err(|_| self.release(block))?;
        }
        Ok(block)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: Arrays borrow their context, so that there are none left.
        unsafe { KZ_LIBRARY_stop(self.raw.as_ptr()) }
    }
}

/// What arrays consist of.
pub trait Element: Copy + private::Sealed {}

mod private {
    pub trait Sealed {}
}

/// A number of half precision, as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F16(pub u16);

/// An array that belongs to a context. Its elements lie where the program has put them, row by row.
pub struct Array<'c, T, const RANK: usize> {
    context: &'c Context,
    block: NonNull<c_void>,
    shape: [i64; RANK],
    elements: PhantomData<T>,
}

impl<T: Element, const RANK: usize> Array<'_, T, RANK> {
    pub fn shape(&self) -> [usize; RANK] {
        self.shape.map(|size| size as usize)
    }

    fn bytes(&self) -> usize {
        self.shape().iter().product::<usize>() * size_of::<T>()
    }

    /// A copy of its elements, from wherever they are.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let (count, bytes) = (self.shape().iter().product::<usize>(), self.bytes() as i64);
        let mut copy = Vec::with_capacity(count);
        // SAFETY: There is room for all elements, which are then written.
        unsafe {
            let code =
                KZ_LIBRARY_get(self.context.raw.as_ptr(), copy.as_mut_ptr() as *mut c_void, self.block.as_ptr(), bytes);
            self.context.outcome(code)?;
            copy.set_len(count);
        }
        Ok(copy)
    }
}

/// Its shape, and not its elements, which may be many or elsewhere.
impl<T: Element, const RANK: usize> std::fmt::Debug for Array<'_, T, RANK> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Array").field("shape", &self.shape).finish()
    }
}

impl<T, const RANK: usize> Drop for Array<'_, T, RANK> {
    fn drop(&mut self) {
        self.context.release(self.block);
    }
}

/// Elements as an array of several dimensions, row by row, or an array of a context.
pub struct View<'a, T, const RANK: usize> {
    from: From_<'a, T, RANK>,
}

enum From_<'a, T, const RANK: usize> {
    Elements(&'a [T], [usize; RANK]),
    Array(&'a Array<'a, T, RANK>),
}

impl<'a, T: Element, const RANK: usize> View<'a, T, RANK> {
    /// The elements in this shape; that there are as many as it says is checked by the call.
    pub fn new(elements: &'a [T], shape: [usize; RANK]) -> View<'a, T, RANK> {
        View { from: From_::Elements(elements, shape) }
    }

    /// The shape, if the elements fill it.
    fn sizes(&self) -> Result<[i64; RANK], Error> {
        match &self.from {
            From_::Array(array) => Ok(array.shape),
            From_::Elements(elements, shape) => {
                let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
                let fits = count == Some(elements.len()) && shape.iter().all(|size| i64::try_from(*size).is_ok());
                let wrong = || Error::Shape { elements: elements.len(), shape: shape.to_vec() };
                fits.then(|| shape.map(|size| size as i64)).ok_or_else(wrong)
            }
        }
    }
}

impl<'a, T: Element> From<&'a [T]> for View<'a, T, 1> {
    fn from(elements: &'a [T]) -> Self {
        View::new(elements, [elements.len()])
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for View<'a, T, 1> {
    fn from(elements: &'a Vec<T>) -> Self {
        View::new(elements, [elements.len()])
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for View<'a, T, 1> {
    fn from(elements: &'a [T; N]) -> Self {
        View::new(elements, [N])
    }
}

impl<'a, T: Element, const RANK: usize> From<&'a Array<'a, T, RANK>> for View<'a, T, RANK> {
    fn from(array: &'a Array<'a, T, RANK>) -> Self {
        View { from: From_::Array(array) }
    }
}

/// What an entry point consumes: a view, which is copied, or an array, which is updated where it is.
pub enum Given<'a, T, const RANK: usize> {
    View(View<'a, T, RANK>),
    Array(Array<'a, T, RANK>),
}

impl<'a, T: Element, V: Into<View<'a, T, RANK>>, const RANK: usize> From<V> for Given<'a, T, RANK> {
    fn from(view: V) -> Self {
        Given::View(view.into())
    }
}

impl<'a, T: Element, const RANK: usize> From<Array<'a, T, RANK>> for Given<'a, T, RANK> {
    fn from(array: Array<'a, T, RANK>) -> Self {
        Given::Array(array)
    }
}

/// A part of an argument: a scalar, or where an array is and where its shape begins.
struct Place {
    at: *mut c_void,
    scalar: u64,
    shape: usize,
}

/// The arguments of a call, for as long as it runs.
pub struct Ins<'c> {
    context: &'c Context,
    places: Vec<Place>,
    shapes: Vec<i64>,
    lent: Vec<c_int>,
    own: Vec<NonNull<c_void>>,
}

impl<'c> Ins<'c> {
    fn new(context: &'c Context, parts: usize) -> Ins<'c> {
        let (places, shapes) = (Vec::with_capacity(parts), Vec::with_capacity(parts));
        Ins { context, places, shapes, lent: Vec::new(), own: Vec::new() }
    }

    fn place(&mut self, at: *mut c_void, sizes: &[i64]) {
        self.places.push(Place { at, scalar: 0, shape: self.shapes.len() });
        self.shapes.extend_from_slice(sizes);
    }

    fn scalar<T: Element>(&mut self, value: T) {
        let mut scalar = 0u64;
        // SAFETY: No scalar is larger.
        unsafe { (&raw mut scalar).cast::<T>().write(value) }
        self.places.push(Place { at: ptr::null_mut(), scalar, shape: self.shapes.len() });
    }

    fn view<T: Element, const RANK: usize>(
        &mut self,
        view: View<'_, T, RANK>,
        is_consumed: bool,
    ) -> Result<(), Error> {
        let sizes = view.sizes()?;
        match view.from {
            From_::Elements(elements, _) => {
                self.memory(elements.as_ptr().cast(), size_of_val(elements), &sizes, is_consumed)
            }
            From_::Array(array) if !ptr::eq(array.context, self.context) => {
                let elements = array.to_vec()?;
                self.memory(elements.as_ptr().cast(), size_of_val(&elements[..]), &sizes, true)
            }
            From_::Array(array) if is_consumed => self.copy(array.block, array.bytes(), &sizes),
            From_::Array(array) => {
                self.place(array.block.as_ptr(), &sizes);
                Ok(())
            }
        }
    }

    fn given<T: Element, const RANK: usize>(&mut self, given: Given<'_, T, RANK>) -> Result<(), Error> {
        match given {
            Given::Array(array) if ptr::eq(array.context, self.context) => {
                let (sizes, bytes) = (array.shape, array.bytes() as i64);
                let old = std::mem::ManuallyDrop::new(array).block;
                // SAFETY: The block is one of this context with so many bytes; its reference is ours, and replaced.
                let block = unsafe { KZ_LIBRARY_unshare(self.context.raw.as_ptr(), old.as_ptr(), bytes) };
                let block = NonNull::new(block);
                self.own.push(block.unwrap_or(old));
                self.place(block.ok_or_else(|| self.context.failure())?.as_ptr(), &sizes);
                Ok(())
            }
            Given::Array(array) => self.view(View { from: From_::Array(&array) }, true),
            Given::View(view) => self.view(view, true),
        }
    }

    /// A copy of a block of the context.
    fn copy(&mut self, from: NonNull<c_void>, bytes: usize, sizes: &[i64]) -> Result<(), Error> {
        let context = self.context;
        let block = context.alloc(bytes)?;
        self.own.push(block);
        // SAFETY: Both blocks have so many bytes.
        let code = unsafe { KZ_LIBRARY_copy(context.raw.as_ptr(), block.as_ptr(), from.as_ptr(), bytes as i64) };
        context.outcome(code)?;
        self.place(block.as_ptr(), sizes);
        Ok(())
    }

    /// Bytes of the host: lent, or copied if they must be.
    fn memory(&mut self, at: *const c_void, bytes: usize, sizes: &[i64], is_copied: bool) -> Result<(), Error> {
        if !is_copied && bytes > 0 {
            // SAFETY: The address is only noted, until the call has ended.
            let place = unsafe { KZ_LIBRARY_lend(at) };
            if place >= 0 {
                self.lent.push(place);
                self.place(at.cast_mut(), sizes);
                return Ok(());
            }
        }
        let block = self.context.copied(at, bytes)?;
        self.own.push(block);
        self.place(block.as_ptr(), sizes);
        Ok(())
    }

    /// The parts of a sum with this number of its variant: `places` says where those of the payload go; the others, of
    /// which `ranks` are the dimensions, are zeros and empty arrays.
    fn sum(
        &mut self,
        number: u8,
        ranks: &[usize],
        places: &[usize],
        payload: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = self.places.len();
        payload(self)?;
        let payload = self.places.split_off(start);
        self.scalar(number);
        for rank in &ranks[1..] {
            if *rank == 0 {
                self.scalar(0u64);
            } else {
                self.memory(ptr::null(), 0, &vec![0; *rank], true)?;
            }
        }
        for (place, part) in places.iter().zip(payload) {
            self.places[start + place] = part;
        }
        Ok(())
    }

    /// Runs an entry point whose results have parts of these dimensions, with elements of so many bytes.
    fn call(mut self, entry: usize, results: &[(usize, usize)]) -> Result<Outs<'c>, Error> {
        let mut scalars = vec![0u64; results.len()];
        let mut sizes = vec![0i64; results.iter().map(|(rank, _)| rank).sum()];
        let mut next = sizes.as_mut_ptr();
        let view = |(scalar, (rank, _)): (&mut u64, &(usize, usize))| {
            let view = RawView { at: ptr::from_mut(scalar).cast(), shape: next };
            next = next.wrapping_add(*rank);
            view
        };
        let mut outs: Vec<RawView> = scalars.iter_mut().zip(results).map(view).collect();
        let shapes = self.shapes.as_mut_ptr();
        let view = |place: &mut Place| RawView {
            at: if place.at.is_null() { ptr::from_mut(&mut place.scalar).cast() } else { place.at },
            shape: shapes.wrapping_add(place.shape),
        };
        let ins: Vec<RawView> = self.places.iter_mut().map(view).collect();
        // SAFETY: There is a view for each part, of the type that the entry point has: the types of Rust were made of
        // those. What it points to outlives the call.
        let code = unsafe {
            KZ_LIBRARY_call(self.context.raw.as_ptr(), self.context.entries[entry], outs.as_mut_ptr(), ins.as_ptr())
        };
        self.context.outcome(code)?;
        let mut sizes = &sizes[..];
        let mut parts = Vec::with_capacity(results.len());
        for (((rank, bytes), view), scalar) in results.iter().zip(&outs).zip(&scalars) {
            let (shape, rest) = sizes.split_at(*rank);
            sizes = rest;
            let block = if *rank > 0 { NonNull::new(view.at) } else { None };
            let shape = shape.to_vec();
            parts.push(OutPart { context: self.context, block, scalar: *scalar, shape, bytes: *bytes });
        }
        Ok(Outs { parts: parts.into_iter() })
    }
}

impl Drop for Ins<'_> {
    fn drop(&mut self) {
        for place in self.lent.drain(..) {
            // SAFETY: The places are ours, and left once.
            unsafe { KZ_LIBRARY_take_back(place) }
        }
        self.own.drain(..).for_each(|block| self.context.release(block));
    }
}

/// A part of a result.
struct OutPart<'c> {
    context: &'c Context,
    block: Option<NonNull<c_void>>,
    scalar: u64,
    shape: Vec<i64>,
    /// Of an element.
    bytes: usize,
}

impl OutPart<'_> {
    fn put(&self, ins: &mut Ins<'_>, is_consumed: bool) -> Result<(), Error> {
        let Some(block) = self.block else {
            ins.places.push(Place { at: ptr::null_mut(), scalar: self.scalar, shape: ins.shapes.len() });
            return Ok(());
        };
        if !ptr::eq(self.context, ins.context) {
            return Err(Error::Usage("a value that only the program knows belongs to another context".to_string()));
        }
        if !is_consumed {
            ins.place(block.as_ptr(), &self.shape);
            return Ok(());
        }
        let bytes = self.shape.iter().map(|size| *size as usize).product::<usize>() * self.bytes;
        ins.copy(block, bytes, &self.shape)
    }
}

impl Drop for OutPart<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block {
            self.context.release(block);
        }
    }
}

/// The results of a call, part by part.
pub struct Outs<'c> {
    parts: std::vec::IntoIter<OutPart<'c>>,
}

impl<'c> Outs<'c> {
    fn next(&mut self) -> OutPart<'c> {
        self.parts.next().expect("a result has all of its parts")
    }

    /// The number of the variant of a sum, and its other parts.
    fn sum(&mut self, parts: usize) -> (u64, Vec<Option<OutPart<'c>>>) {
        let mut own: Vec<Option<OutPart<'c>>> = (0..parts).map(|_| Some(self.next())).collect();
        let number = own[0].take().map_or(0, |part| u64::from(part.scalar.to_ne_bytes()[0]));
        (number, own)
    }

    /// The parts of a payload.
    fn select(own: &mut [Option<OutPart<'c>>], places: &[usize]) -> Outs<'c> {
        let parts: Vec<OutPart<'c>> = places.iter().filter_map(|place| own[*place].take()).collect();
        Outs { parts: parts.into_iter() }
    }
}

/// What can be an argument or a result.
pub trait Value<'c>: Sized {
    #[doc(hidden)]
    fn put(&self, ins: &mut Ins<'_>, is_consumed: bool) -> Result<(), Error>;
    #[doc(hidden)]
    fn take(outs: &mut Outs<'c>) -> Self;
}

macro_rules! elements {
    ($($ty:ident),*) => {
        $(impl Element for $ty {}
        impl private::Sealed for $ty {}
        impl Value<'_> for $ty {
            fn put(&self, ins: &mut Ins<'_>, _: bool) -> Result<(), Error> {
                ins.scalar(*self);
                Ok(())
            }

            fn take(outs: &mut Outs<'_>) -> $ty {
                let part = outs.next();
                // SAFETY: The program has put a value of this type there.
                unsafe { (&raw const part.scalar).cast::<$ty>().read() }
            }
        })*
    };
}

elements!(i8, i16, i32, i64, u8, u16, u32, u64, F16, f32, f64, bool);

impl<'c, T: Element, const RANK: usize> Value<'c> for Array<'c, T, RANK> {
    fn put(&self, ins: &mut Ins<'_>, is_consumed: bool) -> Result<(), Error> {
        ins.view(View { from: From_::Array(self) }, is_consumed)
    }

    fn take(outs: &mut Outs<'c>) -> Self {
        let mut part = outs.next();
        let block = part.block.take().expect("an array is somewhere");
        let mut shape = [0; RANK];
        shape.copy_from_slice(&part.shape);
        Array { context: part.context, block, shape, elements: PhantomData }
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {
        $(impl<'c, $($name: Value<'c>),*> Value<'c> for ($($name,)*) {
            fn put(&self, _ins: &mut Ins<'_>, _is_consumed: bool) -> Result<(), Error> {
                let ($($name,)*) = self;
                $($name.put(_ins, _is_consumed)?;)*
                Ok(())
            }

            fn take(_outs: &mut Outs<'c>) -> Self {
                ($($name::take(_outs),)*)
            }
        })*
    };
}

tuples! {
    ;
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
    A B C D E F G H I J K L M N;
    A B C D E F G H I J K L M N O;
    A B C D E F G H I J K L M N O P;
}
