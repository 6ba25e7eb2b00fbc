//! From Python values to parts of arguments.

use crate::arrays::{self, dtype};
use crate::device::DeviceArray;
use crate::error::Error;
use crate::opaque::Opaque;
use crate::types::{Form, Ty, Variant};
use half::f16;
use kenaz_base::Prim;
use kenaz_embed::{Arg, Array, Memory, Value};
use kenaz_ir::{Part, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyMapping, PyString, PyTuple};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// A part of a value that Python keeps.
pub(crate) enum Piece {
    Scalar(Scalar),
    Array(Arc<Array>),
}

impl From<Value> for Piece {
    fn from(value: Value) -> Piece {
        match value {
            Value::Scalar(scalar) => Piece::Scalar(scalar),
            Value::Array(array) => Piece::Array(Arc::new(array)),
        }
    }
}

/// Collects the parts of arguments.
pub(crate) struct Ins<'py> {
    py: Python<'py>,
    /// Which program they are for.
    program: u64,
    takes_buffers: bool,
    given: SmallVec<[Given; 8]>,
    /// What owns memory that is lent.
    kept: SmallVec<[Bound<'py, PyAny>; 8]>,
}

enum Given {
    Scalar(Scalar),
    Array(Arc<Array>),
    Memory(Memory<'static>),
}

/// Which value is meant: a parameter, or a part of one.
pub(crate) struct Place<'p> {
    pub(crate) entry: &'p str,
    pub(crate) name: &'p str,
    pub(crate) outer: Option<&'p Place<'p>>,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outer {
            Some(outer) => write!(f, "{outer}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl<'p> Place<'p> {
    fn inner(&'p self, name: &'p str) -> Place<'p> {
        Place { entry: self.entry, name, outer: Some(self) }
    }

    /// How all messages about a value begin.
    fn is(&self, ty: &str) -> String {
        format!("`{}`: the parameter `{self}` is `{ty}`", self.entry)
    }

    fn refuse(&self, ty: &Ty, given: &Bound<'_, PyAny>) -> PyErr {
        let class = given.get_type().name().map_or_else(|_| "something else".to_string(), |name| name.to_string());
        PyTypeError::new_err(format!("{}, and was given a value of type {class}", self.is(&ty.name)))
    }
}

impl<'py> Ins<'py> {
    pub(crate) fn new(py: Python<'py>, program: u64, takes_buffers: bool) -> Ins<'py> {
        Ins { py, program, takes_buffers, given: SmallVec::new(), kept: SmallVec::new() }
    }

    /// What to call the program with.
    pub(crate) fn args(&self) -> Vec<Arg<'_>> {
        let args = self.given.iter().map(|given| match given {
            Given::Scalar(scalar) => Arg::Scalar(*scalar),
            Given::Memory(memory) => Arg::Memory(memory.clone()),
            Given::Array(array) => Arg::Array(array),
        });
        args.collect()
    }

    /// Adds the parts of a value, which must be of the type.
    pub(crate) fn take(&mut self, ty: &Ty, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        match &ty.form {
            Form::Scalar(part) => {
                let scalar = self.scalar(part.prim, value, place)?;
                self.given.push(Given::Scalar(scalar));
                Ok(())
            }
            Form::Array(part) => self.array(*part, ty, value, place),
            Form::Tuple(types) => {
                let fields = value.cast::<PyTuple>().map_err(|_| place.refuse(ty, value))?;
                if fields.len() != types.len() {
                    let (wanted, given) = (types.len(), fields.len());
                    let text = format!("{}, a tuple of {wanted}, and was given one of {given}", place.is(&ty.name));
                    return Err(PyTypeError::new_err(text));
                }
                for (i, (ty, field)) in types.iter().zip(fields).enumerate() {
                    self.take(ty, &field, &place.inner(&i.to_string()))?;
                }
                Ok(())
            }
            Form::Record { class, fields } => {
                if value.get_type().is(class) {
                    let values = value.cast::<PyTuple>()?;
                    for ((name, ty), field) in fields.iter().zip(values) {
                        self.take(ty, &field, &place.inner(name))?;
                    }
                    return Ok(());
                }
                for (name, field_ty) in fields {
                    let field = match value.cast::<PyMapping>() {
                        Ok(mapping) => mapping.get_item(name),
                        Err(_) => value.getattr(name.as_str()),
                    };
                    let field = field.map_err(|_| {
                        let text = format!("{}, and what was given has no field `{name}`", place.is(&ty.name));
                        PyTypeError::new_err(text)
                    })?;
                    self.take(field_ty, &field, &place.inner(name))?;
                }
                Ok(())
            }
            Form::Sum(variants) => self.sum(ty, variants, value, place),
            Form::Opaque => {
                let opaque = value.cast::<Opaque>().map_err(|_| place.refuse(ty, value))?.get();
                if opaque.ty != ty.name {
                    let text = format!("{}, and was given a value of type `{}`", place.is(&ty.name), opaque.ty);
                    return Err(PyTypeError::new_err(text));
                }
                if opaque.program != self.program {
                    let text = format!("{}, and was given a value of another program", place.is(&ty.name));
                    return Err(PyTypeError::new_err(text));
                }
                self.given.extend(opaque.pieces.iter().map(|piece| match piece {
                    Piece::Scalar(scalar) => Given::Scalar(*scalar),
                    Piece::Array(array) => Given::Array(array.clone()),
                }));
                Ok(())
            }
        }
    }

