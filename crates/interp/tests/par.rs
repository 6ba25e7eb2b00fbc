//! `par` by value: spaces of several dimensions, tiles, writes, operators with a shape.

use kenaz_interp::{Environment, Options, compile};

/// The results of a `main` without parameters, without the suffix of their type.
fn results(results: &str, statements: &str) -> String {
    let text = format!("fun main : {results} = {{ {statements} }}");
    let prog = kenaz_ir::parse::prog(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let values = compile(&prog, Options::default()).run_in("main", Vec::new(), &mut Environment::default());
    let values = values.unwrap_or_else(|e| panic!("{e}\n{text}"));
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").replace("i64", "")
}

#[test]
fn a_space_of_two_dimensions() {
    let got = results(
        "(i64) ([2][3]i64) ([2][3][2]i64)",
        "let s_1: i64, a_2: [2][3]i64, b_3: [2][3][2]i64 = par core (i_4 < 2, j_5 < 3)
           reduce (0) \\(x_6: i64, y_7: i64) -> { let z_8: i64 = add x_6 y_7 in z_8 } own own {
           let t_9: i64 = mul i_4 10
           let u_10: i64 = add t_9 j_5
           let r_11: [2]i64 = array [i_4, j_5] : i64
           in u_10, u_10, r_11
         }
         in s_1, a_2, b_3",
    );
    assert_eq!(got, "36 [[0, 1, 2], [10, 11, 12]] [[[0, 0], [0, 1], [0, 2]], [[1, 0], [1, 1], [1, 2]]]");
}

#[test]
fn tiles_lie_side_by_side() {
    let got = results(
        "([4][3]i64)",
        "let a_1: [4][3]i64 = par (i_2 < 2, j_3 < 1) tile [2, 3] {
           let t_4: i64 = mul i_2 10
           let r_5: [2][3]i64 = par (p_6 < 2, q_7 < 3) own {
             let x_8: i64 = add t_4 p_6
             let y_9: i64 = mul q_7 100
             let z_10: i64 = add x_8 y_9
             in z_10
           }
           in r_5
         }
         in a_1",
    );
    assert_eq!(got, "[[0, 100, 200], [1, 101, 201], [10, 110, 210], [11, 111, 211]]");
}

#[test]
fn an_operator_with_a_shape_and_a_scan_of_several_values() {
    let got = results(
        "([2]i64) ([3]i64) ([3]i64)",
        "let v_1: [2]i64, a_2: [3]i64, b_3: [3]i64 = par (i_4 < 3)
           scan (0, 1) \\(x_5: i64, y_6: i64, p_7: i64, q_8: i64) -> {
             let s_9: i64 = add x_5 p_7
             let t_10: i64 = mul y_6 q_8
             in s_9, t_10
           }
           reduce (0) [2] \\(x_11: i64, y_12: i64) -> { let z_13: i64 = add x_11 y_12 in z_13 } own own {
           let k_14: i64 = add i_4 1
           let r_15: [2]i64 = array [k_14, 7] : i64
           in k_14, k_14, r_15
         } post (s_16: i64, t_17: i64) {
           let w_18: i64 = index r_15[1]
           let u_19: i64 = add t_17 w_18
           in s_16, u_19
         }
         in v_1, a_2, b_3",
    );
    assert_eq!(got, "[6, 21] [1, 3, 6] [8, 9, 13]");
}

#[test]
fn writes_and_accumulation_leave_out_what_is_out_of_bounds() {
    let got = results(
        "([2][2]i64) ([2][2]i64)",
        "let d_1: [2][2]i64 = replicate [2, 2] 0
         let e_2: [2][2]i64 = replicate [2, 2] 1
         let f_3: [2][2]i64, g_4: [2][2]i64 = par (i_5 < 3, j_6 < 3) write d_1 rank 2
           acc (e_2) rank 2 (0) \\(x_7: i64, y_8: i64) -> { let z_9: i64 = add x_7 y_8 in z_9 } {
           let s_10: i64 = add i_5 j_6
           let m_11: i64 = sub i_5 1
           in i_5, j_6, s_10, m_11, 0, s_10
         }
         in f_3, g_4",
    );
    assert_eq!(got, "[[0, 1], [1, 2]] [[7, 1], [10, 1]]");
}
