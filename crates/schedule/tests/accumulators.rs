//! What becomes of accumulators.

mod common;

use common::{assert_order, scheduled};

/// A `main` that accumulates into `d_3`, with the statements that make `z_9` of the accumulator `acc_5`.
fn main_with(op: &str, functions: &str, statements: &str) -> String {
    format!(
        "{functions}
         fun main (n_1: i64) : ([4]i64) (i64) = {{
           let a_2: [n_1]i64 = iota n_1 : i64
           let d_3: [4]i64 = replicate [4] 1
           let e_4: [4]i64, k_5: i64 = with_acc ([4] (d_3){op}) \\(t_6: cert, acc_7: acc t_6 [4](i64)) -> {{
             {statements}
             in z_9, 17
           }}
           in e_4, k_5
         }}"
    )
}

const ADD: &str = " (0) \\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";

#[test]
fn an_update_tests_its_index() {
    let (after, _) = scheduled(&main_with(
        ADD,
        "",
        "let acc_8: acc t_6 [4](i64) = update_acc acc_7 (n_1) (10)
         let z_9: acc t_6 [4](i64) = update_acc acc_8 (2) (20)",
    ));
    assert_order(
        &after,
        &[
            "let le_",
            "let lt_",
            "let and_",
            "let d_",
            "let x_",
            "let z_",
            "let d_",
            "in d_",
            "} else { in d_3 }",
            "let e_4",
        ],
    );
    assert!(!after.contains("acc"), "{after}");
}

#[test]
fn without_an_operator_the_value_is_written() {
    let (after, _) = scheduled(&main_with("", "", "let z_9: acc t_6 [4](i64) = update_acc acc_7 (n_1) (10)"));
    assert!(after.contains("update d_3[n_1] = 10") && !after.contains("index d_3"), "{after}");
}

#[test]
fn a_map_with_an_accumulator_is_a_loop() {
    let (after, _) = scheduled(&main_with(
        ADD,
        "",
        "let z_9: acc t_6 [4](i64), b_10: [n_1]i64 = map n_1 (acc_7, a_2) \\(acc_11: acc t_6 [4](i64), x_12: i64) -> {
           let acc_13: acc t_6 [4](i64) = update_acc acc_11 (x_12) (x_12)
           let y_14: i64 = mul x_12 2
           in acc_13, y_14
         }",
    ));
    assert_order(&after, &["let b_", "let z_", "let x_12: i64 = index a_2[i_", "let y_14: i64 = mul x_12 2", "let b_"]);
    assert!(!after.contains("par"), "{after}");
}

#[test]
fn loops_and_branches_hand_the_arrays_on() {
    let (after, _) = scheduled(&main_with(
        ADD,
        "",
        "let z_9: acc t_6 [4](i64) = loop (acc_10: *acc t_6 [4](i64) = acc_7) for i_11: i64 < n_1 {
           let c_12: bool = lt i_11 2
           let acc_13: acc t_6 [4](i64) = if c_12 then {
             let acc_14: acc t_6 [4](i64) = update_acc acc_10 (i_11) (5)
             in acc_14
           } else { in acc_10 }
           in acc_13
         }",
    ));
    assert_order(&after, &["let z_", "let c_12: bool = lt i_11 2", "let acc_", "let e_4: [4]i64 = z_"]);
    assert!(after.contains(": *[4]i64 = d_3) for i_11: i64 < n_1"), "{after}");
}

#[test]
fn a_function_with_an_accumulator_is_inlined() {
    let (after, _) = scheduled(&main_with(
        ADD,
        "fun put (t_50: cert) (acc_51: *acc t_50 [4](i64)) (i_52: i64) : (acc t_50 [4](i64)) = {
           let acc_53: acc t_50 [4](i64) = update_acc acc_51 (i_52) (3)
           in acc_53
         }",
        "let acc_8: acc t_6 [4](i64) = call put (t_6, acc_7, n_1)
         let z_9: acc t_6 [4](i64) = call put (t_6, acc_8, 1)",
    ));
    assert!(!after.contains("put") && !after.contains("acc"), "{after}");
}

#[test]
fn a_row_is_updated_in_place_when_the_operator_goes_element_by_element() {
    let (after, _) = scheduled(
        "fun main (n_1: i64) : ([4][2]i64) = {
           let a_2: [n_1]i64 = iota n_1 : i64
           let zeros_3: [2]i64 = replicate [2] 0
           let d_4: [4][2]i64 = replicate [4, 2] 1
           let e_5: [4][2]i64 = with_acc ([4] (d_4) (zeros_3) \\(x_6: [2]i64, y_7: [2]i64) -> {
             let z_8: [2]i64 = map 2 (x_6, y_7) \\(p_9: i64, q_10: i64) -> { let s_11: i64 = add p_9 q_10 in s_11 }
             in z_8
           }) \\(t_12: cert, acc_13: acc t_12 [4]([2]i64)) -> {
             let r_14: [2]i64 = iota 2 : i64
             let acc_15: acc t_12 [4]([2]i64) = update_acc acc_13 (n_1) (r_14)
             let acc_16: acc t_12 [4]([2]i64) = update_acc acc_15 (1) (r_14)
             in acc_16
           }
           in e_5
         }",
    );
    assert!(after.contains("acc (d_4) rank 2 (0)") && !after.contains("if"), "{after}");
}
