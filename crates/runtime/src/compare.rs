//! When two values agree.

use crate::{Element, Value, ValueType, with_elements};
use kenaz_ir::Scalar;
use std::fmt;

/// How far floats may be apart. Integers and booleans must be equal; a NaN agrees with every NaN, an infinity only with
/// itself, and the zeros with each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// The distance relative to the larger of two elements, by type.
    pub f16: f64,
    pub f32: f64,
    pub f64: f64,
    /// A distance that is always small enough.
    pub absolute: f64,
    /// Relative to the largest element of the expected array, instead of element by element. An array whose elements
    /// come from one computation has errors of about the same size everywhere.
    pub to_array: bool,
}

impl Tolerance {
    /// No distance at all.
    pub const EXACT: Tolerance = Tolerance { f16: 0.0, f32: 0.0, f64: 0.0, absolute: 0.0, to_array: false };
    /// What our own tests ask for: only the order of a reduction and fused multiply-add may differ.
    pub const STRICT: Tolerance = Tolerance { f16: 1e-2, f32: 1e-5, f64: 1e-12, absolute: 0.0, to_array: false };
    /// What the public test suite asks for, whose expected results have few digits.
    pub const SUITE: Tolerance = Tolerance { f16: 2e-3, f32: 2e-3, f64: 2e-3, absolute: 2e-3, to_array: true };
}

/// The first difference of two values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    Type { expected: ValueType, actual: ValueType },
    Element { index: Vec<usize>, expected: Scalar, actual: Scalar },
}

pub fn compare(expected: &Value, actual: &Value, tolerance: &Tolerance) -> Result<(), Difference> {
    if expected.shape() != actual.shape() || expected.prim() != actual.prim() {
        return Err(Difference::Type { expected: expected.value_type(), actual: actual.value_type() });
    }
    let differing = with_elements!(expected.data(), xs => first_difference(xs, actual, tolerance));
    match differing {
        None => Ok(()),
        Some(at) => Err(Difference::Element {
            index: index_of(at, expected.shape()),
            expected: expected.data().get(at),
            actual: actual.data().get(at),
        }),
    }
}

fn first_difference<T: Element>(expected: &[T], actual: &Value, tolerance: &Tolerance) -> Option<usize> {
    let actual: &[T] = actual.elements()?;
    let distance = |x: Scalar, y: Scalar| floats(x, y).map(|(x, y)| (x, y, (x - y).abs()));
    let relative = match expected.first()?.into_scalar() {
        Scalar::F16(_) => tolerance.f16,
        Scalar::F32(_) => tolerance.f32,
        Scalar::F64(_) => tolerance.f64,
        _ => 0.0,
    };
    let largest = || {
        let magnitudes = expected.iter().filter_map(|x| floats(x.into_scalar(), x.into_scalar())).map(|(x, _)| x.abs());
        magnitudes.filter(|x| x.is_finite()).fold(0.0, f64::max)
    };
    let of_array = if tolerance.to_array { relative * largest() } else { 0.0 };
    expected.iter().zip(actual).position(|(x, y)| {
        let (x, y) = (x.into_scalar(), y.into_scalar());
        match distance(x, y) {
            None => x != y,
            Some((x, y, _)) if x.is_nan() || y.is_nan() => x.is_nan() != y.is_nan(),
            Some((x, y, _)) if x.is_infinite() || y.is_infinite() => x != y,
            Some((x, y, distance)) => {
                let of_element = if tolerance.to_array { of_array } else { relative * x.abs().max(y.abs()) };
                distance > of_element.max(tolerance.absolute)
            }
        }
    })
}

fn floats(x: Scalar, y: Scalar) -> Option<(f64, f64)> {
    match (x, y) {
        (Scalar::F16(x), Scalar::F16(y)) => Some((f64::from(x), f64::from(y))),
        (Scalar::F32(x), Scalar::F32(y)) => Some((f64::from(x), f64::from(y))),
        (Scalar::F64(x), Scalar::F64(y)) => Some((x, y)),
        _ => None,
    }
}

