//! Operations on arrays, on shapes of every kind.

mod common;

use common::{check, check_values, results, run};
use kenaz_interp::Kind;
use kenaz_runtime::{Data, Value};

fn matrix(rows: usize, columns: usize) -> Value {
    Value::new(vec![rows, columns], Data::I32((0..rows * columns).map(|x| x as i32).collect()))
}

#[test]
fn making_arrays() {
    check("([3]i32)", "let a_0: [3]i32 = array [1i32, 2i32, 3i32] : i32 in a_0", "[1i32, 2i32, 3i32]");
    check("([0]f16)", "let a_0: [0]f16 = array [] : f16 in a_0", "empty([0]f16)");
    check("([0][2]u8)", "let a_0: [0][2]u8 = array [] : [2]u8 in a_0", "empty([0][2]u8)");
    check(
        "([2][2]bool)",
        "let a_0: [2]bool = array [true, false] : bool
         let b_1: [2]bool = replicate [2] true
         let c_2: [2][2]bool = array [a_0, b_1] : [2]bool
         in c_2",
        "[[true, false], [true, true]]",
    );
    check("([3]i8)", "let a_0: [3]i8 = iota 3 from 126i8 by 1i8 : i8 in a_0", "[126i8, 127i8, -128i8]");
    check(
        "([3]u64)",
        "let a_0: [3]u64 = iota 3 from 5u64 by 18446744073709551614u64 : u64 in a_0",
        "[5u64, 3u64, 1u64]",
    );
    check("([0]i64)", "let a_0: [0]i64 = iota 0 : i64 in a_0", "empty([0]i64)");
    check(
        "([2][3]f64)",
        "let a_0: [2][3]f64 = replicate [2, 3] 1.5f64 in a_0",
        "[[1.5f64, 1.5f64, 1.5f64], [1.5f64, 1.5f64, 1.5f64]]",
    );
    check(
        "([3][2]i16)",
        "let a_0: [2]i16 = array [1i16, 2i16] : i16 let b_1: [3][2]i16 = replicate [3] a_0 in b_1",
        "[[1i16, 2i16], [1i16, 2i16], [1i16, 2i16]]",
    );
    check(
        "([2][0]i16)",
        "let a_0: [0]i16 = array [] : i16 let b_1: [2][0]i16 = replicate [2] a_0 in b_1",
        "empty([2][0]i16)",
    );
    check(
        "([2]i32)",
        "let a_0: [2]i32 = scratch [2] i32 let b_1: [2]i32 = update a_0[0 :+ 2 * 1] = a_0 in b_1",
        "[0i32, 0i32]",
    );
}

#[test]
fn indices_and_slices() {
    let text = "fun main (a_0: [3][4]i32) : (i32) ([4]i32) ([2][2]i32) ([3]i32) ([4]i32) = {
        let x_1: i32 = index a_0[2, 1]
        let r_2: [4]i32 = index a_0[1]
        let s_3: [2][2]i32 = slice a_0[0 :+ 2 * 2, 3 :+ 2 * -2]
        let c_4: [3]i32 = slice a_0[0 :+ 3 * 1, 2]
        let v_5: [4]i32 = slice r_2[3 :+ 4 * -1]
        in x_1, r_2, s_3, c_4, v_5
    }";
    let expected =
        "9i32 [4i32, 5i32, 6i32, 7i32] [[3i32, 1i32], [11i32, 9i32]] [2i32, 6i32, 10i32] [7i32, 6i32, 5i32, 4i32]";
    assert_eq!(results(text, vec![matrix(3, 4)]), expected);
    // A slice without elements may start at the end.
    check("([0]i32)", "let a_0: [3]i32 = iota 3 : i32 let b_1: [0]i32 = slice a_0[3 :+ 0 * 1] in b_1", "empty([0]i32)");
    // All dimensions fixed: a scalar.
    check("(i32)", "let a_0: [3]i32 = iota 3 : i32 let b_1: i32 = slice a_0[2] in b_1", "2i32");
}

#[test]
fn updates_do_not_change_others() {
    let text = "fun main (a_0: [2][3]i32) : ([2][3]i32) ([2][3]i32) ([2][3]i32) ([2][3]i32) = {
        let b_1: [2][3]i32 = copy a_0
        let c_2: [2][3]i32 = update b_1[1, 2] = 100i32
        let d_3: [2][3]i32 = copy a_0
        let r_4: [3]i32 = slice a_0[1, 2 :+ 3 * -1]
        let e_5: [2][3]i32 = update d_3[0, 0 :+ 3 * 1] = r_4
        let f_6: [2][3]i32 = copy a_0
        let t_7: [2]i32 = array [7i32, 8i32] : i32
        let g_8: [2][3]i32 = update f_6[0 :+ 2 * 1, 1] = t_7
        in a_0, c_2, e_5, g_8
    }";
    let expected = "[[0i32, 1i32, 2i32], [3i32, 4i32, 5i32]] [[0i32, 1i32, 2i32], [3i32, 4i32, 100i32]] \
                    [[5i32, 4i32, 3i32], [3i32, 4i32, 5i32]] [[0i32, 7i32, 2i32], [3i32, 8i32, 5i32]]";
    assert_eq!(results(text, vec![matrix(2, 3)]), expected);
    // Even an array that is still used, which no checked program updates, keeps its value.
    check(
        "([2]i32) ([2]i32)",
        "let a_0: [2]i32 = iota 2 : i32 let b_1: [2]i32 = a_0 let c_2: [2]i32 = update a_0[0] = 9i32 in b_1, c_2",
        "[0i32, 1i32] [9i32, 1i32]",
    );
    // The new value is a view of the array itself.
    check(
        "([4]i32)",
        "let a_0: [4]i32 = iota 4 : i32
         let b_1: [4]i32 = slice a_0[3 :+ 4 * -1]
         let c_2: [4]i32 = update a_0[0 :+ 4 * 1] = b_1 in c_2",
        "[3i32, 2i32, 1i32, 0i32]",
    );
}

