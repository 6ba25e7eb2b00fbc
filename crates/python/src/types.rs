//! The types of entry points, and which Python values belong to them.
//!
//! | type | value |
//! |---|---|
//! | scalar | `int`, `float` or `bool` |
//! | array of scalars | array of NumPy, or on a device `DeviceArray` |
//! | tuple | tuple |
//! | record | named tuple |
//! | array of tuples or records | the same of arrays, one for each field |
//! | sum | tuple of the name of the constructor and what it holds |
//! | anything else | `Opaque` |

use kenaz_ir::entry::is_tuple;
use kenaz_ir::{EntryField, EntryKind, EntryType, Part};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;

/// A type of an entry point.
pub(crate) struct Ty {
    pub(crate) name: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) form: Form,
}

/// What its values are in Python.
pub(crate) enum Form {
    Scalar(Part),
    Array(Part),
    Tuple(Vec<Ty>),
    /// The names of the fields are those of the program.
    Record {
        class: Py<PyAny>,
        fields: Vec<(String, Ty)>,
    },
    Sum(Vec<Variant>),
    Opaque,
}

/// A constructor, and what it holds: each with those of the sum's parts in which its own are.
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) payload: Vec<(Ty, Vec<usize>)>,
}

/// The classes of records, made when they are first needed.
pub(crate) struct Classes<'py> {
    /// Makes one, given the name of its type and those of its fields.
    pub(crate) make: Bound<'py, PyAny>,
    /// By the names of their types.
    pub(crate) made: Bound<'py, PyDict>,
}

impl Ty {
    pub(crate) fn new(ty: &Arc<EntryType>, classes: &Classes<'_>) -> PyResult<Ty> {
        let parts = ty.parts();
        let form = match &ty.kind {
            EntryKind::Plain(part) if part.rank == 0 => Form::Scalar(*part),
            EntryKind::Plain(part) => Form::Array(*part),
            EntryKind::Record(fields) => Form::fields(ty, fields, classes)?,
            EntryKind::Array(array) => {
                let held: usize = array.fields.iter().map(|field| field.ty.parts().len()).sum();
                if held == parts.len() { Form::fields(ty, &array.fields, classes)? } else { Form::Opaque }
            }
            EntryKind::Sum(sum) => {
                let mut variants = Vec::new();
                for variant in &sum.variants {
                    let mut payload = Vec::new();
                    for (ty, parts) in &variant.payload {
                        payload.push((Ty::new(ty, classes)?, parts.clone()));
                    }
                    variants.push(Variant { name: variant.name.to_string(), payload });
                }
                Form::Sum(variants)
            }
            EntryKind::Opaque(_) => Form::Opaque,
        };
        Ok(Ty { name: ty.name.to_string(), parts, form })
    }

    /// The form as nested tuples, for `_describe.py`.
    pub(crate) fn described<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let list = |types: &mut dyn Iterator<Item = &Ty>| -> PyResult<Bound<'py, PyList>> {
            PyList::new(py, types.map(|ty| ty.described(py)).collect::<PyResult<Vec<_>>>()?)
        };
        let described = match &self.form {
            Form::Scalar(part) => ("scalar", part.prim.name()).into_pyobject(py)?,
            Form::Array(part) => ("array", part.prim.name(), part.rank).into_pyobject(py)?,
            Form::Tuple(fields) => ("tuple", list(&mut fields.iter())?).into_pyobject(py)?,
            Form::Record { class, fields } => {
                let types = list(&mut fields.iter().map(|(_, ty)| ty))?;
                ("record", class.clone_ref(py), types).into_pyobject(py)?
            }
            Form::Sum(variants) => {
                let variant = |variant: &Variant| {
                    let payload = list(&mut variant.payload.iter().map(|(ty, _)| ty))?;
                    (variant.name.as_str(), payload).into_pyobject(py)
                };
                let variants = variants.iter().map(variant).collect::<PyResult<Vec<Bound<'_, PyTuple>>>>()?;
                ("sum", PyList::new(py, variants)?).into_pyobject(py)?
            }
            Form::Opaque => ("opaque", self.name.as_str()).into_pyobject(py)?,
        };
        Ok(described.into_any())
    }
}

impl Form {
    fn fields(ty: &EntryType, fields: &[EntryField], classes: &Classes<'_>) -> PyResult<Form> {
        let types = || fields.iter().map(|field| Ty::new(&field.ty, classes)).collect::<PyResult<Vec<Ty>>>();
        if fields.is_empty() || is_tuple(fields) {
            return Ok(Form::Tuple(types()?));
        }
        let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
        let name = ty.name.as_str();
        let class = match classes.made.get_item(name)? {
            Some(class) => class,
            None => {
                let class = classes.make.call1((name, names.clone()))?;
                classes.made.set_item(name, &class)?;
                class
            }
        };
        Ok(Form::Record { class: class.unbind(), fields: names.into_iter().zip(types()?).collect() })
    }
}
