//! Values that come in and go out.

use crate::array::{self, Array, Cell};
use crate::error::Stop;
use half::f16;
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use kenaz_runtime::{Data, Element, Value, with_elements};

/// The elements of a value as an array of the machine.
pub(crate) fn to_array(value: &Value) -> Result<Array, Stop> {
    fn bytes<T: Element>(xs: &[T]) -> Result<Vec<u8>, Stop> {
        let mut buffer = array::allocate(xs.len(), size_of::<T>())?;
        buffer.clear();
        xs.iter().for_each(|x| x.append_bytes(&mut buffer));
        Ok(buffer)
    }
    let shape: Vec<i64> = value.shape().iter().map(|n| *n as i64).collect();
    Ok(Array::new(with_elements!(value.data(), xs => bytes(xs))?, &shape))
}

/// The value of an array of the machine.
pub(crate) fn from_array(array: &Array, prim: Prim) -> Result<Value, Stop> {
    let width = Cell::of(prim).width();
    let copy;
    let bytes = match array.piece(width) {
        Some(piece) => piece,
        None => {
            copy = array.copied(width)?;
            copy.bytes()
        }
    };
    fn fill<T: Element>(xs: &mut Vec<T>, bytes: &[u8]) -> Result<(), Stop> {
        let elements = bytes.len() / T::BYTES;
        xs.try_reserve_exact(elements).map_err(|_| array::no_memory(elements, T::BYTES))?;
        xs.extend(bytes.chunks_exact(T::BYTES).filter_map(T::from_bytes));
        Ok(())
    }
    let mut data = Data::empty(prim);
    with_elements!(&mut data, xs => fill(xs, bytes))?;
    let shape = array.dims.iter().map(|dim| dim.size.max(0) as usize).collect();
    Ok(Value::new(shape, data))
}

/// A scalar as messages show it: without its type.
pub(crate) fn plain(scalar: Scalar) -> String {
    match scalar {
        Scalar::I8(x) => x.to_string(),
        Scalar::I16(x) => x.to_string(),
        Scalar::I32(x) => x.to_string(),
        Scalar::I64(x) => x.to_string(),
        Scalar::U8(x) => x.to_string(),
        Scalar::U16(x) => x.to_string(),
        Scalar::U32(x) => x.to_string(),
        Scalar::U64(x) => x.to_string(),
        Scalar::Bool(x) => x.to_string(),
        Scalar::F16(x) => float(f16::to_f64(x), format!("{:?}", x.to_f32())),
        Scalar::F32(x) => float(f64::from(x), format!("{x:?}")),
        Scalar::F64(x) => float(x, format!("{x:?}")),
    }
}

fn float(x: f64, text: String) -> String {
    match (x.is_nan(), x.is_infinite()) {
        (true, _) => "nan".to_string(),
        (_, true) => if x < 0.0 { "-inf" } else { "inf" }.to_string(),
        (false, false) => text,
    }
}

/// A scalar as values are written: with its type.
pub(crate) fn typed(scalar: Scalar) -> String {
    Value::scalar(scalar).to_string()
}
