//! A program as a shared library in this process: the functions of embed.h, and a context of its.
//!
//! All calls of C are here. A library is made of the text of this very crate, so that both sides agree.

#![expect(unsafe_code, reason = "functions in a shared library cannot be called otherwise")]

use kenaz_driver::native::{CallError, Failure, module};
use libloading::Library as Handle;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::{self, NonNull};

#[repr(C)]
struct Opaque {
    _opaque: [u8; 0],
}

/// `struct kz_part_view`.
#[repr(C)]
pub(crate) struct View {
    pub(crate) at: *mut c_void,
    pub(crate) shape: *mut i64,
}

/// `struct kz_wish`.
#[repr(C)]
struct Wish {
    threads: c_int,
    tuning_count: c_int,
    device: *const c_char,
    tuning_names: *const *const c_char,
    tuning_values: *const usize,
}

/// `struct kz_embed`.
#[repr(C)]
struct Functions {
    start: unsafe extern "C" fn(*const Wish) -> *mut Opaque,
    stop: unsafe extern "C" fn(*mut Opaque),
    error: unsafe extern "C" fn(*mut Opaque) -> *mut c_char,
    forget: unsafe extern "C" fn(*mut c_void),
    find: unsafe extern "C" fn(*const c_char) -> c_int,
    call: unsafe extern "C" fn(*mut Opaque, c_int, *mut View, *const View) -> c_int,
    alloc: unsafe extern "C" fn(*mut Opaque, i64) -> *mut c_void,
    release: unsafe extern "C" fn(*mut Opaque, *mut c_void),
    unshare: unsafe extern "C" fn(*mut Opaque, *mut c_void, i64) -> *mut c_void,
    get: unsafe extern "C" fn(*mut Opaque, *mut c_void, *const c_void, i64) -> c_int,
    put: unsafe extern "C" fn(*mut Opaque, *mut c_void, *const c_void, i64) -> c_int,
    copy: unsafe extern "C" fn(*mut Opaque, *mut c_void, *const c_void, i64) -> c_int,
    lend: unsafe extern "C" fn(*const c_void) -> c_int,
    take_back: unsafe extern "C" fn(c_int),
    wrap: unsafe extern "C" fn(*mut Opaque, usize) -> *mut c_void,
    buffer: unsafe extern "C" fn(*mut c_void) -> usize,
    sync: unsafe extern "C" fn(*mut Opaque) -> c_int,
    device: unsafe extern "C" fn(*mut Opaque) -> c_int,
}

/// A loaded library.
pub(crate) struct Library {
    functions: &'static Functions,
    /// What the functions are part of.
    _handle: Handle,
}

impl Library {
    /// Loads a library that was made of [`crate::text`] by this version.
    pub(crate) fn load(path: &Path) -> Result<Library, CallError> {
        let broken = |error: libloading::Error| CallError::Broken(format!("cannot load {}: {error}", path.display()));
        // SAFETY: The initialisers of the library are those of the C library; the symbol is the table of embed.h, which
        // lives as long as the library, so as long as this value has its handle, and which nobody changes. No reference
        // to it leaves the methods of this value.
        unsafe {
            let handle = module::open(path).map_err(broken)?;
            let functions: *const Functions = *handle.get(b"kz_embed\0").map_err(broken)?;
            let Some(functions) = functions.as_ref() else {
                return Err(CallError::Broken(format!("{} has no table of functions", path.display())));
            };
            Ok(Library { functions, _handle: handle })
        }
    }

    /// The number of an entry point.
    pub(crate) fn find(&self, name: &str) -> Option<c_int> {
        let name = CString::new(name).ok()?;
        // SAFETY: The name is a string that outlives the call.
        let number = unsafe { (self.functions.find)(name.as_ptr()) };
        (number >= 0).then_some(number)
    }

