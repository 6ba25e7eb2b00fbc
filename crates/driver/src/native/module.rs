//! Programs as shared libraries in our own process.
//!
//! This is the only place with unsafe code: it calls functions of C, whose types are those of rts/module.h, and reads
//! what they leave in memory. A module is made of the text of this very compiler, so that both sides agree.

#![expect(unsafe_code, reason = "functions in a shared library cannot be called otherwise")]

use super::failure::Failure;
use kenaz_base::Prim;
use kenaz_ir::{EntryParam, Part};
use kenaz_runtime::{Data, Element, Value, element_count, with_elements};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

#[repr(C)]
struct Context {
    _opaque: [u8; 0],
}

/// `struct kz_part_view`.
#[repr(C)]
struct View {
    at: *mut c_void,
    shape: *mut i64,
}

/// `struct kz_module`.
#[repr(C)]
struct Functions {
    start: unsafe extern "C" fn(c_int) -> *mut Context,
    stop: unsafe extern "C" fn(*mut Context),
    error: unsafe extern "C" fn(*mut Context) -> *mut c_char,
    forget: unsafe extern "C" fn(*mut c_void),
    alloc: unsafe extern "C" fn(*mut Context, i64) -> *mut c_void,
    release: unsafe extern "C" fn(*mut Context, *mut c_void),
    call: unsafe extern "C" fn(*mut Context, *const c_char, *mut View, *const View) -> c_int,
    get: unsafe extern "C" fn(*mut Context, *mut c_void, *const c_void, i64) -> c_int,
    put: unsafe extern "C" fn(*mut Context, *mut c_void, *const c_void, i64) -> c_int,
}

/// A loaded program.
pub struct Module {
    functions: *const Functions,
    context: *mut Context,
    /// Unloaded after the context has been stopped, and its threads with it.
    _library: Library,
}

/// Why there are no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The program failed.
    #[error("{0}")]
    Failed(Failure),
    /// The module is not what it should be.
    #[error("{0}")]
    Broken(String),
}

impl Module {
    /// Loads a module that was made by `codegen::module` of this version. One for several cores runs on so many
    /// threads, or as many as usual.
    pub fn load(path: &Path, threads: Option<u32>) -> Result<Module, CallError> {
        let broken = |error: libloading::Error| CallError::Broken(format!("cannot load {}: {error}", path.display()));
        // SAFETY: The initialisers of a module are those of the C library; the symbol is the table of rts/module.h,
        // which lives as long as the library, and which nobody changes.
        let (library, functions) = unsafe {
            let library = open(path).map_err(broken)?;
            let functions = *library.get::<*const Functions>(b"kz_module\0").map_err(broken)?;
            (library, functions)
        };
        if functions.is_null() {
            return Err(CallError::Broken(format!("{} has no table of functions", path.display())));
        }
        // SAFETY: See above.
        let context = unsafe { ((*functions).start)(threads.map_or(0, |n| c_int::try_from(n).unwrap_or(c_int::MAX))) };
        if context.is_null() {
            return Err(CallError::Failed(Failure::read("Error: out of memory: cannot start the program.\n")));
        }
        let module = Module { functions, context, _library: library };
        match module.error() {
            Some(message) => Err(CallError::Failed(Failure::read(message))),
            None => Ok(module),
        }
    }

