//! Second-order operators.

mod common;

use common::{check, results, run};
use kenaz_interp::Kind;
use kenaz_runtime::{Data, Value};

fn matrix(rows: usize, columns: usize) -> Value {
    Value::new(vec![rows, columns], Data::I32((0..rows * columns).map(|x| x as i32).collect()))
}

const ADD: &str = "\\(x_100: i32, y_101: i32) -> { let z_102: i32 = add x_100 y_101 in z_102 }";

#[test]
fn maps() {
    let text = "fun main (n_0: i64) (a_1: [n_0]i32) (b_2: [n_0][2]i32) : ([n_0]i32) ([n_0][2]i32) ([n_0][3]bool) = {
        let c_3: [n_0]i32, d_4: [n_0][2]i32, e_5: [n_0][3]bool = map n_0 (a_1, b_2) \\(x_6: i32, r_7: [2]i32) -> {
            let y_8: i32 = index r_7[1]
            let z_9: i32 = mul x_6 y_8
            let s_10: [2]i32 = slice r_7[1 :+ 2 * -1]
            let t_11: [3]bool = replicate [3] true
            in z_9, s_10, t_11
        }
        in c_3, d_4, e_5
    }";
    let args = vec![Value::from(2i64), Value::from(vec![5i32, 6]), matrix(2, 2)];
    assert_eq!(
        results(text, args),
        "[5i32, 18i32] [[1i32, 0i32], [3i32, 2i32]] [[true, true, true], [true, true, true]]"
    );
    let args = vec![Value::from(0i64), Value::from(Vec::<i32>::new()), matrix(0, 2)];
    assert_eq!(results(text, args), "empty([0]i32) empty([0][2]i32) empty([0][3]bool)");
    // The results of a map may be arrays from outside, parameters, constants, the same value twice.
    let text = "fun main (a_0: [2][2]i32) (v_1: [2]i32) : ([2][2]i32) ([2][2]i32) ([2][2]i32) ([2]i8) ([2]i32) = {
        let b_2: [2][2]i32, c_3: [2][2]i32, d_4: [2][2]i32, e_5: [2]i8 = map 2 (a_0) \\(r_6: [2]i32): [2]i32, [2]i32, [2]i32, i8 -> {
            in v_1, r_6, r_6, 4i8
        }
        in b_2, c_3, d_4, e_5, v_1
    }";
    assert_eq!(
        results(text, vec![matrix(2, 2), Value::from(vec![8i32, 9])]),
        "[[8i32, 9i32], [8i32, 9i32]] [[0i32, 1i32], [2i32, 3i32]] [[0i32, 1i32], [2i32, 3i32]] [4i8, 4i8] [8i32, 9i32]"
    );
}

#[test]
fn maps_over_views() {
    let text = "fun main (a_0: [2][3]i32) : ([3]i32) = {
        let t_1: [3][2]i32 = rearrange (1, 0) a_0
        let s_2: [3]i32 = map 3 (t_1) \\(c_3: [2]i32) -> {
            let r_4: i32 = reduce 2 (c_3) (0i32) ADD
            in r_4
        }
        in s_2
    }";
    assert_eq!(results(&text.replace("ADD", ADD), vec![matrix(2, 3)]), "[3i32, 5i32, 7i32]");
}

#[test]
fn updates_inside_maps_do_not_leak() {
    let text = "fun main (a_0: [2][2]i32) : ([2][2]i32) ([2][2]i32) = {
        let b_1: [2][2]i32 = map 2 (a_0) \\(r_2: [2]i32) -> {
            let s_3: [2]i32 = copy r_2
            let t_4: [2]i32 = update s_3[0] = 100i32
            in t_4
        }
        in a_0, b_1
    }";
    assert_eq!(results(text, vec![matrix(2, 2)]), "[[0i32, 1i32], [2i32, 3i32]] [[100i32, 1i32], [100i32, 3i32]]");
}

