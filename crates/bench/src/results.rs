//! Whether two compilers compute the same.

use anyhow::{Context, Result, bail};
use kenaz_ir::Scalar;
use kenaz_runtime::{Reader, Value};
use std::fs::File;
use std::path::Path;

/// How far floats may be apart, relative to the larger one and at all. Long sums of f32 depend on their order.
const F32: f64 = 1e-3;
const F64: f64 = 1e-6;

/// One element in so many may differ: where a loop ends when a float passes a bound, an element near the bound takes a
/// step more when a multiplication and an addition are fused.
const ONE_IN: usize = 1000;

/// An error that says how the values in two files differ, if they do.
pub fn agree(expected: &Path, actual: &Path) -> Result<()> {
    let read = |path: &Path| -> Result<Vec<Value>> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        Ok(Reader::new(file).rest()?)
    };
    let (expected, actual) = (read(expected)?, read(actual)?);
    if expected.len() != actual.len() {
        bail!("there are {} values instead of {}", actual.len(), expected.len());
    }
    expected.iter().zip(&actual).try_for_each(|(expected, actual)| values_agree(expected, actual))
}

fn values_agree(expected: &Value, actual: &Value) -> Result<()> {
    if expected.value_type() != actual.value_type() {
        bail!("it has type {} instead of {}", actual.value_type(), expected.value_type());
    }
    let count: usize = expected.shape().iter().product();
    let differing = || (0..count).filter(|&i| !close(expected.data().get(i), actual.data().get(i)));
    let number = differing().count();
    if number > count / ONE_IN {
        let first = differing().next().unwrap_or_default();
        let (x, y) = (expected.data().get(first), actual.data().get(first));
        bail!("{number} of {count} elements differ; the first, at {first}, is {y:?} instead of {x:?}");
    }
    Ok(())
}

fn close(x: Scalar, y: Scalar) -> bool {
    let within = |x: f64, y: f64, tolerance: f64| {
        let distance = (x - y).abs();
        x == y
            || (x.is_nan() && y.is_nan())
            || (distance.is_finite() && distance <= tolerance * x.abs().max(y.abs()).max(1.0))
    };
    match (x, y) {
        (Scalar::F32(x), Scalar::F32(y)) => within(x.into(), y.into(), F32),
        (Scalar::F64(x), Scalar::F64(y)) => within(x, y, F64),
        (x, y) => x == y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Reader::new(text.as_bytes()).next_value().expect("it is well-formed").expect("it is there")
    }

    #[test]
    fn floats_may_be_a_little_apart() {
        assert!(values_agree(&value("[1f64, 2f64]"), &value("[1f64, 2.000001f64]")).is_ok());
        assert!(values_agree(&value("[1f64, 2f64]"), &value("[1f64, 2.00001f64]")).is_err());
        assert!(values_agree(&value("f64.nan"), &value("f64.nan")).is_ok());
        assert!(values_agree(&value("f64.inf"), &value("1f64")).is_err());
        assert!(values_agree(&value("1f64"), &value("f64.nan")).is_err());
    }

    #[test]
    fn shapes_and_types_are_the_same() {
        assert!(values_agree(&value("[1, 2]"), &value("[1, 2, 3]")).is_err());
        assert!(values_agree(&value("1i32"), &value("1i64")).is_err());
        assert!(values_agree(&value("1i32"), &value("2i32")).is_err());
    }

    #[test]
    fn one_in_a_thousand_elements_may_differ() {
        let all = |n: usize, wrong: usize| {
            let elements: Vec<String> = (0..n).map(|i| if i < wrong { "1" } else { "0" }.to_string()).collect();
            value(&format!("[{}]", elements.join(", ")))
        };
        assert!(values_agree(&all(2000, 0), &all(2000, 2)).is_ok());
        assert!(values_agree(&all(2000, 0), &all(2000, 3)).is_err());
        assert!(values_agree(&all(10, 0), &all(10, 1)).is_err());
    }
}
