//! What becomes simpler, and what must stay.

mod common;

use common::{count, same};
use kenaz_optimise::simplify::PASS;
use kenaz_runtime::Value;

/// Runs the pass on the body of a function of one array, which must not change what it computes; the program that is
/// left, and how often a rule was used.
fn left(results: &str, body: &str, rule: &str) -> (String, u64) {
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : {results} = {{ {body} }}");
    let args = |xs: Vec<i64>| vec![Value::from(i64::try_from(xs.len()).unwrap()), Value::from(xs)];
    let (after, log) = same(&PASS, &text, &[args(vec![3, -1, 4, 1, 5, 9]), args(vec![7]), args(vec![])]);
    let count = count(&log, rule);
    (after, count)
}

#[test]
fn a_row_by_its_number_is_an_input() {
    let body = |len: &str, array: &str, index: &str| {
        format!(
            "let c_10: [n_0]i64 = copy a_1
             let i_2: [{len}]i64 = iota {len} : i64
             let b_3: [{len}]i64 = map {len} (i_2) \\(x_4: i64) -> {{
               let y_5: i64 = index {array}[{index}]
               let z_6: i64 = mul y_5 x_4
               in z_6
             }}"
        )
    };
    let (after, count) = left("([n_0]i64)", &format!("{} in b_3", body("n_0", "a_1", "x_4")), "input-by-number");
    assert_eq!(count, 1, "{after}");
    assert!(!after.contains("index"), "{after}");
    // Not all rows; and a row that is always the same.
    let guard = "let p_7: bool = gt n_0 0 let m_8: i64 = conv i64 p_7";
    let (after, count) = left(
        "(m_20: i64) ([m_20]i64)",
        &format!("{guard} {} in m_8, b_3", body("m_8", "a_1", "x_4")),
        "input-by-number",
    );
    assert_eq!(count, 0, "{after}");
    let (after, count) = left("([n_0]i64)", &format!("{} in b_3", body("n_0", "a_1", "0")), "input-by-number");
    assert_eq!(count, 0, "{after}");
}

#[test]
fn rows_that_are_all_the_same() {
    let body = |row: &str| {
        format!(
            "let b_2: [n_0][3]i64 = map n_0 (a_1) \\(x_3: i64) -> {{
               {row}
               in r_4
             }}
             in b_2"
        )
    };
    for row in ["let r_4: [3]i64 = replicate [3] n_0", "let r_4: [3]i64 = array [1, n_0, 3] : i64"] {
        let (after, count) = left("([n_0][3]i64)", &body(row), "map-invariant-array");
        assert_eq!(count, 1, "{after}");
        assert!(!after.contains("map"), "{after}");
    }
    for row in ["let r_4: [3]i64 = replicate [3] x_3", "let r_4: [3]i64 = array [1, x_3, 3] : i64"] {
        let (after, count) = left("([n_0][3]i64)", &body(row), "map-invariant-array");
        assert_eq!(count, 0, "{after}");
    }
    // Rows of nothing are all the same.
    let body =
        "let b_2: [n_0][0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let r_4: [0]i64 = replicate [0] x_3 in r_4 } in b_2";
    let (after, count) = left("([n_0][0]i64)", body, "map-invariant-array");
    assert_eq!(count, 1, "{after}");
}

#[test]
fn an_operator_over_one_row() {
    let body = "let o_2: [1]i64 = array [n_0] : i64
                let b_3: [1][2]i64, s_4: i64 = screma 1 (o_2) map \\(x_5: i64) -> {
                  let y_6: i64 = mul x_5 x_5
                  let r_7: [2]i64 = array [x_5, y_6] : i64
                  in y_6, r_7
                } reduce (5) \\(p_8: i64, q_9: i64) -> { let t_10: i64 = sub p_8 q_9 in t_10 }
                in b_3, s_4"
        .replace("b_3: [1][2]i64, s_4: i64", "s_4: i64, b_3: [1][2]i64");
    let (after, count) = left("([1][2]i64) (i64)", &body, "map-of-one");
    assert_eq!(count, 1, "{after}");
    assert!(!after.contains("screma"), "{after}");
    // A row that is consumed.
    let body = "let o_2: [1][n_0]i64 = array [a_1] : [n_0]i64
                let b_3: [1][n_0]i64 = map 1 (o_2) \\(x_5: *[n_0]i64) -> { let u_6: [n_0]i64 = copy x_5 in u_6 }
                in b_3";
    let (after, count) = left("([1][n_0]i64)", body, "map-of-one");
    assert_eq!(count, 0, "{after}");
}

#[test]
fn a_row_of_given_rows() {
    let body = |end: &str| {
        format!(
            "let c_2: [n_0]i64 = copy a_1
             let o_3: [2][n_0]i64 = array [c_2, a_1] : [n_0]i64
             let r_4: [n_0]i64 = index o_3[0]
             {end}"
        )
    };
    let (after, _) = left("([n_0]i64)", &body("in r_4"), "index-of-formula");
    assert!(!after.contains("array ["), "{after}");
    // What the row was made from is changed before the row is read.
    let change = "let p_5: bool = gt n_0 0
                  let d_6: [n_0]i64 = if p_5 then { let u_7: [n_0]i64 = update c_2[0] = 42 in u_7 } else { in c_2 }
                  let s_8: [n_0]i64 = map n_0 (d_6, r_4) \\(x_9: i64, y_10: i64) -> { let z_11: i64 = sub x_9 y_10 in z_11 }
                  in s_8";
    let (after, count) = left("([n_0]i64)", &body(change), "index-of-formula");
    assert_eq!(count, 0, "{after}");
}

#[test]
fn calls_of_functions_with_accumulators_are_merged() {
    let text = |before: &str| {
        format!(
            "fun f (n_1: i64) : ([n_1]i64) = {{
               {before}
               let d_2: [n_1]i64 = replicate [n_1] 0
               let r_3: [n_1]i64 = with_acc ([n_1] (d_2) (0) \\(x_4: i64, y_5: i64) -> {{ let z_6: i64 = add x_4 y_5 in z_6 }})
                 \\(t_7: cert, a_8: acc t_7 [n_1](i64)) -> {{
                 let b_9: acc t_7 [n_1](i64) = update_acc a_8 (0) (5) in b_9 }}
               in r_3
             }}
             fun main (n_0: i64) : ([n_0]i64) ([n_0]i64) = {{
               let b_10: [n_0]i64 = call f (n_0)
               let c_11: [n_0]i64 = call f (n_0)
               in b_10, c_11
             }}"
        )
    };
    let calls = |before: &str| common::run(&PASS, &text(before)).0.matches("call f").count();
    assert_eq!((calls(""), calls("let t_20: i64 = trace \"f\" n_1")), (1, 2));
}
