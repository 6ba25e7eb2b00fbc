//! Values: scalars and regular arrays of them.

use crate::ValueType;
use half::f16;
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use std::fmt;

/// A scalar, which has rank 0, or an array with its elements in row-major order.
///
/// There are exactly as many elements as the shape says. Equality is that of types, shapes and bits, so that a NaN is
/// equal to itself; [`crate::compare`] is the forgiving kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Value {
    shape: Vec<usize>,
    data: Data,
}

/// Evaluates an expression with the vector of whichever type the data has.
///
/// `with_elements!(data, xs => xs.len())`
#[macro_export]
macro_rules! with_elements {
    ($data:expr, $xs:ident => $body:expr) => {
        match $data {
            $crate::Data::I8($xs) => $body,
            $crate::Data::I16($xs) => $body,
            $crate::Data::I32($xs) => $body,
            $crate::Data::I64($xs) => $body,
            $crate::Data::U8($xs) => $body,
            $crate::Data::U16($xs) => $body,
            $crate::Data::U32($xs) => $body,
            $crate::Data::U64($xs) => $body,
            $crate::Data::F16($xs) => $body,
            $crate::Data::F32($xs) => $body,
            $crate::Data::F64($xs) => $body,
            $crate::Data::Bool($xs) => $body,
        }
    };
}

/// A Rust type that is the representation of a primitive type.
pub trait Element: Copy + fmt::Debug + Send + Sync + 'static {
    const PRIM: Prim;
    /// The number of bytes of an element in a file.
    const BYTES: usize;

    fn into_scalar(self) -> Scalar;
    /// The element, if the scalar has its type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
    fn into_data(elements: Vec<Self>) -> Data;
    fn of_data(data: &Data) -> Option<&Vec<Self>>;
    fn of_data_mut(data: &mut Data) -> Option<&mut Vec<Self>>;
    /// From exactly [`Element::BYTES`] bytes, or nothing if they are not those of an element.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
    fn append_bytes(self, to: &mut Vec<u8>);
}

macro_rules! elements {
    ($($variant:ident $type:ty;)*) => {
        /// The elements of a value.
        #[derive(Clone)]
        pub enum Data {
            $($variant(Vec<$type>),)*
        }

        impl Data {
            pub fn prim(&self) -> Prim {
                match self {
                    $(Data::$variant(_) => Prim::$variant,)*
                }
            }

            /// No elements.
            pub fn empty(prim: Prim) -> Data {
                match prim {
                    $(Prim::$variant => Data::$variant(Vec::new()),)*
                }
            }

            /// The element with this index, which must exist.
            pub fn get(&self, index: usize) -> Scalar {
                match self {
                    $(Data::$variant(xs) => Scalar::$variant(xs[index]),)*
                }
            }

            /// Sees to it that there is memory for one more element; false if there is none.
            #[must_use]
            pub fn make_room(&mut self) -> bool {
                match self {
                    $(Data::$variant(xs) => xs.try_reserve(1).is_ok(),)*
                }
            }

            /// Appends an element; false if it has another type.
            #[must_use]
            pub fn push(&mut self, element: Scalar) -> bool {
                match (self, element) {
                    $((Data::$variant(xs), Scalar::$variant(x)) => xs.push(x),)*
                    _ => return false,
                }
                true
            }
        }

        $(impl Element for $type {
            const PRIM: Prim = Prim::$variant;
            const BYTES: usize = size_of::<$type>();

            fn into_scalar(self) -> Scalar {
                Scalar::$variant(self)
            }
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                if let Scalar::$variant(x) = scalar { Some(x) } else { None }
            }
            fn into_data(elements: Vec<Self>) -> Data {
                Data::$variant(elements)
            }
            fn of_data(data: &Data) -> Option<&Vec<Self>> {
                if let Data::$variant(xs) = data { Some(xs) } else { None }
            }
            fn of_data_mut(data: &mut Data) -> Option<&mut Vec<Self>> {
                if let Data::$variant(xs) = data { Some(xs) } else { None }
            }
            #[inline]
            fn from_bytes(bytes: &[u8]) -> Option<Self> {
                FromBytes::from_le(bytes)
            }
            #[inline]
            fn append_bytes(self, to: &mut Vec<u8>) {
                FromBytes::append_le(self, to);
            }
        })*
    };
}

elements! {
    I8 i8;
    I16 i16;
    I32 i32;
    I64 i64;
    U8 u8;
    U16 u16;
    U32 u32;
    U64 u64;
    F16 f16;
    F32 f32;
    F64 f64;
    Bool bool;
}

/// The little-endian representation, in which a boolean is the odd one out.
trait FromBytes: Sized {
    fn from_le(bytes: &[u8]) -> Option<Self>;
    fn append_le(self, to: &mut Vec<u8>);
}