    /// Lists memory as not the program's own; nothing if there is no room for it.
    pub(crate) fn lend(&self, data: *const c_void) -> Option<Lent<'_>> {
        // SAFETY: The address is only noted.
        let place = unsafe { (self.functions.lend)(data) };
        (place >= 0).then_some(Lent { library: self, place })
    }
}

/// Memory that is listed.
pub(crate) struct Lent<'l> {
    library: &'l Library,
    place: c_int,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // SAFETY: The place is ours, and left once.
        unsafe { (self.library.functions.take_back)(self.place) }
    }
}

/// A block of a context, with one reference that its owner gives back.
pub(crate) type Block = NonNull<c_void>;

/// A context. Only one thread at a time may call its methods, which is seen to by [`crate::Context`].
pub(crate) struct Context {
    raw: NonNull<Opaque>,
}

// SAFETY: No part of a context belongs to a thread; it must only not be used by two at the same time.
unsafe impl Send for Context {}

/// What is set before a context begins.
pub(crate) struct Wishes<'w> {
    pub(crate) threads: u32,
    pub(crate) device: Option<&'w CStr>,
    pub(crate) tuning: &'w [(CString, usize)],
}

impl Context {
    pub(crate) fn start(library: &Library, wishes: &Wishes<'_>) -> Result<Context, Failure> {
        let names: Vec<*const c_char> = wishes.tuning.iter().map(|(name, _)| name.as_ptr()).collect();
        let values: Vec<usize> = wishes.tuning.iter().map(|(_, value)| *value).collect();
        let wish = Wish {
            threads: c_int::try_from(wishes.threads).unwrap_or(c_int::MAX),
            tuning_count: c_int::try_from(names.len()).unwrap_or(c_int::MAX),
            device: wishes.device.map_or(ptr::null(), CStr::as_ptr),
            tuning_names: names.as_ptr(),
            tuning_values: values.as_ptr(),
        };
        // SAFETY: All that the wish points to outlives the call.
        let raw = unsafe { (library.functions.start)(&raw const wish) };
        let Some(raw) = NonNull::new(raw) else {
            return Err(Failure::read("Error: out of memory: cannot start the program.\n"));
        };
        let context = Context { raw };
        match context.error(library) {
            None => Ok(context),
            Some(failure) => {
                context.stop(library);
                Err(failure)
            }
        }
    }

    /// No block of it may be used afterwards.
    pub(crate) fn stop(self, library: &Library) {
        // SAFETY: The context lives, and is not used again.
        unsafe { (library.functions.stop)(self.raw.as_ptr()) }
    }

    /// Runs an entry point.
    ///
    /// # Safety
    ///
    /// There is a view for each part of its inputs and outputs, with room for as many sizes as the part has dimensions.
    /// That of a scalar points to eight bytes, that of an input to a block with at least as many elements as its shape
    /// says, or to as much listed memory, which nobody writes to. The block of a consumed input has one reference.
    pub(crate) unsafe fn call(
        &self,
        library: &Library,
        number: c_int,
        outs: &mut [View],
        ins: &[View],
    ) -> Result<(), Failure> {
        // SAFETY: As of this function.
        let code = unsafe { (library.functions.call)(self.raw.as_ptr(), number, outs.as_mut_ptr(), ins.as_ptr()) };
        self.outcome(library, code)
    }

