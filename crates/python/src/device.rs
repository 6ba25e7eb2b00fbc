//! Arrays on a device, as other libraries take them: by `__cuda_array_interface__` and DLPack.

#![expect(unsafe_code, reason = "DLPack is a protocol of C")]

use crate::arrays::{copied, dtype};
use crate::error::raised;
use kenaz_base::Prim;
use kenaz_embed::Array;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

/// An array in the memory of a device. `numpy.asarray` copies it; with CUDA, `torch.from_dlpack` and other libraries
/// use it where it is.
#[pyclass(frozen, module = "kenaz")]
pub(crate) struct DeviceArray(pub(crate) Arc<Array>);

#[pymethods]
impl DeviceArray {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.0.shape().len()
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (dtype(self.0.prim()),))
    }

    fn __len__(&self) -> usize {
        self.0.shape().first().map_or(0, |size| usize::try_from(*size).unwrap_or(0))
    }

    fn __repr__(&self) -> String {
        let shape: Vec<String> = self.0.shape().iter().map(ToString::to_string).collect();
        format!("<kenaz array of {} with the shape ({}) on a device>", dtype(self.0.prim()), shape.join(", "))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(pyo3::exceptions::PyValueError::new_err("an array on a device must be copied"));
        }
        let array = copied(py, &self.0)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.0.context().cuda_device().is_none() {
            return Err(PyAttributeError::new_err("only arrays of the back end cuda have `__cuda_array_interface__`"));
        }
        // Afterwards there is nothing to wait for, so that no stream is named.
        py.detach(|| self.0.sync()).map_err(raised)?;
        let interface = PyDict::new(py);
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", self.dtype(py)?.getattr("str")?)?;
        interface.set_item("data", (self.0.address(), false))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("stream", py.None())?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }

    fn __dlpack_device__(&self) -> PyResult<(i32, u32)> {
        let device = self.0.context().cuda_device();
        device.map(|device| (CUDA, device)).ok_or_else(|| PyBufferError::new_err(NO_CUDA))
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<(i32, u32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Everything is done before the capsule is made, for whatever stream; the version of it is the first one, which
        // all know.
        let _ = (stream, max_version);
        let device = self.__dlpack_device__()?;
        if dl_device.is_some_and(|wanted| wanted != device) {
            return Err(PyBufferError::new_err("the array stays on its device"));
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err("the array is not copied"));
        }
        py.detach(|| self.0.sync()).map_err(raised)?;
        let tensor = Box::into_raw(Managed::new(&self.0, device));
        // SAFETY: The capsule owns the tensor until somebody renames it, and then that one does.
        unsafe {
            let capsule = ffi::PyCapsule_New(tensor.cast(), NAME.as_ptr(), Some(forget));
            if capsule.is_null() {
                drop(Box::from_raw(tensor));
            }
            Bound::from_owned_ptr_or_err(py, capsule)
        }
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err("an array on a device cannot be pickled; `numpy.asarray` makes one that can"))
    }
}

const NO_CUDA: &str = "only arrays of the back end cuda can be shared by DLPack";
/// `kDLCUDA`.
const CUDA: i32 = 2;
const NAME: &CStr = c"dltensor";

/// `DLManagedTensor`, with what its pointers point to.
#[repr(C)]
struct Managed {
    data: *mut c_void,
    device: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
    manager: *mut c_void,
    deleter: unsafe extern "C" fn(*mut Managed),
    array: Arc<Array>,
    sizes: Vec<i64>,
}

impl Managed {
    fn new(array: &Arc<Array>, (device, id): (i32, u32)) -> Box<Managed> {
        let code = match array.prim() {
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 => 0,
            Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => 1,
            Prim::F16 | Prim::F32 | Prim::F64 => 2,
            Prim::Bool => 6,
        };
        let sizes = array.shape().to_vec();
        let mut tensor = Box::new(Managed {
            data: array.address() as *mut c_void,
            device,
            device_id: i32::try_from(id).unwrap_or(0),
            ndim: i32::try_from(sizes.len()).unwrap_or(0),
            code,
            bits: u8::try_from(8 * array.prim().bytes()).unwrap_or(64),
            lanes: 1,
            shape: ptr::null_mut(),
            // Rows follow on one another.
            strides: ptr::null_mut(),
            byte_offset: 0,
            manager: ptr::null_mut(),
            deleter: delete,
            array: array.clone(),
            sizes,
        });
        debug_assert!(Arc::ptr_eq(&tensor.array, array));
        tensor.shape = tensor.sizes.as_mut_ptr();
        tensor
    }
}

/// # Safety
///
/// The tensor is one of [`Managed::new`], and not used afterwards.
unsafe extern "C" fn delete(tensor: *mut Managed) {
    // SAFETY: As of this function.
    drop(unsafe { Box::from_raw(tensor) });
}

/// Deletes the tensor of a capsule that nobody has used.
///
/// # Safety
///
/// As of destructors of capsules.
unsafe extern "C" fn forget(capsule: *mut ffi::PyObject) {
    // SAFETY: The capsule is one of ours, which has a tensor as long as it has this name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) != 0 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}