    /// Runs an entry point that takes and gives such values, flattened to their parts.
    pub fn call(
        &self,
        entry: &str,
        takes: &[EntryParam],
        gives: &[EntryParam],
        arguments: Vec<Value>,
    ) -> Result<Vec<Value>, CallError> {
        let broken = |what: &str| CallError::Broken(format!("the entry point `{entry}` {what}"));
        let parts = |params: &[EntryParam]| params.iter().flat_map(|param| param.ty.parts()).collect::<Vec<Part>>();
        let (takes, gives) = (parts(takes), parts(gives));
        let fits = |value: &Value, part: &Part| value.prim() == part.prim && value.rank() == part.rank;
        if arguments.len() != takes.len() || !arguments.iter().zip(&takes).all(|(value, part)| fits(value, part)) {
            return Err(broken("takes other arguments"));
        }
        let name = CString::new(entry).map_err(|_| broken("has a name that C does not have"))?;
        let mut ins = Parts { module: self, places: Vec::new() };
        for argument in arguments {
            ins.push(&argument)?;
        }
        let mut outs = Parts { module: self, places: Vec::new() };
        gives.iter().for_each(|part| outs.places.push(Place::empty(part.rank)));
        let (mut out_views, in_views) = (outs.views(), ins.views());
        // SAFETY: There is a view for each part of the entry point, of which `takes` and `gives` are the types; each
        // has room for as many sizes as the part has dimensions, and that of a scalar points to eight bytes.
        let code =
            unsafe { (self.functions().call)(self.context, name.as_ptr(), out_views.as_mut_ptr(), in_views.as_ptr()) };
        if code != 0 {
            let message = self.error().unwrap_or_else(|| format!("Error: code {code}\n"));
            return Err(CallError::Failed(Failure::read(message)));
        }
        for ((place, view), part) in outs.places.iter_mut().zip(&out_views).zip(&gives) {
            if part.rank > 0 {
                place.block = view.at;
            }
        }
        drop(ins);
        // Blocks are given back one by one, so that the results are not there twice.
        let results = outs.places.iter_mut().zip(&gives).map(|(place, part)| self.read(place, *part));
        results.collect::<Result<_, String>>().map_err(|what| broken(&what))
    }

    /// Copies a result.
    fn read(&self, place: &mut Place, part: Part) -> Result<Value, String> {
        if part.rank == 0 {
            let from = place.scalar.as_ptr().cast::<u8>();
            // SAFETY: The program has put a scalar there, and there is room for it.
            let get = |to: *mut u8, bytes: usize| unsafe {
                ptr::copy_nonoverlapping(from, to, bytes);
                true
            };
            // SAFETY: As above.
            let data = unsafe { elements(part.prim, 1, get) };
            return Ok(Value::new(Vec::new(), data.ok_or("gives a scalar that cannot be")?));
        }
        let shape: Option<Vec<usize>> = place.shape.iter().map(|size| usize::try_from(*size).ok()).collect();
        let is_empty = shape.as_ref().is_some_and(|shape| shape.contains(&0));
        let count = shape.as_ref().and_then(|shape| if is_empty { Some(0) } else { element_count(shape, part.prim) });
        let (Some(shape), Some(count)) = (shape, count) else {
            return Err(format!("gives an array of the shape {:?}", place.shape));
        };
        if count > 0 && place.block.is_null() {
            return Err("gives an array that is nowhere".to_string());
        }
        let block = place.block;
        let get = |to: *mut u8, bytes: usize| {
            let size = i64::try_from(bytes).unwrap_or(i64::MAX);
            // SAFETY: The block of a result has at least as many elements as its shape says, and there is room for
            // them.
            unsafe { (self.functions().get)(self.context, to.cast(), block, size) == 0 }
        };
        // SAFETY: As above.
        let data = unsafe { elements(part.prim, count, get) };
        self.release(place);
        Ok(Value::new(shape, data.ok_or("gives more than the memory holds")?))
    }

    fn release(&self, place: &mut Place) {
        let block = std::mem::replace(&mut place.block, ptr::null_mut());
        if !block.is_null() {
            // SAFETY: The block is one that this context has given us, and we forget it.
            unsafe { (self.functions().release)(self.context, block) }
        }
    }

    fn functions(&self) -> &Functions {
        // SAFETY: The table lives as long as the library.
        unsafe { &*self.functions }
    }

    /// The error of the last call.
    fn error(&self) -> Option<String> {
        // SAFETY: The context lives; the message is a string that belongs to us until it is forgotten.
        unsafe {
            let message = (self.functions().error)(self.context);
            if message.is_null() {
                return None;
            }
            let mut text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.functions().forget)(message.cast());
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Some(text)
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: Nothing is used afterwards, and no block outlives a call.
        unsafe { (self.functions().stop)(self.context) }
    }
}

/// Loads a library whose functions all exist: one that lacked some would end the process when it is called.
///
/// # Safety
///
/// As of [`Library::new`].
pub unsafe fn open(path: &Path) -> Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix;
        // SAFETY: As of this function.
        unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }.map(Library::from)
    }
    #[cfg(not(unix))]
    {
        // SAFETY: As of this function.
        unsafe { Library::new(path) }
    }
}