#[test]
fn reductions_and_scans() {
    let sum = |args: &str, n: usize| {
        let body =
            format!("let a_0: [{n}]i32 = array [{args}] : i32 let s_1: i32 = reduce {n} (a_0) (7i32) {ADD} in s_1");
        results(&format!("fun main : (i32) = {{ {body} }}"), vec![])
    };
    assert_eq!(sum("", 0), "7i32");
    assert_eq!(sum("1i32", 1), "8i32");
    assert_eq!(sum("1i32, 2i32, 2147483647i32", 3), "-2147483639i32");
    check(
        "([4]i32)",
        &format!("let a_0: [4]i32 = iota 4 : i32 let s_1: [4]i32 = scan 4 (a_0) (0i32) {ADD} in s_1"),
        "[0i32, 1i32, 3i32, 6i32]",
    );
    // Not commutative: the order is kept. Two values at once: affine functions.
    check(
        "(i32) (i32) ([3]i32) ([3]i32)",
        "let a_0: [3]i32 = array [2i32, 3i32, 5i32] : i32
         let b_1: [3]i32 = array [1i32, 10i32, 100i32] : i32
         let x_2: i32, y_3: i32 = reduce 3 (a_0, b_1) (1i32, 0i32) \\(p_4: i32, q_5: i32, r_6: i32, s_7: i32) -> {
            let u_8: i32 = mul p_4 r_6
            let v_9: i32 = mul q_5 r_6
            let w_10: i32 = add v_9 s_7
            in u_8, w_10
         }
         let c_11: [3]i32, d_12: [3]i32 = scan 3 (a_0, b_1) (1i32, 0i32) \\(p_14: i32, q_15: i32, r_16: i32, s_17: i32) -> {
            let u_18: i32 = mul p_14 r_16
            let v_19: i32 = mul q_15 r_16
            let w_20: i32 = add v_19 s_17
            in u_18, w_20
         }
         in x_2, y_3, c_11, d_12",
        "30i32 165i32 [2i32, 6i32, 30i32] [1i32, 13i32, 165i32]",
    );
    // Operators that give one of their operands, or exchange them.
    check(
        "(i32) (i32)",
        "let a_0: [3]i32 = array [4i32, 5i32, 6i32] : i32
         let l_1: i32 = reduce 3 (a_0) (0i32) \\(x_2: i32, y_3: i32) -> { in y_3 }
         let f_4: i32 = reduce 3 (a_0) (9i32) \\(x_5: i32, y_6: i32) -> { in x_5 }
         in l_1, f_4",
        "6i32 9i32",
    );
    check(
        "(i32) (i32)",
        "let a_0: [3]i32 = array [4i32, 5i32, 6i32] : i32
         let x_1: i32, y_2: i32 = reduce 3 (a_0, a_0) (1i32, 2i32) \\(p_3: i32, q_4: i32, r_5: i32, s_6: i32) -> { in q_4, p_3 }
         in x_1, y_2",
        "2i32 1i32",
    );
}

#[test]
fn everything_at_once() {
    let text = format!(
        "fun main (n_0: i64) (a_1: [n_0]i32) : ([n_0]i32) (i32) (f32) ([n_0]bool) = {{
            let s_2: [n_0]i32, t_3: i32, m_4: f32, b_5: [n_0]bool = screma n_0 (a_1) map \\(x_6: i32) -> {{
                let y_7: i32 = mul x_6 10i32
                let f_8: f32 = conv f32 x_6
                let c_9: bool = gt x_6 2i32
                in x_6, y_7, f_8, c_9
            }}
            scan (0i32) {ADD}
            reduce_comm (0i32) \\(x_200: i32, y_201: i32) -> {{ let z_202: i32 = add x_200 y_201 in z_202 }}
            reduce (-f32.inf) \\(x_210: f32, y_211: f32) -> {{ let z_212: f32 = max x_210 y_211 in z_212 }}
            in s_2, t_3, m_4, b_5
        }}"
    );
    assert_eq!(
        results(&text, vec![Value::from(3i64), Value::from(vec![1i32, 2, 3])]),
        "[1i32, 3i32, 6i32] 60i32 3.0f32 [false, false, true]"
    );
    assert_eq!(
        results(&text, vec![Value::from(0i64), Value::from(Vec::<i32>::new())]),
        "empty([0]i32) 0i32 -f32.inf empty([0]bool)"
    );
}