macro_rules! number_bytes {
    ($($type:ty)*) => {
        $(impl FromBytes for $type {
            #[inline]
            fn from_le(bytes: &[u8]) -> Option<Self> {
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }
            #[inline]
            fn append_le(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

number_bytes! { i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 }

impl FromBytes for bool {
    #[inline]
    fn from_le(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
    #[inline]
    fn append_le(self, to: &mut Vec<u8>) {
        to.push(u8::from(self));
    }
}

impl Data {
    pub fn len(&self) -> usize {
        with_elements!(self, xs => xs.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `n` elements, zero or false.
    pub fn zeros(prim: Prim, n: usize) -> Data {
        fn fill<T: Element>(xs: &mut Vec<T>, n: usize) {
            if let Some(zero) = T::from_scalar(Scalar::zero(T::PRIM)) {
                xs.resize(n, zero);
            }
        }
        let mut data = Data::empty(prim);
        with_elements!(&mut data, xs => fill(xs, n));
        data
    }
}

/// Equality of types and bits.
impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        fn same<T: Element>(xs: &[T], other: &Data) -> bool {
            T::of_data(other).is_some_and(|ys| {
                xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.into_scalar() == y.into_scalar())
            })
        }
        with_elements!(self, xs => same(xs, other))
    }
}

impl Eq for Data {}

impl Value {
    /// The number of elements must be that of the shape; other input is the caller's fault.
    pub fn new(shape: Vec<usize>, data: Data) -> Value {
        // Of an array without elements the other dimensions may be any, also larger together than any number.
        let wanted: usize = if shape.contains(&0) { 0 } else { shape.iter().product() };
        assert_eq!(wanted, data.len(), "a value of shape {shape:?}");
        Value { shape, data }
    }

    pub fn scalar(scalar: Scalar) -> Value {
        let mut data = Data::empty(scalar.prim());
        let pushed = data.push(scalar);
        debug_assert!(pushed);
        Value { shape: Vec::new(), data }
    }

    /// A one-dimensional array.
    pub fn vector<T: Element>(elements: Vec<T>) -> Value {
        Value { shape: vec![elements.len()], data: T::into_data(elements) }
    }

    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    pub fn prim(&self) -> Prim {
        self.data.prim()
    }

    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The shape and the elements, without copying them.
    pub fn into_parts(self) -> (Vec<usize>, Data) {
        (self.shape, self.data)
    }

    pub fn value_type(&self) -> ValueType {
        ValueType { shape: self.shape.clone(), prim: self.prim() }
    }

    /// The elements, if they have this type.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        T::of_data(&self.data).map(Vec::as_slice)
    }

    /// The scalar, if this is none of the arrays.
    pub fn as_scalar(&self) -> Option<Scalar> {
        self.shape.is_empty().then(|| self.data.get(0))
    }
}

impl<T: Element> From<T> for Value {
    fn from(element: T) -> Value {
        Value { shape: Vec::new(), data: T::into_data(vec![element]) }
    }
}

impl<T: Element> From<Vec<T>> for Value {
    fn from(elements: Vec<T>) -> Value {
        Value::vector(elements)
    }
}

/// The text format.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        crate::write_text(&mut text, self).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// The text format, cut off where it gets long.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 1000;
        if self.data.len() <= MOST {
            fmt::Display::fmt(self, f)
        } else {
            write!(f, "a value of type {}", self.value_type())
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_elements!(self, xs => fmt::Debug::fmt(xs, f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_elements_other_dimensions_may_be_any() {
        let value = Value::new(vec![usize::MAX, 2, 0, usize::MAX], Data::empty(Prim::I8));
        assert_eq!(value.to_string(), format!("empty([{0}][2][0][{0}]i8)", usize::MAX));
    }

    #[test]
    fn equality_is_of_bits() {
        assert_eq!(Value::from(f32::NAN), Value::from(f32::NAN));
        assert_ne!(Value::from(0.0), Value::from(-0.0));
        assert_ne!(Value::from(1i32), Value::from(1u32));
        assert_ne!(Value::from(vec![1i32]), Value::from(1i32));
        assert_ne!(Value::new(vec![2, 0], Data::empty(Prim::I8)), Value::new(vec![0, 2], Data::empty(Prim::I8)),);
    }

    #[test]
    fn parts() {
        for prim in Prim::ALL {
            let value = Value::new(vec![2, 3], Data::zeros(prim, 6));
            assert_eq!(value.value_type().to_string(), format!("[2][3]{}", prim.name()));
            assert_eq!(value.data().get(5), Scalar::zero(prim));
            assert_eq!(value.as_scalar(), None);
            assert_eq!(Value::scalar(Scalar::zero(prim)).as_scalar(), Some(Scalar::zero(prim)));
        }
        assert_eq!(Value::from(vec![1u8, 2]).elements::<u8>(), Some(&[1, 2][..]));
        assert_eq!(Value::from(vec![1u8, 2]).elements::<i8>(), None);
        assert!(!Data::empty(Prim::I8).push(Scalar::U8(1)));
    }

    #[test]
    #[should_panic(expected = "a value of shape [3]")]
    fn the_shape_is_that_of_the_elements() {
        let _ = Value::new(vec![3], Data::zeros(Prim::I8, 2));
    }
}