    /// A block with room for so many bytes.
    pub(crate) fn alloc(&self, library: &Library, bytes: usize) -> Result<Block, Failure> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: The context lives.
        let block = unsafe { (library.functions.alloc)(self.raw.as_ptr(), bytes) };
        NonNull::new(block).ok_or_else(|| self.failure(library))
    }

    /// Gives a reference back.
    ///
    /// # Safety
    ///
    /// The reference is one of this context, and not used again.
    pub(crate) unsafe fn release(&self, library: &Library, block: Block) {
        // SAFETY: As of this function.
        unsafe { (library.functions.release)(self.raw.as_ptr(), block.as_ptr()) }
    }

    /// The block if there are no other references to it, or a copy of its bytes instead of it.
    ///
    /// # Safety
    ///
    /// The block is one of this context with so many bytes; the reference is replaced by that of the result, if there
    /// is one.
    pub(crate) unsafe fn unshare(&self, library: &Library, block: Block, bytes: usize) -> Result<Block, Failure> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: As of this function.
        let own = unsafe { (library.functions.unshare)(self.raw.as_ptr(), block.as_ptr(), bytes) };
        NonNull::new(own).ok_or_else(|| self.failure(library))
    }

    /// Copies bytes from a block to memory.
    ///
    /// # Safety
    ///
    /// The block is one of this context with so many bytes, for which there is room.
    pub(crate) unsafe fn get(
        &self,
        library: &Library,
        to: *mut c_void,
        block: Block,
        bytes: usize,
    ) -> Result<(), Failure> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: As of this function.
        let code = unsafe { (library.functions.get)(self.raw.as_ptr(), to, block.as_ptr(), bytes) };
        self.outcome(library, code)
    }

    /// Copies bytes from memory to a block.
    ///
    /// # Safety
    ///
    /// The block is one of this context with room for so many bytes, as many as there are at `from`.
    pub(crate) unsafe fn put(
        &self,
        library: &Library,
        block: Block,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Failure> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: As of this function.
        let code = unsafe { (library.functions.put)(self.raw.as_ptr(), block.as_ptr(), from, bytes) };
        self.outcome(library, code)
    }

    /// Copies bytes from a block or, on a CPU, memory of the caller to a block.
    ///
    /// # Safety
    ///
    /// Both blocks are of this context and have room for so many bytes.
    pub(crate) unsafe fn copy(
        &self,
        library: &Library,
        to: Block,
        from: *const c_void,
        bytes: usize,
    ) -> Result<(), Failure> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: As of this function.
        let code = unsafe { (library.functions.copy)(self.raw.as_ptr(), to.as_ptr(), from, bytes) };
        self.outcome(library, code)
    }

    /// On a device, a block of a buffer of the caller, who keeps it alive for as long as the block is used.
    pub(crate) fn wrap(&self, library: &Library, buffer: usize) -> Result<Block, Failure> {
        // SAFETY: The address is only noted; no host code uses it as one.
        let block = unsafe { (library.functions.wrap)(self.raw.as_ptr(), buffer) };
        NonNull::new(block).ok_or_else(|| self.failure(library))
    }

    /// Waits until all that was asked for is done.
    pub(crate) fn sync(&self, library: &Library) -> Result<(), Failure> {
        // SAFETY: The context lives.
        let code = unsafe { (library.functions.sync)(self.raw.as_ptr()) };
        self.outcome(library, code)
    }

    /// Which of the devices of CUDA it is.
    pub(crate) fn device(&self, library: &Library) -> Option<u32> {
        // SAFETY: The context lives.
        u32::try_from(unsafe { (library.functions.device)(self.raw.as_ptr()) }).ok()
    }

    fn outcome(&self, library: &Library, code: c_int) -> Result<(), Failure> {
        if code == 0 { Ok(()) } else { Err(self.failure(library)) }
    }

    fn failure(&self, library: &Library) -> Failure {
        self.error(library).unwrap_or_else(|| Failure::read("Error: out of memory\n"))
    }

    /// The error since it was last asked for.
    fn error(&self, library: &Library) -> Option<Failure> {
        // SAFETY: The context lives; the message is a string that belongs to us until it is forgotten.
        unsafe {
            let message = (library.functions.error)(self.raw.as_ptr());
            if message.is_null() {
                return None;
            }
            let mut text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (library.functions.forget)(message.cast());
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Some(Failure::read(text))
        }
    }
}

/// The buffer of a block: on a CPU its address.
///
/// # Safety
///
/// The block is one of a context of this library.
pub(crate) unsafe fn buffer(library: &Library, block: Block) -> usize {
    // SAFETY: As of this function.
    unsafe { (library.functions.buffer)(block.as_ptr()) }
}
