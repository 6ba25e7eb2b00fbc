//! Whether two compilers compute the same.

use crate::exactness::Exactness;
use anyhow::{Context, Result, bail};
use kenaz_ir::Scalar;
use kenaz_runtime::{Reader, Value};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// An error that says how the values in two files differ, if they do by more than they may.
pub(crate) fn agree(expected: &Path, actual: &Path, exactness: &Exactness) -> Result<()> {
    let read = |path: &Path| -> Result<Vec<Value>> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        Ok(Reader::new(file).rest()?)
    };
    if same_bytes(expected, actual)? {
        return Ok(());
    }
    let (expected, actual) = (read(expected)?, read(actual)?);
    if expected.len() != actual.len() {
        bail!("there are {} values instead of {}", actual.len(), expected.len());
    }
    expected.iter().zip(&actual).try_for_each(|(expected, actual)| values_agree(expected, actual, exactness))
}

/// Whether two files are the same, which is found out sooner than whether all their numbers are.
fn same_bytes(expected: &Path, actual: &Path) -> Result<bool> {
    const PART: u64 = 1 << 20;
    let open = |path: &Path| File::open(path).with_context(|| path.display().to_string());
    let (mut expected, mut actual) = (open(expected)?, open(actual)?);
    loop {
        let part = |file: &mut File| -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            file.take(PART).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let (x, y) = (part(&mut expected)?, part(&mut actual)?);
        if x != y || x.is_empty() {
            return Ok(x == y);
        }
    }
}

fn values_agree(expected: &Value, actual: &Value, exactness: &Exactness) -> Result<()> {
    if expected.value_type() != actual.value_type() {
        bail!("it has type {} instead of {}", actual.value_type(), expected.value_type());
    }
    let count: usize = expected.shape().iter().product();
    let differing = || (0..count).filter(|&i| !close(expected.data().get(i), actual.data().get(i), exactness));
    let number = differing().count();
    if number as f64 > count as f64 * exactness.exceptions {
        let first = differing().next().unwrap_or_default();
        let (x, y) = (expected.data().get(first), actual.data().get(first));
        bail!("{number} of {count} elements differ; the first, at {first}, is {y:?} instead of {x:?}");
    }
    Ok(())
}

fn close(x: Scalar, y: Scalar, exactness: &Exactness) -> bool {
    let within = |x: f64, y: f64, tolerance: f64| {
        let distance = (x - y).abs();
        x == y
            || (x.is_nan() && y.is_nan())
            || (distance.is_finite() && distance <= tolerance * x.abs().max(y.abs()).max(1.0))
    };
    match (x, y) {
        (Scalar::F32(x), Scalar::F32(y)) => within(x.into(), y.into(), exactness.f32),
        (Scalar::F64(x), Scalar::F64(y)) => within(x, y, exactness.f64),
        (x, y) => x == y,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Reader::new(text.as_bytes()).next_value().expect("it is well-formed").expect("it is there")
    }

    fn agree(x: &Value, y: &Value, exactness: &Exactness) -> bool {
        values_agree(x, y, exactness).is_ok()
    }

    #[test]
    fn floats_may_be_a_little_apart() {
        let strictly = |x: &str, y: &str| agree(&value(x), &value(y), &Exactness::STRICT);
        assert!(strictly("[1f64, 2f64]", "[1f64, 2.000001f64]"));
        assert!(!strictly("[1f64, 2f64]", "[1f64, 2.00001f64]"));
        assert!(strictly("f64.nan", "f64.nan"));
        assert!(!strictly("f64.inf", "1f64"));
        assert!(!strictly("1f64", "f64.nan"));
    }

    #[test]
    fn shapes_and_types_are_the_same() {
        let loosely = Exactness { f32: 0.1, f64: 0.1, exceptions: 0.01 };
        for (x, y) in [("[1, 2]", "[1, 2, 3]"), ("1i32", "1i64"), ("1i32", "2i32")] {
            assert!(!agree(&value(x), &value(y), &loosely), "{x} and {y}");
        }
    }

    #[test]
    fn floats_may_be_as_far_apart_as_stated() {
        let stated = Exactness { f32: 0.05, f64: 0.05, exceptions: 0.0 };
        assert!(agree(&value("4100436f32"), &value("4193865f32"), &stated));
        assert!(!agree(&value("4100436f32"), &value("4193865f32"), &Exactness::STRICT));
        assert!(!agree(&value("4100436f32"), &value("2096932f32"), &stated), "half of it is missing");
    }

    #[test]
    fn as_many_elements_may_differ_as_stated() {
        let all = |n: usize, wrong: usize| {
            let elements: Vec<String> = (0..n).map(|i| if i < wrong { "1" } else { "0" }.to_string()).collect();
            value(&format!("[{}]", elements.join(", ")))
        };
        let stated = Exactness { exceptions: 0.001, ..Exactness::STRICT };
        assert!(agree(&all(2000, 0), &all(2000, 2), &stated));
        assert!(!agree(&all(2000, 0), &all(2000, 3), &stated));
        assert!(!agree(&all(10, 0), &all(10, 1), &stated));
        assert!(!agree(&all(2000, 0), &all(2000, 1), &Exactness::STRICT));
    }
}
