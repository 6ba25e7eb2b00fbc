//! Programs, their entry points, and calls of these.

use crate::error::raised;
use crate::input::{Ins, Place};
use crate::output::Outs;
use crate::types::{Classes, Ty};
use kenaz_base::RealFileSystem;
use kenaz_driver::native::device;
use kenaz_embed::{Context, Options, Source};
use kenaz_ir::{Space, Target};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many programs there were, so that values know theirs.
static PROGRAMS: AtomicU64 = AtomicU64::new(0);

/// A program that was compiled and loaded.
#[pyclass(frozen, module = "kenaz._kenaz")]
pub(crate) struct Program {
    program: kenaz_embed::Program,
    shared: Arc<Shared>,
    /// The classes of records, by the names of their types.
    #[pyo3(get)]
    classes: Py<PyDict>,
}

/// What all contexts of a program have in common.
struct Shared {
    id: u64,
    is_on_device: bool,
    entries: Vec<Typed>,
}

/// An entry point with its types.
struct Typed {
    name: String,
    doc: Option<String>,
    params: Vec<Param>,
    results: Vec<Ty>,
}

struct Param {
    name: String,
    ty: Ty,
    is_consumed: bool,
}

/// Compiles the program in a file, or the source as if it were in that file. `make` makes classes of records.
#[pyfunction]
pub(crate) fn compile(
    py: Python<'_>,
    path: PathBuf,
    source: Option<String>,
    backend: &str,
    make: Bound<'_, PyAny>,
) -> PyResult<Program> {
    let backend = backend.to_string();
    let compiled = py.detach(|| -> PyResult<kenaz_embed::Program> {
        let target = target(&backend)?;
        match source {
            Some(text) => kenaz_embed::Program::compile(&Source { path: path.clone(), text }, &path, target),
            None => kenaz_embed::Program::compile(&RealFileSystem, &path, target),
        }
        .map_err(raised)
    })?;
    Program::new(compiled, &Classes { make, made: PyDict::new(py) })
}

fn target(backend: &str) -> PyResult<&'static Target> {
    if backend == "gpu" {
        return device::first().map_err(|errors| {
            let errors: Vec<String> =
                errors.iter().map(|(target, error)| format!("{}: {error}", target.name)).collect();
            crate::error::RunError::new_err(format!("no device can be used: {}", errors.join(" ")))
        });
    }
    Target::from_name(backend).ok_or_else(|| {
        let names: Vec<&str> = Target::ALL.iter().map(|target| target.name).collect();
        PyValueError::new_err(format!("there is no back end `{backend}`; there are {} and gpu", names.join(", ")))
    })
}

impl Program {
    fn new(program: kenaz_embed::Program, classes: &Classes<'_>) -> PyResult<Program> {
        let mut entries = Vec::new();
        for point in program.entry_points() {
            let mut params = Vec::new();
            for param in &point.entry.params {
                let ty = Ty::new(&param.ty, classes)?;
                params.push(Param { name: param.name.to_string(), ty, is_consumed: param.unique });
            }
            let results = point.entry.results.iter().map(|result| Ty::new(&result.ty, classes));
            let results = results.collect::<PyResult<Vec<Ty>>>()?;
            entries.push(Typed { name: point.name.clone(), doc: point.entry.doc.clone(), params, results });
        }
        // Types that only others mention have classes as well.
        program.types().iter().try_for_each(|ty| Ty::new(ty, classes).map(|_| ()))?;
        let id = PROGRAMS.fetch_add(1, Ordering::Relaxed);
        let is_on_device = program.target().host_space == Space::Device;
        let shared = Arc::new(Shared { id, is_on_device, entries });
        Ok(Program { program, shared, classes: classes.made.clone().unbind() })
    }
}

#[pymethods]
impl Program {
    #[getter]
    fn backend(&self) -> &'static str {
        self.program.target().name
    }

    #[getter]
    fn warnings(&self) -> &str {
        self.program.warnings()
    }

    /// Name, comment, parameters and results of each entry point: parameters with their names, types, described types
    /// and whether they are consumed, and results with their types and described types.
    fn described<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let entry = |entry: &Typed| -> PyResult<Bound<'py, PyTuple>> {
            let param = |p: &Param| (&p.name, &p.ty.name, p.ty.described(py)?, p.is_consumed).into_pyobject(py);
            let params: Vec<Bound<'_, PyTuple>> = entry.params.iter().map(param).collect::<PyResult<_>>()?;
            let result = |ty: &Ty| (&ty.name, ty.described(py)?).into_pyobject(py);
            let results: Vec<Bound<'_, PyTuple>> = entry.results.iter().map(result).collect::<PyResult<_>>()?;
            (&entry.name, &entry.doc, params, results).into_pyobject(py)
        };
        PyList::new(py, self.shared.entries.iter().map(entry).collect::<PyResult<Vec<_>>>()?)
    }

    /// Starts the program: its entry points with a context of their own.
    #[pyo3(signature = (threads=None, device=None, tuning=Vec::new()))]
    fn start(
        &self,
        py: Python<'_>,
        threads: Option<u32>,
        device: Option<String>,
        tuning: Vec<(String, usize)>,
    ) -> PyResult<Vec<Entry>> {
        let options = Options { threads, device, tuning };
        let context = py.detach(|| self.program.context(&options)).map_err(raised)?;
        let entry = |number| Entry { context: context.clone(), shared: self.shared.clone(), number };
        Ok((0..self.shared.entries.len()).map(entry).collect())
    }
}

/// An entry point with a context, which is called with one value for each parameter.
#[pyclass(frozen, module = "kenaz._kenaz")]
pub(crate) struct Entry {
    context: Context,
    shared: Arc<Shared>,
    number: usize,
}

#[pymethods]
impl Entry {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let Typed { name, params, results, .. } = &self.shared.entries[self.number];
        if args.len() != params.len() {
            let (wanted, given) = (params.len(), args.len());
            return Err(PyTypeError::new_err(format!("`{name}` takes {wanted} arguments, and was given {given}")));
        }
        let mut ins = Ins::new(py, self.shared.id, self.shared.is_on_device);
        for (param, arg) in params.iter().zip(args.iter_borrowed()) {
            ins.take(&param.ty, &arg, &Place { entry: name, name: &param.name, outer: None })?;
        }
        let (context, number, given) = (&self.context, self.number, ins.args());
        let values = py.detach(|| context.call(number, given)).map_err(raised)?;
        let mut outs = Outs { py, program: self.shared.id, values: values.into_iter() };
        if let [result] = &results[..] {
            return outs.next(result);
        }
        let results = results.iter().map(|result| outs.next(result)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, results)?.into_any())
    }
}
