//! Arrays of all types, and arrays that are too large. What operations on arrays compute is in tests/ir/interp.

use crate::common::{check_values, run};
use kenaz_interp::Kind;
use kenaz_runtime::Value;

#[test]
fn all_types_of_elements_go_in_and_out() {
    let values = [
        Value::from(vec![-1i8, 2]),
        Value::from(vec![-1i16, 2]),
        Value::from(vec![-1i32, 2]),
        Value::from(vec![-1i64, 2]),
        Value::from(vec![255u8, 2]),
        Value::from(vec![65535u16, 2]),
        Value::from(vec![u32::MAX, 2]),
        Value::from(vec![u64::MAX, 2]),
        Value::from(vec![half::f16::from_f32(-0.5), half::f16::NAN]),
        Value::from(vec![-0.5f32, f32::NAN]),
        Value::from(vec![-0.5f64, f64::INFINITY]),
        Value::from(vec![true, false]),
    ];
    for value in values {
        let ty = value.prim().name();
        let text = format!(
            "fun main (a_0: [2]{ty}) : ([2]{ty}) ({ty}) ([2]{ty}) = {{
                let x_1: {ty} = index a_0[0]
                let b_2: [2]{ty} = map 2 (a_0) \\(y_3: {ty}) -> {{ in y_3 }}
                in a_0, x_1, b_2
            }}"
        );
        let out = run(&text, vec![value.clone()]).unwrap();
        assert_eq!((&out[0], &out[2]), (&value, &value));
        assert_eq!(out[1].as_scalar().unwrap(), value.data().get(0));
    }
    check_values("i32: opaque 3i32 = 3i32\n i32: trace \"x\" 3i32 = 3i32\n i64: 5 = 5i64");
}

#[test]
fn too_large_arrays_are_errors() {
    for body in [
        "let a_1: [n_0][n_0]i64 = replicate [n_0, n_0] 0 in",
        "let a_1: [n_0]i64 = iota n_0 : i64 in",
        "let a_1: [n_0]f32 = scratch [n_0] f32 in",
        "let e_2: [0]i64 = iota 0 : i64 let a_1: [n_0][n_0][0]i64 = replicate [n_0, n_0] e_2 let b_3: [n_0]i8 = scratch [n_0] i8 in",
    ] {
        let error = run(&format!("fun main (n_0: i64) : = {{ {body} }}"), vec![Value::from(1i64 << 60)]).unwrap_err();
        assert_eq!(error.kind, Kind::OutOfMemory, "{body}");
    }
}