#[test]
fn changing_the_shape() {
    let text = "fun main (a_0: [2][3]i32) : ([3][2]i32) ([6]i32) ([6]i32) ([3][2]i32) ([2][3]i32) = {
        let t_1: [3][2]i32 = rearrange (1, 0) a_0
        let f_2: [6]i32 = reshape [6] a_0
        let g_3: [6]i32 = reshape [6] t_1
        let s_4: [6]i32 = slice f_2[5 :+ 6 * -1]
        let u_5: [3][2]i32 = reshape [3, 2] s_4
        let r_6: [2][3]i32 = resize [2, 3] a_0
        in t_1, f_2, g_3, u_5, r_6
    }";
    let expected = "[[0i32, 3i32], [1i32, 4i32], [2i32, 5i32]] [0i32, 1i32, 2i32, 3i32, 4i32, 5i32] \
                    [0i32, 3i32, 1i32, 4i32, 2i32, 5i32] [[5i32, 4i32], [3i32, 2i32], [1i32, 0i32]] \
                    [[0i32, 1i32, 2i32], [3i32, 4i32, 5i32]]";
    assert_eq!(results(text, vec![matrix(2, 3)]), expected);
    let text = "fun main (a_0: [0][3]i32) : ([3][0]i32) ([0]i32) ([5][0]i32) = {
        let t_1: [3][0]i32 = rearrange (1, 0) a_0
        let f_2: [0]i32 = reshape [0] t_1
        let g_3: [5][0]i32 = reshape [5, 0] t_1
        in t_1, f_2, g_3
    }";
    assert_eq!(results(text, vec![matrix(0, 3)]), "empty([3][0]i32) empty([0]i32) empty([5][0]i32)");
}

#[test]
fn five_dimensions() {
    let text = "fun main (a_0: [2][1][3][2][2]i64) : ([2][3][2][1][2]i64) (i64) (i64) ([3]i64) = {
        let t_1: [2][3][2][1][2]i64 = rearrange (4, 2, 0, 1, 3) a_0
        let x_2: i64 = index a_0[1, 0, 2, 1, 0]
        let y_3: i64 = index t_1[0, 2, 1, 0, 1]
        let s_4: [3]i64 = slice a_0[1, 0, 0 :+ 3 * 1, 1, 1]
        in t_1, x_2, y_3, s_4
    }";
    let a = Value::new(vec![2, 1, 3, 2, 2], Data::I64((0..24).collect()));
    let all = results(text, vec![a]);
    assert!(all.ends_with("22i64 22i64 [15i64, 19i64, 23i64]"), "{all}");
    assert!(all.starts_with("[[[[[0i64, 2i64]], [[12i64, 14i64]]], [[[4i64, 6i64]],"), "{all}");
}

#[test]
fn joining() {
    let text = "fun main (a_0: [2][2]i32) (b_1: [0][2]i32) : ([4][2]i32) = {
        let t_2: [2][2]i32 = rearrange (1, 0) a_0
        let c_3: [4][2]i32 = concat 4 (a_0, b_1, t_2)
        in c_3
    }";
    let expected = "[[0i32, 1i32], [2i32, 3i32], [0i32, 2i32], [1i32, 3i32]]";
    assert_eq!(results(text, vec![matrix(2, 2), matrix(0, 2)]), expected);
    let text = "fun main (a_0: [2][0]i32) (b_1: [3][0]i32) : ([5][0]i32) = {
        let c_3: [5][0]i32 = concat 5 (a_0, b_1)
        in c_3
    }";
    assert_eq!(results(text, vec![matrix(2, 0), matrix(3, 0)]), "empty([5][0]i32)");
}

#[test]
fn flat_indices() {
    let text = "fun main (a_0: [10]i32) : ([2][3]i32) ([10]i32) ([2][2]i32) = {
        let b_1: [2][3]i32 = flat a_0 1 [(2, 4), (3, 1)]
        let r_2: [10]i32 = slice a_0[9 :+ 10 * -1]
        let d_5: [2][2]i32 = flat r_2 0 [(2, 1), (2, 1)]
        let v_3: [2][2]i32 = replicate [2, 2] 0i32
        let a_6: [10]i32 = copy a_0
        let c_4: [10]i32 = flat_update a_6 2 [5, 2] = v_3
        in b_1, c_4, d_5
    }";
    let expected = "[[1i32, 2i32, 3i32], [5i32, 6i32, 7i32]] \
                    [0i32, 1i32, 0i32, 3i32, 0i32, 5i32, 6i32, 0i32, 8i32, 0i32] [[9i32, 8i32], [8i32, 7i32]]";
    assert_eq!(results(text, vec![Value::from((0..10).collect::<Vec<i32>>())]), expected);
    // An update of a view with elements in several places changes one of them.
    check(
        "([2][2]i32)",
        "let a_0: [3]i32 = iota 3 : i32
         let b_1: [2][2]i32 = flat a_0 0 [(2, 1), (2, 1)]
         let c_2: [2][2]i32 = update b_1[0, 1] = 7i32 in c_2",
        "[[0i32, 7i32], [1i32, 2i32]]",
    );
}

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