#[test]
fn operators_on_rows() {
    let op = "\\(r_10: [2]i32, s_11: [2]i32) -> {
        let t_12: [2]i32 = map 2 (r_10, s_11) \\(x_13: i32, y_14: i32) -> { let z_15: i32 = add x_13 y_14 in z_15 }
        in t_12
    }";
    let text = format!(
        "fun main (a_0: [3][2]i32) : ([2]i32) = {{
            let z_1: [2]i32 = replicate [2] 0i32
            let r_2: [2]i32 = reduce 3 (a_0) (z_1) {op}
            in r_2
        }}"
    );
    assert_eq!(results(&text, vec![matrix(3, 2)]), "[6i32, 9i32]");
    let text = format!(
        "fun main (a_0: [3][2]i32) : ([3][2]i32) ([2]i32) = {{
            let z_1: [2]i32 = replicate [2] 1i32
            let r_2: [3][2]i32 = scan 3 (a_0) (z_1) {op}
            in r_2, z_1
        }}"
    );
    assert_eq!(results(&text, vec![matrix(3, 2)]), "[[1i32, 2i32], [3i32, 5i32], [7i32, 10i32]] [1i32, 1i32]");
    // An operator that updates its operand in place must not change the neutral element or the rows.
    let text = "fun main (a_0: [3][2]i32) : ([2]i32) ([2]i32) ([3][2]i32) = {
            let z_1: [2]i32 = replicate [2] 0i32
            let r_2: [2]i32 = reduce 3 (a_0) (z_1) \\(r_10: [2]i32, s_11: [2]i32) -> {
                let x_12: i32 = index s_11[1]
                let t_13: [2]i32 = update r_10[0] = x_12
                in t_13
            }
            in r_2, z_1, a_0
        }";
    assert_eq!(
        results(text, vec![matrix(3, 2)]),
        "[5i32, 0i32] [0i32, 0i32] [[0i32, 1i32], [2i32, 3i32], [4i32, 5i32]]"
    );
}

#[test]
fn filters() {
    let text = "fun main (a_0: [4]i32) (b_1: [4][2]i32) (c_2: i32) : (n_3: i64) ([n_3]i32) ([n_3][2]i32) = {
        let n_4: i64, d_5: [n_4]i32, e_6: [n_4][2]i32 = filter 4 (a_0, b_1) \\(x_7: i32, r_8: [2]i32) -> {
            let y_9: i32 = index r_8[0]
            let z_10: i32 = add x_7 y_9
            let k_11: bool = gt z_10 c_2
            in k_11
        }
        in n_4, d_5, e_6
    }";
    let run = |c: i32| results(text, vec![Value::from(vec![1i32, 9, 1, 1]), matrix(4, 2), Value::from(c)]);
    assert_eq!(run(5), "2i64 [9i32, 1i32] [[2i32, 3i32], [6i32, 7i32]]");
    assert_eq!(run(100), "0i64 empty([0]i32) empty([0][2]i32)");
    assert_eq!(run(-1).split(' ').next(), Some("4i64"));
}

#[test]
fn filters_of_values() {
    let text = "fun main (a_0: [4]i32) (b_1: [4][2]i32) (c_2: i32) : (n_3: i64) ([n_3]i32) ([n_3][2]i32) = {
        let n_4: i64, d_5: [n_4]i32, e_6: [n_4][2]i32 = filter 4 (a_0, b_1) \\(x_7: i32, r_8: [2]i32) -> {
            let y_9: i32 = mul x_7 10i32
            let k_10: bool = gt x_7 c_2
            let s_11: [2]i32 = rearrange (0) r_8
            in k_10, y_9, s_11
        }
        in n_4, d_5, e_6
    }";
    let run = |c: i32| results(text, vec![Value::from(vec![1i32, 9, 1, 3]), matrix(4, 2), Value::from(c)]);
    assert_eq!(run(2), "2i64 [90i32, 30i32] [[2i32, 3i32], [6i32, 7i32]]");
    assert_eq!(run(100), "0i64 empty([0]i32) empty([0][2]i32)");
}

