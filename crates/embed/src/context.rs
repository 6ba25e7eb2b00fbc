//! Contexts: where a program keeps its memory and threads, and who calls it.

#![expect(unsafe_code, reason = "a call of C is as safe as its arguments, which are checked here")]

use crate::array::{At, Shape};
use crate::program::Inner;
use crate::raw::{self, Block, Lent, View, Wishes};
use crate::{Array, EntryPoint, Error, Memory, Program};
use kenaz_base::Prim;
use kenaz_driver::native::Failure;
use kenaz_ir::{Level, Part, Scalar};
use kenaz_runtime::Element;
use smallvec::SmallVec;
use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// What a program needs to run: memory, threads, a device. Copies are the same context.
#[derive(Clone)]
pub struct Context {
    owner: Arc<Owner>,
}

/// A context and what it was made of, for as long as anybody needs either.
pub(crate) struct Owner {
    /// Empty only when it is dropped.
    context: Mutex<Option<raw::Context>>,
    /// Blocks whose owners were dropped during a call.
    dropped: Mutex<Vec<Block>>,
    pub(crate) program: Arc<Inner>,
}

// SAFETY: Blocks are pointers that no thread uses without the lock of their context.
unsafe impl Send for Owner {}
// SAFETY: As above.
unsafe impl Sync for Owner {}

/// How a context begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// On how many threads programs for several cores run; nothing is as many as usual.
    pub threads: Option<u32>,
    /// A part of the name of a device, as `--device` has it.
    pub device: Option<String>,
    /// Values of tuning parameters.
    pub tuning: Vec<(String, usize)>,
}

