//! Values without a form in Python: those of abstract types, and arrays of sums.

use crate::input::Piece;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// A value of a program that only the program can look into. It is given to entry points that take one of its type.
#[pyclass(frozen, module = "kenaz")]
pub(crate) struct Opaque {
    /// The name of its type, as the program writes it.
    #[pyo3(get, name = "type")]
    pub(crate) ty: String,
    /// Which program it is of.
    pub(crate) program: u64,
    pub(crate) pieces: Vec<Piece>,
}

#[pymethods]
impl Opaque {
    fn __repr__(&self) -> String {
        format!("<kenaz value of type {}>", self.ty)
    }

    fn __reduce__(&self) -> PyResult<()> {
        let text =
            format!("a value of type `{}` belongs to a running program and cannot be pickled or copied", self.ty);
        Err(PyTypeError::new_err(text))
    }
}