#[test]
fn a_last_function_after_scans() {
    let text = format!(
        "fun main (n_0: i64) (a_1: [n_0]i32) (b_2: [n_0][2]i32) (z_3: [2]i32) : (i32) ([n_0]i32) ([n_0]i32) ([n_0][2]i32) = {{
            let t_4: i32, s_5: [n_0]i32, u_6: [n_0]i32, v_7: [n_0][2]i32 = screma n_0 (a_1, b_2) map \\(x_8: i32, r_9: [2]i32) -> {{
                let y_10: i32 = mul x_8 10i32
                in x_8, r_9, x_8, y_10, r_9
            }}
            scan (0i32) {ADD}
            scan (z_3) \\(r_20: [2]i32, s_21: [2]i32) -> {{
                let t_22: [2]i32 = map 2 (r_20, s_21) \\(x_23: i32, y_24: i32) -> {{ let z_25: i32 = add x_23 y_24 in z_25 }}
                in t_22
            }}
            reduce_comm (0i32) \\(x_200: i32, y_201: i32) -> {{ let z_202: i32 = add x_200 y_201 in z_202 }}
            post \\(s_30: i32, r_31: [2]i32, y_32: i32, q_33: [2]i32) -> {{
                let k_34: i32 = add s_30 y_32
                let l_35: i32 = index q_33[0]
                let m_36: i32 = sub k_34 l_35
                in m_36, s_30, r_31
            }}
            in t_4, s_5, u_6, v_7
        }}"
    );
    let zero = || Value::from(vec![0i32, 0]);
    assert_eq!(
        results(&text, vec![Value::from(3i64), Value::from(vec![1i32, 2, 3]), matrix(3, 2), zero()]),
        "6i32 [11i32, 21i32, 32i32] [1i32, 3i32, 6i32] [[0i32, 1i32], [2i32, 4i32], [6i32, 9i32]]"
    );
}

#[test]
fn scatters() {
    let text = "fun main (i_0: [4]i64) (v_1: [4]i32) (d_2: *[3]i32) : ([3]i32) = {
        let r_3: [3]i32 = scatter 4 (i_0, v_1) \\(i_4: i64, v_5: i32) -> { in i_4, v_5 } into (d_2 rank 1)
        in r_3
    }";
    let args = vec![Value::from(vec![2i64, -1, 3, 0]), Value::from(vec![1i32, 2, 3, 4]), Value::from(vec![0i32, 9, 0])];
    assert_eq!(results(text, args), "[4i32, 9i32, 1i32]");
    // Two destinations: elements at two indices, and rows at one.
    let text = "fun main (d_0: *[2][2]i32) (e_1: *[2][2]i32) (v_2: [2]i32) : ([2][2]i32) ([2][2]i32) ([2]i32) = {
        let i_3: [3]i64 = iota 3 : i64
        let r_4: [2][2]i32, s_5: [2][2]i32 = scatter 3 (i_3) \\(i_6: i64): i64, i64, i64, i32, [2]i32 -> {
            let x_7: i32 = conv i32 i_6
            in i_6, 1, i_6, x_7, v_2
        } into (d_0 rank 2, e_1 rank 1)
        in r_4, s_5, v_2
    }";
    assert_eq!(
        results(text, vec![matrix(2, 2), matrix(2, 2), Value::from(vec![7i32, 8])]),
        "[[0i32, 0i32], [2i32, 1i32]] [[7i32, 8i32], [7i32, 8i32]] [7i32, 8i32]"
    );
}

