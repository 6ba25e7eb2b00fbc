//! The extension module `kenaz._kenaz`: programs compiled and called from Python.
//!
//! The package itself is in python/kenaz: it makes functions with names, signatures and comments of what is here, and
//! converts what is not an array of the right type already (`_convert.py`). Here is what every call needs.
//!
//! | module | |
//! |---|---|
//! | `program` | programs, their entry points and calls of these |
//! | `types` | types of entry points, and which Python values belong to them |
//! | `input`, `output` | from Python values to parts of arguments, and from parts of results to Python values |
//! | `arrays` | arrays of NumPy, by its C API |
//! | `device` | arrays on a device, for other libraries |
//! | `opaque` | values without a form in Python |

mod arrays;
mod device;
mod error;
mod input;
mod opaque;
mod output;
mod program;
mod types;

use kenaz_driver::fault;
use pyo3::prelude::*;
use std::io::Write;

#[pymodule]
mod _kenaz {
    #[pymodule_export]
    use crate::arrays::Held;
    #[pymodule_export]
    use crate::device::DeviceArray;
    #[pymodule_export]
    use crate::error::{CompileError, Error, RunError};
    #[pymodule_export]
    use crate::opaque::Opaque;
    #[pymodule_export]
    use crate::program::{Entry, Program, compile};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::init(module)
    }
}

fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fault::install_hook(|fault| {
        let _ = std::io::stderr().write_all(fault.text().as_bytes());
    });
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
