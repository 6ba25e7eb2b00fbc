//! Errors of Python.

use kenaz_driver::native::FailureKind;
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    kenaz,
    Error,
    PyException,
    "A program cannot be compiled or called. The text is that of the command line."
);
create_exception!(kenaz, CompileError, Error, "A program is not right, or cannot be compiled on this machine.");
create_exception!(kenaz, RunError, Error, "A program failed, or cannot be started.");

/// The exception for an error.
pub(crate) fn raised(error: kenaz_embed::Error) -> PyErr {
    let text = error.to_string();
    match error {
        kenaz_embed::Error::Rejected(_) | kenaz_embed::Error::Build(_) => CompileError::new_err(text),
        kenaz_embed::Error::Failed(failure) if failure.kind == FailureKind::OutOfMemory => PyMemoryError::new_err(text),
        kenaz_embed::Error::Failed(_) => RunError::new_err(text),
        kenaz_embed::Error::Usage(_) => PyValueError::new_err(text),
        kenaz_embed::Error::Fault(_) => Error::new_err(text),
    }
}