/// The index of an element from its place in row-major order.
fn index_of(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, n) in index.iter_mut().zip(shape).rev() {
        (*i, at) = (at % n, at / n);
    }
    index
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Type { expected, actual } => {
                write!(f, "expected a value of type {expected}, got one of type {actual}")
            }
            Difference::Element { index, expected, actual } => {
                let (expected, actual) = (Value::scalar(*expected), Value::scalar(*actual));
                if !index.is_empty() {
                    let index: Vec<String> = index.iter().map(ToString::to_string).collect();
                    write!(f, "at index [{}]: ", index.join(", "))?;
                }
                write!(f, "expected {expected}, got {actual}")
            }
        }
    }
}

impl std::error::Error for Difference {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;

    fn difference(expected: &str, actual: &str, tolerance: Tolerance) -> String {
        let read = |text: &str| Reader::new(text.as_bytes()).next_value().unwrap().unwrap();
        compare(&read(expected), &read(actual), &tolerance).map_or_else(|d| d.to_string(), |()| "same".to_string())
    }

    #[track_caller]
    fn strict(expected: &str, actual: &str, result: &str) {
        assert_eq!(difference(expected, actual, Tolerance::STRICT), result);
    }

    #[test]
    fn exact_types() {
        strict("[1,2]", "[1,2]", "same");
        strict("[1,2]", "[1,3]", "at index [1]: expected 2i32, got 3i32");
        strict("[[1,2],[3,4]]", "[[1,2],[0,0]]", "at index [1, 0]: expected 3i32, got 0i32");
        strict("true", "false", "expected true, got false");
        strict(
            "18446744073709551615u64",
            "18446744073709551614u64",
            "expected 18446744073709551615u64, got 18446744073709551614u64",
        );
    }

    #[test]
    fn types_and_shapes() {
        strict("1i32", "1i64", "expected a value of type i32, got one of type i64");
        strict("[1,2]", "[1]", "expected a value of type [2]i32, got one of type [1]i32");
        strict("empty([0][2]i32)", "empty([2][0]i32)", "expected a value of type [0][2]i32, got one of type [2][0]i32");
        strict("empty([0]f32)", "empty([0]f32)", "same");
    }

    #[test]
    fn floats_are_relative() {
        strict("1000000f32", "1000005f32", "same");
        strict("1f32", "1.0001f32", "expected 1.0f32, got 1.0001f32");
        strict("1f64", "1.0000000000005", "same");
        strict("1f64", "1.00000000001", "expected 1.0f64, got 1.00000000001f64");
        strict("1e-30f32", "2e-30f32", "expected 1.0e-30f32, got 2.0e-30f32");
        strict("0f32", "-0.0f32", "same");
        assert_eq!(difference("1f64", "1.0000000000005", Tolerance::EXACT), "expected 1.0f64, got 1.0000000000005f64");
    }

    #[test]
    fn special_floats() {
        strict("[f32.nan, f32.inf, -f32.inf]", "[f32.nan, f32.inf, -f32.inf]", "same");
        strict("f32.nan", "1f32", "expected f32.nan, got 1.0f32");
        strict("1f32", "f32.nan", "expected 1.0f32, got f32.nan");
        strict("f32.inf", "-f32.inf", "expected f32.inf, got -f32.inf");
        strict("3e38f32", "f32.inf", "expected 3.0e38f32, got f32.inf");
    }

    #[test]
    fn relative_to_the_array() {
        let suite = |x: &str, y: &str| difference(x, y, Tolerance::SUITE);
        assert_eq!(suite("[1000.0, 0.0, f64.inf]", "[1000.0, 1.9, f64.inf]"), "same");
        assert_eq!(suite("[1000.0, 0.0]", "[1000.0, 2.1]"), "at index [1]: expected 0.0f64, got 2.1f64");
        assert_eq!(suite("0.0", "0.0019"), "same");
        assert_eq!(suite("0.0", "0.0021"), "expected 0.0f64, got 2.1e-3f64");
    }
}