    fn sum(&mut self, ty: &Ty, variants: &[Variant], value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let wrapped;
        let held = match value.cast::<PyTuple>() {
            Ok(held) => held,
            // A constructor that holds nothing may stand by itself.
            Err(_) => {
                wrapped = PyTuple::new(self.py, [value])?;
                &wrapped
            }
        };
        let name = held.get_item(0).ok().and_then(|name| name.cast_into::<PyString>().ok());
        let name = name.ok_or_else(|| place.refuse(ty, value))?.to_string();
        let Some(number) = variants.iter().position(|variant| variant.name == name) else {
            let names: Vec<String> = variants.iter().map(|variant| format!("'{}'", variant.name)).collect();
            let text =
                format!("{}, which has no constructor '{name}'; there are {}", place.is(&ty.name), names.join(", "));
            return Err(PyValueError::new_err(text));
        };
        let payload = &variants[number].payload;
        if held.len() != payload.len() + 1 {
            let (wanted, given) = (payload.len(), held.len() - 1);
            let text = format!("{}, and '{name}' holds {wanted} values, not {given}", place.is(&ty.name));
            return Err(PyTypeError::new_err(text));
        }
        // What the variant does not use is zero or empty.
        let mut parts = Vec::with_capacity(ty.parts.len());
        for part in &ty.parts {
            parts.push(match part.rank {
                0 => Given::Scalar(Scalar::zero(part.prim)),
                rank => Given::Memory(nothing(part.prim, rank)?),
            });
        }
        parts[0] = Given::Scalar(Scalar::U8(u8::try_from(number).unwrap_or(u8::MAX)));
        for (i, (ty, places)) in payload.iter().enumerate() {
            let mut own = Ins::new(self.py, self.program, self.takes_buffers);
            own.take(ty, &held.get_item(i + 1)?, &place.inner(&format!("{name}.{i}")))?;
            for (given, place) in own.given.into_iter().zip(places) {
                parts[*place] = given;
            }
            self.kept.extend(own.kept);
        }
        self.given.extend(parts);
        Ok(())
    }

    fn array(&mut self, part: Part, ty: &Ty, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<()> {
        if let Some(memory) = arrays::memory(value, part.prim, part.rank) {
            self.given.push(Given::Memory(memory));
            self.kept.push(value.clone());
            return Ok(());
        }
        let what = place.is(&ty.name);
        if let Ok(array) = value.cast::<DeviceArray>() {
            let array = &array.get().0;
            if (array.prim(), array.shape().len()) == (part.prim, part.rank) && self.takes_buffers {
                self.given.push(Given::Array(array.clone()));
                return Ok(());
            }
        }
        let convert = self.py.import(intern!(self.py, "kenaz._convert"))?;
        if self.takes_buffers {
            let args = (value, dtype(part.prim), part.rank, what.as_str());
            let found: Option<(usize, Vec<i64>)> = convert.call_method1("cuda", args)?.extract()?;
            if let Some((buffer, shape)) = found {
                let memory = arrays::buffer(buffer, part.prim, &shape);
                self.given.push(Given::Memory(memory.ok_or_else(|| place.refuse(ty, value))?));
                self.kept.push(value.clone());
                return Ok(());
            }
        }
        let converted = convert.call_method1("array", (value, dtype(part.prim), part.rank, what))?;
        let memory = arrays::memory(&converted, part.prim, part.rank)
            .ok_or_else(|| Error::new_err("internal error: an array is not what it was converted to"))?;
        self.given.push(Given::Memory(memory));
        self.kept.push(converted);
        Ok(())
    }

    fn scalar(&self, prim: Prim, value: &Bound<'py, PyAny>, place: &Place<'_>) -> PyResult<Scalar> {
        if let Some(scalar) = exactly(prim, value) {
            return Ok(scalar);
        }
        let convert = self.py.import(intern!(self.py, "kenaz._convert"))?;
        let converted = convert.call_method1("scalar", (value, dtype(prim), place.is(prim.name())))?;
        exactly(prim, &converted)
            .ok_or_else(|| Error::new_err("internal error: a number is not what it was converted to"))
    }
}

/// An array without elements.
fn nothing(prim: Prim, rank: usize) -> PyResult<Memory<'static>> {
    arrays::empty(prim, rank).ok_or_else(|| Error::new_err("internal error: an empty array is too large"))
}

/// The scalar that an `int`, `float` or `bool` is, but for the rounding of a `float`.
fn exactly(prim: Prim, value: &Bound<'_, PyAny>) -> Option<Scalar> {
    if prim == Prim::Bool {
        return value.is_exact_instance_of::<PyBool>().then(|| value.extract().ok().map(Scalar::Bool))?;
    }
    let int = value.is_exact_instance_of::<PyInt>();
    match prim {
        Prim::F16 | Prim::F32 | Prim::F64 => {
            if !int && !value.is_exact_instance_of::<PyFloat>() {
                return None;
            }
            let x: f64 = value.extract().ok()?;
            let (scalar, is_finite) = match prim {
                Prim::F16 => (Scalar::F16(f16::from_f64(x)), f16::from_f64(x).is_finite()),
                Prim::F32 => (Scalar::F32(x as f32), (x as f32).is_finite()),
                _ => (Scalar::F64(x), true),
            };
            (is_finite || !x.is_finite()).then_some(scalar)
        }
        _ if !int => None,
        Prim::I8 => value.extract().ok().map(Scalar::I8),
        Prim::I16 => value.extract().ok().map(Scalar::I16),
        Prim::I32 => value.extract().ok().map(Scalar::I32),
        Prim::I64 => value.extract().ok().map(Scalar::I64),
        Prim::U8 => value.extract().ok().map(Scalar::U8),
        Prim::U16 => value.extract().ok().map(Scalar::U16),
        Prim::U32 => value.extract().ok().map(Scalar::U32),
        Prim::U64 => value.extract().ok().map(Scalar::U64),
        Prim::Bool => None,
    }
}
