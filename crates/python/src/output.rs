//! From parts of results to Python values.

use crate::arrays;
use crate::device::DeviceArray;
use crate::error::{Error, raised};
use crate::input::Piece;
use crate::opaque::Opaque;
use crate::types::{Form, Ty, Variant};
use kenaz_embed::Value;
use kenaz_ir::Scalar;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use std::sync::Arc;

/// Makes the results of a call.
pub(crate) struct Outs<'py> {
    pub(crate) py: Python<'py>,
    /// Which program they are of.
    pub(crate) program: u64,
    pub(crate) values: std::vec::IntoIter<Value>,
}

impl<'py> Outs<'py> {
    /// The next value, which has this type.
    pub(crate) fn next(&mut self, ty: &Ty) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match &ty.form {
            Form::Scalar(_) | Form::Array(_) => match self.values.next() {
                Some(Value::Scalar(scalar)) => of_scalar(py, scalar),
                Some(Value::Array(mut array)) if array.is_on_device() => {
                    // Other libraries may write to it.
                    array.unshare().map_err(raised)?;
                    Ok(Bound::new(py, DeviceArray(Arc::new(array)))?.into_any())
                }
                Some(Value::Array(array)) => arrays::of_result(py, array),
                None => Err(missing(ty)),
            },
            Form::Tuple(fields) => {
                let fields = fields.iter().map(|field| self.next(field)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, fields)?.into_any())
            }
            Form::Record { class, fields } => {
                let fields = fields.iter().map(|(_, field)| self.next(field)).collect::<PyResult<Vec<_>>>()?;
                class.bind(py).call1(PyTuple::new(py, fields)?)
            }
            Form::Sum(variants) => self.sum(ty, variants),
            Form::Opaque => {
                let pieces: Vec<Piece> = self.values.by_ref().take(ty.parts.len()).map(Piece::from).collect();
                if pieces.len() < ty.parts.len() {
                    return Err(missing(ty));
                }
                Ok(Bound::new(py, Opaque { ty: ty.name.clone(), program: self.program, pieces })?.into_any())
            }
        }
    }

    fn sum(&mut self, ty: &Ty, variants: &[Variant]) -> PyResult<Bound<'py, PyAny>> {
        let mut parts: Vec<Option<Value>> = self.values.by_ref().take(ty.parts.len()).map(Some).collect();
        let Some(Some(Value::Scalar(Scalar::U8(number)))) = parts.first() else { return Err(missing(ty)) };
        let variant = variants.get(usize::from(*number)).ok_or_else(|| missing(ty))?;
        let mut fields = vec![PyString::new(self.py, &variant.name).into_any()];
        for (ty, places) in &variant.payload {
            let own: Option<Vec<Value>> = places.iter().map(|place| parts.get_mut(*place)?.take()).collect();
            let values = own.ok_or_else(|| missing(ty))?.into_iter();
            fields.push(Outs { py: self.py, program: self.program, values }.next(ty)?);
        }
        Ok(PyTuple::new(self.py, fields)?.into_any())
    }
}

fn missing(ty: &Ty) -> PyErr {
    Error::new_err(format!("internal error: a result lacks parts of a value of type `{}`", ty.name))
}

fn of_scalar(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    let int = |x: i64| Ok(PyInt::new(py, x).into_any());
    let float = |x: f64| Ok(PyFloat::new(py, x).into_any());
    match scalar {
        Scalar::I8(x) => int(i64::from(x)),
        Scalar::I16(x) => int(i64::from(x)),
        Scalar::I32(x) => int(i64::from(x)),
        Scalar::I64(x) => int(x),
        Scalar::U8(x) => int(i64::from(x)),
        Scalar::U16(x) => int(i64::from(x)),
        Scalar::U32(x) => int(i64::from(x)),
        Scalar::U64(x) => Ok(PyInt::new(py, x).into_any()),
        Scalar::F16(x) => float(x.to_f64()),
        Scalar::F32(x) => float(f64::from(x)),
        Scalar::F64(x) => float(x),
        Scalar::Bool(x) => Ok(PyBool::new(py, x).to_owned().into_any()),
    }
}