#[test]
fn histograms() {
    let text = format!(
        "fun main (k_0: [5]i64) (v_1: [5]i32) (d_2: *[3]i32) : ([3]i32) = {{
            let h_3: [3]i32 = hist 5 (k_0, v_1) \\(i_4: i64, v_5: i32) -> {{ in i_4, v_5 }} into (d_2) rank 1 (0i32) {ADD}
            in h_3
        }}"
    );
    let args = vec![
        Value::from(vec![0i64, 2, 0, -5, 3]),
        Value::from(vec![1i32, 2, 3, 4, 5]),
        Value::from(vec![10i32, 20, 30]),
    ];
    assert_eq!(results(&text, args), "[14i32, 20i32, 32i32]");
    // Two operators: pairs at two indices, rows at one.
    let text = "fun main (a_0: *[2][2]i32) (b_1: *[2][2]i32) (c_2: *[2][2]i32) (z_3: [2]i32) : ([2][2]i32) ([2][2]i32) ([2][2]i32) = {
        let i_4: [3]i64 = iota 3 : i64
        let x_5: [2][2]i32, y_6: [2][2]i32, w_7: [2][2]i32 = hist 3 (i_4) \\(i_8: i64): i64, i64, i64, i32, i32, [2]i32 -> {
            let v_9: i32 = conv i32 i_8
            let u_10: i32 = add v_9 100i32
            let j_30: i64 = and i_8 1
            in j_30, 1, j_30, v_9, u_10, z_3
        }
        into (a_0, b_1) rank 2 (0i32, 0i32) \\(p_11: i32, q_12: i32, r_13: i32, s_14: i32) -> {
            let t_15: i32 = add p_11 r_13
            let t_16: i32 = max q_12 s_14
            in t_15, t_16
        }
        into (c_2) rank 1 (z_3) \\(p_20: [2]i32, q_21: [2]i32) -> {
            let r_22: [2]i32 = map 2 (p_20, q_21) \\(x_23: i32, y_24: i32) -> { let t_25: i32 = add x_23 y_24 in t_25 }
            in r_22
        }
        in x_5, y_6, w_7
    }";
    assert_eq!(
        results(text, vec![matrix(2, 2), matrix(2, 2), matrix(2, 2), Value::from(vec![10i32, 20])]),
        "[[0i32, 3i32], [2i32, 4i32]] [[0i32, 102i32], [2i32, 101i32]] [[20i32, 41i32], [12i32, 23i32]]"
    );
}

#[test]
fn accumulators() {
    let text = format!(
        "fun bump (t_40: cert) (acc_41: acc t_40 [3](i32)) (i_42: i64) : (acc t_40 [3](i32)) = {{
            let r_43: acc t_40 [3](i32) = update_acc acc_41 (i_42) (100i32)
            in r_43
        }}
        fun main (d_0: *[3]i32) (i_1: [4]i64) (v_2: [4]i32) : ([3]i32) (i64) = {{
            let r_3: [3]i32, x_4: i64 = with_acc ([3] (d_0) (0i32) {ADD})
            \\(t_5: cert, acc_6: acc t_5 [3](i32)): acc t_5 [3](i32), i64 -> {{
                let a_7: acc t_5 [3](i32) = map 4 (acc_6, i_1, v_2)
                  \\(b_8: acc t_5 [3](i32), i_9: i64, v_10: i32): acc t_5 [3](i32) -> {{
                    let c_11: acc t_5 [3](i32) = update_acc b_8 (i_9) (v_10)
                    in c_11
                  }}
                let e_12: acc t_5 [3](i32) = call bump (t_5, a_7, 2)
                in e_12, 5
            }}
            in r_3, x_4
        }}"
    );
    let args =
        vec![Value::from(vec![10i32, 20, 30]), Value::from(vec![0i64, 0, 7, 1]), Value::from(vec![1i32, 2, 3, 4])];
    assert_eq!(results(&text, args), "[13i32, 24i32, 130i32] 5i64");
    // Without an operator; rows; two inputs, one of which is inside a loop.
    let text = "fun main (d_0: *[2][2]i32) (e_1: *[2]f32) (v_2: [2]i32) : ([2][2]i32) ([2]f32) ([2]i32) = {
        let r_3: [2][2]i32, s_4: [2]f32 = with_acc ([2] (d_0)) ([2] (e_1) (0.0f32) \\(i_30: i64, x_31: f32, y_32: f32) -> {
            let f_33: f32 = conv f32 i_30
            let g_34: f32 = add x_31 y_32
            let h_35: f32 = add g_34 f_33
            in h_35
        })
        \\(t_5: cert, u_6: cert, a_7: acc t_5 [2]([2]i32), b_8: acc u_6 [2](f32)): acc t_5 [2]([2]i32), acc u_6 [2](f32) -> {
            let a_9: acc t_5 [2]([2]i32) = update_acc a_7 (1) (v_2)
            let b_10: acc u_6 [2](f32) = loop (b_11: acc u_6 [2](f32) = b_8) for i_12: i64 < 3 {
                let b_13: acc u_6 [2](f32) = update_acc b_11 (1) (0.5f32)
                in b_13
            }
            in a_9, b_10
        }
        in r_3, s_4, v_2
    }";
    let args = vec![matrix(2, 2), Value::from(vec![1f32, 2.0]), Value::from(vec![8i32, 9])];
    assert_eq!(results(text, args), "[[0i32, 1i32], [8i32, 9i32]] [1.0f32, 6.5f32] [8i32, 9i32]");
    // An operator on rows.
    let text = "fun main (d_0: *[2][2]i32) (v_2: [2]i32) : ([2][2]i32) = {
        let r_3: [2][2]i32 = with_acc ([2] (d_0) (v_2) \\(p_20: [2]i32, q_21: [2]i32) -> {
            let r_22: [2]i32 = map 2 (p_20, q_21) \\(x_23: i32, y_24: i32) -> { let t_25: i32 = add x_23 y_24 in t_25 }
            in r_22
        })
        \\(t_5: cert, a_7: acc t_5 [2]([2]i32)): acc t_5 [2]([2]i32) -> {
            let a_9: acc t_5 [2]([2]i32) = update_acc a_7 (1) (v_2)
            let a_10: acc t_5 [2]([2]i32) = update_acc a_9 (1) (v_2)
            in a_10
        }
        in r_3
    }";
    assert_eq!(results(text, vec![matrix(2, 2), Value::from(vec![8i32, 9])]), "[[0i32, 1i32], [18i32, 21i32]]");
}

