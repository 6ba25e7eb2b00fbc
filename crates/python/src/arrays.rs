//! Arrays of NumPy: elements read where they are, and made of elements that a program has written.

#![expect(unsafe_code, reason = "the fields of an array are known to the C API of NumPy alone")]

use crate::error::{Error, raised};
use kenaz_base::Prim;
use kenaz_embed::{Array, Memory};
use numpy::npyffi::{
    self, NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE, NPY_TYPES, PY_ARRAY_API, PyArrayObject,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use smallvec::SmallVec;
use std::ffi::{c_int, c_long, c_void};
use std::ptr;

/// What an array of NumPy made of a result keeps alive.
#[pyclass(frozen, module = "kenaz._kenaz", name = "_Held")]
pub(crate) struct Held(#[expect(dead_code, reason = "it is only dropped")] Array);

/// The elements of an array of NumPy that has this type and rank and lies as a program wants it.
pub(crate) fn memory(value: &Bound<'_, PyAny>, prim: Prim, rank: usize) -> Option<Memory<'static>> {
    let py = value.py();
    // SAFETY: The object is an array if NumPy says so, and then its fields are those of one. The memory is only used
    // as long as the caller keeps the object alive; that other threads do not write to it meanwhile is documented as
    // their concern, as for all that runs without the lock of the interpreter.
    unsafe {
        if npyffi::PyArray_Check(py, value.as_ptr()) == 0 {
            return None;
        }
        let fields = &(*value.as_ptr().cast::<PyArrayObject>()).fields;
        let wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
        let descr = &(*fields.descr).fields;
        let is_suitable = fields.flags & wanted == wanted
            && usize::try_from(fields.nd) == Ok(rank)
            && of_number(descr.type_num) == Some(prim)
            && is_native(descr.byteorder.cast_unsigned());
        if !is_suitable {
            return None;
        }
        let shape: SmallVec<[i64; 4]> = match rank {
            0 => SmallVec::new(),
            _ => std::slice::from_raw_parts(fields.dimensions, rank).iter().map(|size| *size as i64).collect(),
        };
        let memory = Memory::at(fields.data.cast::<c_void>(), prim, &shape)?;
        // A byte of an array of `bool` may be anything, if it was said to be one.
        let are_bools = prim != Prim::Bool
            || std::slice::from_raw_parts(fields.data.cast::<u8>(), memory.bytes()).iter().all(|byte| *byte < 2);
        are_bools.then_some(memory)
    }
}

/// The elements of a buffer of a device that somebody says to be there.
pub(crate) fn buffer(buffer: usize, prim: Prim, shape: &[i64]) -> Option<Memory<'static>> {
    // SAFETY: Who offers an array by `__cuda_array_interface__` says so, and the caller keeps it alive.
    unsafe { Memory::buffer(buffer, prim, shape) }
}

/// An array without elements.
pub(crate) fn empty(prim: Prim, rank: usize) -> Option<Memory<'static>> {
    let shape: SmallVec<[i64; 4]> = SmallVec::from_elem(0, rank);
    // SAFETY: There are none that could be read.
    unsafe { Memory::at(ptr::NonNull::<u64>::dangling().as_ptr().cast(), prim, &shape) }
}

fn is_native(order: u8) -> bool {
    let native = if cfg!(target_endian = "big") { b'>' } else { b'<' };
    [b'=', b'|', native].contains(&order)
}

/// The elements of a result as an array of NumPy, which keeps them alive.
pub(crate) fn of_result(py: Python<'_>, mut array: Array) -> PyResult<Bound<'_, PyAny>> {
    array.unshare().map_err(raised)?;
    let (number, data) = (number_of(array.prim()), array.address() as *mut c_void);
    let mut shape: SmallVec<[npyffi::npy_intp; 4]> =
        array.shape().iter().map(|size| *size as npyffi::npy_intp).collect();
    let rank = c_int::try_from(shape.len()).unwrap_or(c_int::MAX);
    let held = Bound::new(py, Held(array))?;
    // SAFETY: The elements live as long as `held`, which the array owns; nobody else has a reference to their block.
    // The first of the calls takes over the reference to the description, the second that to `held`.
    unsafe {
        let descr = PY_ARRAY_API.PyArray_DescrFromType(py, number);
        let class = npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type);
        let flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
        let made = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descr,
            rank,
            shape.as_mut_ptr(),
            ptr::null_mut(),
            data,
            flags,
            ptr::null_mut(),
        );
        let made = Bound::from_owned_ptr_or_err(py, made)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, made.as_ptr().cast(), held.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(made)
    }
}

/// A copy of what is on a device as an array of NumPy.
pub(crate) fn copied<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    let shape = PyTuple::new(py, array.shape())?;
    let made = py.import("numpy")?.call_method1("empty", (shape, dtype(array.prim())))?;
    let Some(to) = memory(&made, array.prim(), array.shape().len()) else {
        return Err(Error::new_err("internal error: NumPy made another array than it was asked for"));
    };
    let to = to.address();
    // SAFETY: The array is new, so that nobody else knows of its elements, of which there are as many.
    py.detach(|| unsafe { array.read(to as *mut c_void) }).map_err(raised)?;
    Ok(made)
}

/// The name of a type in NumPy.
pub(crate) fn dtype(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "int8",
        Prim::I16 => "int16",
        Prim::I32 => "int32",
        Prim::I64 => "int64",
        Prim::U8 => "uint8",
        Prim::U16 => "uint16",
        Prim::U32 => "uint32",
        Prim::U64 => "uint64",
        Prim::F16 => "float16",
        Prim::F32 => "float32",
        Prim::F64 => "float64",
        Prim::Bool => "bool",
    }
}

/// The number of a type in NumPy, which are those of the types of C; `long` may be one of two.
fn number_of(prim: Prim) -> c_int {
    let number = match prim {
        Prim::I8 => NPY_TYPES::NPY_BYTE,
        Prim::I16 => NPY_TYPES::NPY_SHORT,
        Prim::I32 => NPY_TYPES::NPY_INT,
        Prim::I64 if size_of::<c_long>() == 8 => NPY_TYPES::NPY_LONG,
        Prim::I64 => NPY_TYPES::NPY_LONGLONG,
        Prim::U8 => NPY_TYPES::NPY_UBYTE,
        Prim::U16 => NPY_TYPES::NPY_USHORT,
        Prim::U32 => NPY_TYPES::NPY_UINT,
        Prim::U64 if size_of::<c_long>() == 8 => NPY_TYPES::NPY_ULONG,
        Prim::U64 => NPY_TYPES::NPY_ULONGLONG,
        Prim::F16 => NPY_TYPES::NPY_HALF,
        Prim::F32 => NPY_TYPES::NPY_FLOAT,
        Prim::F64 => NPY_TYPES::NPY_DOUBLE,
        Prim::Bool => NPY_TYPES::NPY_BOOL,
    };
    number as c_int
}

fn of_number(number: c_int) -> Option<Prim> {
    let is = |wanted: NPY_TYPES| number == wanted as c_int;
    let long = size_of::<c_long>() == 8;
    if is(NPY_TYPES::NPY_LONG) {
        return Some(if long { Prim::I64 } else { Prim::I32 });
    }
    if is(NPY_TYPES::NPY_ULONG) {
        return Some(if long { Prim::U64 } else { Prim::U32 });
    }
    if is(NPY_TYPES::NPY_LONGLONG) {
        return Some(Prim::I64);
    }
    if is(NPY_TYPES::NPY_ULONGLONG) {
        return Some(Prim::U64);
    }
    Prim::ALL.into_iter().find(|prim| number_of(*prim) == number)
}