/// A part of an argument.
pub enum Arg<'a> {
    Scalar(Scalar),
    /// An array of this context, or on a CPU of any. It is copied if the entry point consumes it.
    Array(&'a Array),
    /// An array that nobody needs afterwards. One that the entry point consumes is only copied if others share it.
    Given(Array),
    /// Elements of the caller's. On a CPU they are copied if the entry point consumes them, or if they are not aligned;
    /// on a device, if they are on the host.
    Memory(Memory<'a>),
}

/// A part of a result.
pub enum Value {
    Scalar(Scalar),
    Array(Array),
}

impl Program {
    /// Starts the program.
    pub fn context(&self, options: &Options) -> Result<Context, Error> {
        const MOST_THREADS: u32 = 1 << 16;
        let usage = |what: &str| Err(Error::Usage(what.to_string()));
        if options.threads.is_some_and(|threads| !(1..=MOST_THREADS).contains(&threads)) {
            return usage("a number of threads is from 1 to 65536");
        }
        if options.threads.is_some() && !self.target().runs(Level::Core) {
            return usage("only the back end multicore has a number of threads");
        }
        if options.device.is_some() && !self.inner.is_device() {
            return usage("only the back ends opencl and cuda have devices");
        }
        let text = |text: &str| {
            CString::new(text).map_err(|_| Error::Usage(format!("{text:?} has a zero in it, which no name has")))
        };
        let tuning: Result<Vec<_>, Error> =
            options.tuning.iter().map(|(name, value)| Ok((text(name)?, *value))).collect();
        let device = options.device.as_deref().map(text).transpose()?;
        let wishes = Wishes { threads: options.threads.unwrap_or(0), device: device.as_deref(), tuning: &tuning? };
        let context = raw::Context::start(&self.inner.library, &wishes)?;
        let owner =
            Owner { context: Mutex::new(Some(context)), dropped: Mutex::new(Vec::new()), program: self.inner.clone() };
        Ok(Context { owner: Arc::new(owner) })
    }
}

impl Context {
    pub(crate) fn of(owner: Arc<Owner>) -> Context {
        Context { owner }
    }

    pub fn program(&self) -> Program {
        Program { inner: self.owner.program.clone() }
    }

    /// With CUDA, which of its devices the program runs on.
    pub fn cuda_device(&self) -> Option<u32> {
        self.owner.with(|context| Ok(context.device(&self.owner.program.library))).ok().flatten()
    }

    /// Whether two are the same.
    pub fn is(&self, other: &Context) -> bool {
        Arc::ptr_eq(&self.owner, &other.owner)
    }

    /// A copy of elements, as many as the shape says; nothing if there are more or fewer.
    pub fn array<T: Element>(&self, elements: &[T], shape: &[usize]) -> Result<Option<Array>, Error> {
        Memory::new(elements, shape).map(|memory| self.copy(&memory)).transpose()
    }

    /// A copy of elements.
    pub fn copy(&self, memory: &Memory<'_>) -> Result<Array, Error> {
        let block = self.owner.with(|context| self.copied(context, memory.at, memory.bytes))?;
        // SAFETY: The block was made for the elements of this shape.
        Ok(unsafe { Array::new(self.owner.clone(), block, memory.prim, memory.shape.clone()) })
    }

    /// Runs the entry point with this number in [`Program::entry_points`].
    pub fn call(&self, entry: usize, args: Vec<Arg<'_>>) -> Result<Vec<Value>, Error> {
        let none = || Error::Usage(format!("there is no entry point with the number {entry}"));
        let entry = self.owner.program.entries.get(entry).ok_or_else(none)?;
        if args.len() != entry.takes.len() {
            let (takes, given) = (entry.takes.len(), args.len());
            return Err(Error::Usage(format!("`{}` takes {takes} parts of arguments, and not {given}", entry.name)));
        }
        for (arg, (part, _)) in args.iter().zip(&entry.takes) {
            self.check(arg, *part)?;
        }
        let sizes: usize = entry.gives.iter().map(|part| part.rank).sum();
        let mut out_shapes: SmallVec<[i64; 8]> = SmallVec::from_elem(0, sizes);
        let mut out_scalars: SmallVec<[u64; 8]> = SmallVec::from_elem(0, entry.gives.len());
        let mut outs: SmallVec<[View; 8]> = SmallVec::new();
        let mut shape = out_shapes.as_mut_ptr();
        for (part, scalar) in entry.gives.iter().zip(&mut out_scalars) {
            outs.push(View { at: ptr::from_mut(scalar).cast(), shape });
            shape = shape.wrapping_add(part.rank);
        }
        {
            let mut ins = Ins::new(self);
            let guard = self.owner.lock();
            let context = guard.as_ref().ok_or_else(stopped)?;
            let called = ins.fill(context, entry, args).and_then(|()| {
                let views = ins.views();
                // SAFETY: There is a view for each part; those of the inputs were filled by their types, and those of
                // the outputs have room for a scalar and for all sizes.
                unsafe { context.call(&self.owner.program.library, entry.number, &mut outs, &views) }
            });
            ins.release(context);
            drop(guard);
            self.owner.free_dropped();
            called?;
        }
        let mut values = Vec::with_capacity(entry.gives.len());
        let mut shapes = &out_shapes[..];
        for ((part, view), scalar) in entry.gives.iter().zip(&outs).zip(&out_scalars) {
            let (own, rest) = shapes.split_at(part.rank);
            shapes = rest;
            values.push(if part.rank == 0 {
                Value::Scalar(from_memory(part.prim, *scalar))
            } else {
                let block = Block::new(view.at)
                    .ok_or_else(|| Error::Fault(format!("`{}` gives an array that is nowhere", entry.name)))?;
                // SAFETY: The program has put the block there, with a reference for us and as many elements as it says.
                Value::Array(unsafe { Array::new(self.owner.clone(), block, part.prim, Shape::from_slice(own)) })
            });
        }
        Ok(values)
    }

    /// Whether an argument is of the type of its part and can be used by this context.
    fn check(&self, arg: &Arg<'_>, part: Part) -> Result<(), Error> {
        let is_device = self.owner.program.is_device();
        let (given, is_usable) = match arg {
            Arg::Scalar(scalar) => (Part::scalar(scalar.prim()), true),
            Arg::Array(array) => (of_array(array), !is_device || Arc::ptr_eq(array.owner(), &self.owner)),
            Arg::Given(array) => (of_array(array), !is_device || Arc::ptr_eq(array.owner(), &self.owner)),
            Arg::Memory(memory) => {
                let is_there = matches!(memory.at, At::Host(_)) || is_device;
                (Part { prim: memory.prim, rank: memory.shape.len() }, is_there)
            }
        };
        if given != part {
            return Err(Error::Usage(format!("a part of an argument is `{given}`, and must be `{part}`")));
        }
        if !is_usable {
            return Err(Error::Usage("an array on a device belongs to another context".to_string()));
        }
        Ok(())
    }

    /// A new block with bytes from anywhere.
    fn copied(&self, context: &raw::Context, from: At, bytes: usize) -> Result<Block, Failure> {
        let library = &self.owner.program.library;
        let block = context.alloc(library, bytes)?;
        let copied = match from {
            _ if bytes == 0 => Ok(()),
            // SAFETY: There are so many bytes, and there is room for them.
            At::Host(from) => unsafe { context.put(library, block, from, bytes) },
            At::Device(buffer) => context.wrap(library, buffer).and_then(|wrapped| {
                // SAFETY: As above; the reference to the buffer is ours.
                unsafe {
                    let copied = context.copy(library, block, wrapped.as_ptr(), bytes);
                    context.release(library, wrapped);
                    copied
                }
            }),
        };
        if copied.is_err() {
            // SAFETY: The reference is ours, and forgotten.
            unsafe { context.release(library, block) };
        }
        copied.map(|()| block)
    }
}

fn of_array(array: &Array) -> Part {
    Part { prim: array.prim(), rank: array.shape().len() }
}

/// What a call takes, for as long as it runs.
struct Ins<'c> {
    of: &'c Context,
    places: SmallVec<[Place; 8]>,
    lent: SmallVec<[Lent<'c>; 8]>,
    /// Blocks whose references are ours.
    own: SmallVec<[Block; 8]>,
}

struct Place {
    /// Of an array; NULL of a scalar.
    at: *mut c_void,
    /// Of a scalar, as it is in memory.
    scalar: u64,
    shape: Shape,
}

impl<'c> Ins<'c> {
    fn new(of: &'c Context) -> Ins<'c> {
        Ins { of, places: SmallVec::new(), lent: SmallVec::new(), own: SmallVec::new() }
    }

    fn fill(&mut self, context: &raw::Context, entry: &EntryPoint, args: Vec<Arg<'_>>) -> Result<(), Failure> {
        for (arg, (_, consumed)) in args.into_iter().zip(&entry.takes) {
            let place = self.place(context, arg, *consumed)?;
            self.places.push(place);
        }
        Ok(())
    }

    fn place(&mut self, context: &raw::Context, arg: Arg<'_>, consumed: bool) -> Result<Place, Failure> {
        let library = &self.of.owner.program.library;
        Ok(match arg {
            Arg::Scalar(scalar) => Place { at: ptr::null_mut(), scalar: to_memory(scalar), shape: Shape::new() },
            Arg::Array(array) => {
                let is_own = Arc::ptr_eq(array.owner(), &self.of.owner);
                let (shape, bytes) = (array.shape_of().clone(), array.bytes());
                if is_own && !consumed {
                    Place { at: array.block().as_ptr(), scalar: 0, shape }
                } else if is_own {
                    let block = context.alloc(library, bytes)?;
                    self.own.push(block);
                    // SAFETY: Both blocks are of this context and have so many bytes.
                    unsafe { context.copy(library, block, array.block().as_ptr(), bytes) }?;
                    Place { at: block.as_ptr(), scalar: 0, shape }
                } else {
                    self.memory(context, At::Host(array.block().as_ptr()), array.prim(), shape, bytes, consumed)?
                }
            }
            Arg::Given(array) if Arc::ptr_eq(array.owner(), &self.of.owner) => {
                let (shape, bytes) = (array.shape_of().clone(), array.bytes());
                let mut block = array.into_block();
                self.own.push(block);
                if consumed {
                    // SAFETY: The block is one of this context with so many bytes, and replaced.
                    block = unsafe { context.unshare(library, block, bytes) }?;
                    self.own.pop();
                    self.own.push(block);
                }
                Place { at: block.as_ptr(), scalar: 0, shape }
            }
            // Of another context, and so on a CPU.
            Arg::Given(array) => {
                let block = self.of.copied(context, At::Host(array.block().as_ptr()), array.bytes())?;
                self.own.push(block);
                Place { at: block.as_ptr(), scalar: 0, shape: array.shape_of().clone() }
            }
            Arg::Memory(Memory { at, prim, shape, bytes, .. }) => {
                self.memory(context, at, prim, shape, bytes, consumed)?
            }
        })
    }

    fn memory(
        &mut self,
        context: &raw::Context,
        at: At,
        prim: Prim,
        shape: Shape,
        bytes: usize,
        consumed: bool,
    ) -> Result<Place, Failure> {
        let library = &self.of.owner.program.library;
        // What has no bytes may begin where something else does.
        let may_stay = !consumed && bytes > 0;
        let at = match at {
            At::Host(address) if may_stay && address.addr().is_multiple_of(prim.bytes()) => {
                library.lend(address).map(|lent| {
                    self.lent.push(lent);
                    address.cast_mut()
                })
            }
            At::Device(buffer) if may_stay => {
                let block = context.wrap(library, buffer)?;
                self.own.push(block);
                Some(block.as_ptr())
            }
            At::Host(_) | At::Device(_) => None,
        }
        .map_or_else(
            || {
                let block = self.of.copied(context, at, bytes)?;
                self.own.push(block);
                Ok(block.as_ptr())
            },
            Ok,
        )?;
        Ok(Place { at, scalar: 0, shape })
    }

    /// For as long as nothing is added.
    fn views(&mut self) -> SmallVec<[View; 8]> {
        let view = |place: &mut Place| {
            let at = if place.at.is_null() { ptr::from_mut(&mut place.scalar).cast() } else { place.at };
            View { at, shape: place.shape.as_mut_ptr() }
        };
        self.places.iter_mut().map(view).collect()
    }

    fn release(self, context: &raw::Context) {
        for block in self.own {
            // SAFETY: The references are ours, and forgotten.
            unsafe { context.release(&self.of.owner.program.library, block) };
        }
    }
}

/// A scalar as it is in the memory of a program: at the beginning of eight bytes.
fn to_memory(scalar: Scalar) -> u64 {
    let unused = 64 - 8 * u32::try_from(scalar.prim().bytes()).unwrap_or(8);
    if cfg!(target_endian = "big") { scalar.bits() << unused } else { scalar.bits() }
}

fn from_memory(prim: Prim, bytes: u64) -> Scalar {
    let unused = 64 - 8 * u32::try_from(prim.bytes()).unwrap_or(8);
    Scalar::from_bits(prim, if cfg!(target_endian = "big") { bytes >> unused } else { bytes })
}

fn stopped() -> Error {
    Error::Fault("the context has been stopped".to_string())
}

impl Owner {
    fn lock(&self) -> MutexGuard<'_, Option<raw::Context>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the context, which nobody else uses at that time.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&raw::Context) -> Result<R, Failure>) -> Result<R, Error> {
        let guard = self.lock();
        let result = guard.as_ref().ok_or_else(stopped).map(f);
        drop(guard);
        self.free_dropped();
        Ok(result??)
    }

    /// Gives a reference to a block back, now or after the call that runs.
    pub(crate) fn release(&self, block: Block) {
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        self.free_dropped();
    }

    /// Frees what was dropped, unless a call runs, after which this is done again.
    fn free_dropped(&self) {
        loop {
            if self.dropped.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
                return;
            }
            let guard = match self.context.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            let Some(context) = guard.as_ref() else { return };
            let blocks = std::mem::take(&mut *self.dropped.lock().unwrap_or_else(PoisonError::into_inner));
            for block in blocks {
                // SAFETY: The reference was that of an array of this context, which is no more.
                unsafe { context.release(&self.program.library, block) };
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let context = self.context.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(context) = context {
            context.stop(&self.program.library);
        }
    }
}