/// The arguments or results of a call; their blocks are released in the end.
struct Parts<'m> {
    module: &'m Module,
    places: Vec<Place>,
}

struct Place {
    /// The bytes of a scalar, and zeros behind them; aligned for all of them.
    scalar: [u64; 1],
    /// NULL if it is a scalar.
    block: *mut c_void,
    shape: Vec<i64>,
}

impl Place {
    fn empty(rank: usize) -> Place {
        Place { scalar: [0], block: ptr::null_mut(), shape: vec![0; rank] }
    }
}

impl Parts<'_> {
    /// Adds an argument, whose elements are copied to where the program can use them.
    fn push(&mut self, value: &Value) -> Result<(), CallError> {
        let mut place = Place::empty(value.rank());
        with_elements!(value.data(), xs => {
            let bytes = size_of_val(xs.as_slice());
            if value.rank() == 0 {
                let to = place.scalar.as_mut_ptr().cast::<u8>();
                // SAFETY: There is room for the eight bytes of a scalar, and all types of elements are plain.
                unsafe { ptr::copy_nonoverlapping(xs.as_ptr().cast::<u8>(), to, bytes) }
            } else {
                place.shape = value.shape().iter().map(|size| i64::try_from(*size).unwrap_or(i64::MAX)).collect();
                let size = i64::try_from(bytes).unwrap_or(i64::MAX);
                // SAFETY: The context lives; what it gives is released with us.
                place.block = unsafe { (self.module.functions().alloc)(self.module.context, size) };
                // SAFETY: The block has room for so many bytes, and all types of elements are plain.
                let is_there = !place.block.is_null() && unsafe {
                    (self.module.functions().put)(self.module.context, place.block, xs.as_ptr().cast(), size) == 0
                };
                if !is_there {
                    self.module.release(&mut place);
                    let message = self.module.error().unwrap_or_else(|| "Error: out of memory\n".to_string());
                    return Err(CallError::Failed(Failure::read(message)));
                }
            }
        });
        self.places.push(place);
        Ok(())
    }

    /// For as long as no places are added.
    fn views(&mut self) -> Vec<View> {
        let view = |place: &mut Place| {
            let at = if place.block.is_null() { place.scalar.as_mut_ptr().cast() } else { place.block };
            View { at, shape: place.shape.as_mut_ptr() }
        };
        self.places.iter_mut().map(view).collect()
    }
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        self.places.iter_mut().for_each(|place| self.module.release(place));
    }
}

/// Gets elements, if there is memory for them.
///
/// # Safety
///
/// `get` writes so many bytes to the place that it is given, or says that it does not.
unsafe fn elements(prim: Prim, count: usize, mut get: impl FnMut(*mut u8, usize) -> bool) -> Option<Data> {
    /// # Safety
    ///
    /// As above; and all bytes that it writes may be elements.
    unsafe fn copy<T: Element>(
        count: usize,
        to: &mut Vec<T>,
        get: &mut impl FnMut(*mut u8, usize) -> bool,
    ) -> Option<()> {
        to.try_reserve_exact(count).ok()?;
        if count > 0 {
            get(to.as_mut_ptr().cast(), count * size_of::<T>()).then_some(())?;
            // SAFETY: There is room for them, and they have been written.
            unsafe { to.set_len(count) }
        }
        Some(())
    }
    let mut data = Data::empty(prim);
    match &mut data {
        // A byte other than 0 and 1 would be a fault of ours, but none that may have any effect here.
        Data::Bool(xs) => {
            let mut bytes: Vec<u8> = Vec::new();
            // SAFETY: A boolean is a byte.
            unsafe { copy(count, &mut bytes, &mut get) }?;
            xs.try_reserve_exact(count).ok()?;
            xs.extend(bytes.iter().map(|byte| *byte != 0));
        }
        // SAFETY: For all other types any bytes are an element.
        data => with_elements!(data, xs => unsafe { copy(count, xs, &mut get) })?,
    }
    Some(data)
}