#[test]
fn zero_sized_inner_dimensions() {
    let text = "fun main (a_0: [3][0]i32) : ([3][0]i32) ([3]i32) ([3][0]i32) ([0][3]i32) = {
        let b_1: [3][0]i32 = map 3 (a_0) \\(r_2: [0]i32) -> { in r_2 }
        let c_3: [3]i32 = map 3 (a_0) \\(r_4: [0]i32) -> {
            let s_5: i32 = reduce 0 (r_4) (4i32) \\(x_6: i32, y_7: i32) -> { let z_8: i32 = add x_6 y_7 in z_8 }
            in s_5
        }
        let e_9: [3][0]i32 = map 3 (a_0) \\(r_10: [0]i32) -> {
            let f_11: [0]i32 = map 0 (r_10) \\(x_12: i32) -> { in x_12 }
            in f_11
        }
        let t_13: [0][3]i32 = rearrange (1, 0) a_0
        let u_14: [0][3]i32 = map 0 (t_13) \\(r_15: [3]i32) -> { in r_15 }
        in b_1, c_3, e_9, u_14
    }";
    assert_eq!(
        results(text, vec![matrix(3, 0)]),
        "empty([3][0]i32) [4i32, 4i32, 4i32] empty([3][0]i32) empty([0][3]i32)"
    );
}

#[test]
fn what_no_checker_accepts_is_a_fault_and_no_crash() {
    let kind = |body: &str| run(&format!("fun main : = {{ {body} in }}"), vec![]).unwrap_err().kind;
    let array = "let a_0: [2]i32 = iota 2 : i32 let e_1: [2][2]i32 = replicate [2, 2] 0i32";
    assert_eq!(kind(&format!("{array} let x_2: i32 = index a_0[2]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: i32 = index a_0[-1]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = index e_1[2]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = slice a_0[1 :+ 2 * 1]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = update a_0[5] = 0i32")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [3]i32 = reshape [3] a_0")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2][2]i32 = update e_1[0, 0 :+ 1 * 1] = a_0")), Kind::Fault);
}
