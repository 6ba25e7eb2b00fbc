//! What becomes of maps, scans, reductions, scatters and histograms.

mod common;

use common::{assert_order, scheduled};

/// A `main` with an array `a_2` and what the statements make of it.
fn main_with(results: &str, statements: &str) -> String {
    format!(
        "fun main (n_1: i64) : {results} = {{
           let a_2: [n_1]i64 = iota n_1 : i64
           {statements}
         }}"
    )
}

#[test]
fn a_map_indexes_what_it_uses() {
    let (after, _) = scheduled(&main_with(
        "([n_1]i64)",
        "let b_3: [n_1]i64 = copy a_2
         let c_4: [n_1]i64 = map n_1 (a_2, b_3) \\(x_5: i64, y_6: i64) -> { let z_7: i64 = mul x_5 2 in z_7 }
         in c_4",
    ));
    assert_order(
        &after,
        &[
            "let c_4: [n_1]i64 = par (i_9 < n_1) own {",
            "let x_5: i64 = index a_2[i_9]",
            "let z_7: i64 = mul x_5 2",
            "in z_7",
        ],
    );
    assert!(!after.contains("index b_3"), "{after}");
}

#[test]
fn nested_maps_stay_nested() {
    let (after, _) = scheduled(&main_with(
        "([n_1][3]i64)",
        "let b_3: [n_1][3]i64 = map n_1 (a_2) \\(x_4: i64) -> {
           let r_5: [3]i64 = iota 3 : i64
           let s_6: [3]i64 = map 3 (r_5) \\(y_7: i64) -> { let z_8: i64 = add x_4 y_7 in z_8 }
           in s_6
         }
         in b_3",
    ));
    assert_order(
        &after,
        &["let b_3: [n_1][3]i64 = par (i_", "let s_6: [3]i64 = par (i_", "let y_7: i64 = index r_5[i_"],
    );
}

#[test]
fn a_row_that_is_consumed_is_copied() {
    let (after, _) = scheduled(&main_with(
        "([n_1][2]i64)",
        "let b_3: [n_1][2]i64 = replicate [n_1, 2] 7
         let c_4: [n_1][2]i64 = map n_1 (b_3) \\(r_5: *[2]i64) -> { let s_6: [2]i64 = update r_5[0] = 1 in s_6 }
         in c_4",
    ));
    assert_order(
        &after,
        &["let r_9: [2]i64 = index b_3[i_8]", "let r_5: [2]i64 = copy r_9", "let s_6: [2]i64 = update r_5"],
    );
}

const ADD: &str = "\\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";
const MAX: &str = "\\(x_93: i64, y_94: i64) -> { let z_95: i64 = max x_93 y_94 in z_95 }";

#[test]
fn reductions_come_before_scans_and_scans_have_a_last_body() {
    let (after, _) = scheduled(&main_with(
        "([n_1]i64) (i64) ([n_1]i64)",
        &format!(
            "let s_3: [n_1]i64, r_4: i64, c_5: [n_1]i64 = screma n_1 (a_2) map \\(x_6: i64) -> {{
               let y_7: i64 = mul x_6 3
               let z_8: i64 = sub x_6 1
               in x_6, y_7, z_8
             }} scan (0) {ADD} reduce (-5) {MAX}
             in s_3, r_4, c_5"
        ),
    ));
    assert_order(
        &after,
        &[
            "let r_4: i64, s_3: [n_1]i64, c_5: [n_1]i64 = par (i_",
            "in x_6, y_7",
            "} post (scanned_100: i64) { in scanned_100, z_8 }",
        ],
    );
}

#[test]
fn the_last_function_takes_scans_and_the_rest() {
    let (after, _) = scheduled(&main_with(
        "(i64) ([n_1]i64)",
        &format!(
            "let r_4: i64, c_5: [n_1]i64 = screma n_1 (a_2) map \\(x_6: i64) -> {{
               let y_7: i64 = mul x_6 3
               in x_6, y_7, y_7
             }} scan (0) {ADD} reduce (-5) {MAX} post \\(s_8: i64, w_9: i64) -> {{ let v_10: i64 = sub w_9 s_8 in v_10 }}
             in r_4, c_5"
        ),
    ));
    assert_order(
        &after,
        &[
            "let r_4: i64, c_5: [n_1]i64 = par (i_",
            "in x_6, y_7",
            "} post (s_8: i64) { let v_10: i64 = sub y_7 s_8 in v_10 }",
        ],
    );
}

#[test]
fn a_last_function_without_scans_is_the_end_of_the_body() {
    let (after, _) = scheduled(&main_with(
        "(i64) ([n_1]i64)",
        &format!(
            "let r_4: i64, c_5: [n_1]i64 = screma n_1 (a_2) map \\(x_6: i64) -> {{ in x_6, 4 }}
               reduce (0) {ADD} post \\(w_9: i64) -> {{ let v_10: i64 = sub w_9 1 in v_10 }}
             in r_4, c_5"
        ),
    ));
    assert!(after.contains("let v_10: i64 = sub 4 1") && after.contains("in x_6, v_10"), "{after}");
    assert!(!after.contains("post"), "{after}");
}

/// Three rows for each element, and their sum by an operator that goes element by element.
fn sum_of_rows(neutral: &str) -> String {
    main_with(
        "([3]i64)",
        &format!(
            "let zeros_3: [3]i64 = {neutral}
             let r_4: [3]i64 = screma n_1 (a_2) map \\(x_5: i64) -> {{ let row_6: [3]i64 = replicate [3] x_5 in row_6 }}
               reduce_comm (zeros_3) \\(x_7: [3]i64, y_8: [3]i64) -> {{
                 let z_9: [3]i64 = map 3 (x_7, y_8) \\(p_10: i64, q_11: i64) -> {{ let s_12: i64 = add p_10 q_11 in s_12 }}
                 in z_9
               }}
             in r_4"
        ),
    )
}

#[test]
fn a_reduction_element_by_element_has_a_shape() {
    let (after, log) = scheduled(&sum_of_rows("replicate [3] 0"));
    assert_order(
        &after,
        &[
            "let r_4: [3]i64 = par (i_14 < n_1) reduce_comm (0) [3] \\(p_10: i64, q_11: i64) -> {",
            "let row_6: [3]i64 = replicate [3] x_5",
        ],
    );
    assert_eq!(log.decisions().len(), 0);
}

#[test]
fn a_reduction_over_arrays_is_a_loop() {
    let (after, _) = scheduled(&sum_of_rows("iota 3 : i64"));
    assert_order(
        &after,
        &[
            "let copy_15: [3]i64 = copy zeros_3",
            "let r_4: [3]i64 = loop (x_7: *[3]i64 = copy_15) for i_14: i64 < n_1 {",
            "let x_5: i64 = index a_2[i_14]",
            "let z_9: [3]i64 = par (i_",
            "in z_9",
        ],
    );
}

#[test]
fn a_scan_over_arrays_updates_its_rows() {
    let (after, log) = scheduled(&main_with(
        "([n_1][2]i64) ([n_1]i64)",
        "let zeros_3: [2]i64 = replicate [2] 0
         let s_4: [n_1][2]i64, c_5: [n_1]i64 = #[core] screma n_1 (a_2) map \\(x_6: i64) -> {
           let row_7: [2]i64 = replicate [2] x_6
           in row_7, x_6
         } scan (zeros_3) \\(x_8: [2]i64, y_9: [2]i64) -> {
           let c_10: i64 = index y_9[0]
           let d_11: bool = lt c_10 3
           let z_12: [2]i64 = if d_11 then { in x_8 } else { in y_9 }
           in z_12
         }
         in s_4, c_5",
    ));
    assert_order(
        &after,
        &[
            "let copy_16: [2]i64 = copy zeros_3",
            "let s_18: [n_1][2]i64 = scratch [n_1, 2] i64",
            "let c_20: [n_1]i64 = scratch [n_1] i64",
            "let last_17: [2]i64, s_4: [n_1][2]i64, c_5: [n_1]i64 = #[core] loop (x_8: *[2]i64 = copy_16,",
            "let z_12: [2]i64 = if d_11 then { in x_8 } else { in row_7 }",
            "let copy_22: [2]i64 = copy z_12",
            "let s_23: [n_1][2]i64 = update s_19[i_15, 0 :+ 2 * 1] = copy_22",
            "let c_24: [n_1]i64 = update c_21[i_15] = x_6",
            "in copy_22, s_23, c_24",
        ],
    );
    assert_eq!(log.decisions().iter().filter(|d| d.kind == kenaz_ir::DecisionKind::LevelRefused).count(), 1);
    assert!(!after.contains("par core"), "{after}");
}

#[test]
fn a_filter_counts_what_it_keeps() {
    let (after, _) = scheduled(&main_with(
        "(k_80: i64) ([k_80]i64)",
        "let k_3: i64, b_4: [k_3]i64 = filter n_1 (a_2) \\(x_5: i64) -> {
           let m_6: i64 = and x_5 1
           let c_7: bool = eq m_6 0
           in c_7
         }
         in k_3, b_4",
    ));
    assert_order(
        &after,
        &[
            "let b_85: [n_1]i64 = scratch [n_1] i64",
            "let k_3: i64, b_84: [n_1]i64 = loop (k_83: i64 = 0, b_86: *[n_1]i64 = b_85) for i_82: i64 < n_1 {",
            "let x_5: i64 = index a_2[i_82]",
            "let b_87: [n_1]i64 = update b_86[k_83] = x_5",
            "let conv_88: i64 = conv i64 c_7",
            "in add_89, b_87",
            "let b_4: [k_3]i64 = slice b_84[0 :+ k_3 * 1]",
        ],
    );
}

#[test]
fn a_filter_keeps_values() {
    let (after, _) = scheduled(&main_with(
        "(k_80: i64) ([k_80][2]i64)",
        "let k_3: i64, b_4: [k_3][2]i64 = filter n_1 (a_2) \\(x_5: i64) -> {
           let c_6: bool = lt 1 x_5
           let r_7: [2]i64 = replicate [2] x_5
           in c_6, r_7
         }
         in k_3, b_4",
    ));
    assert!(after.contains(", 0 :+ 2 * 1] = r_7"), "{after}");
}

#[test]
fn a_scatter_writes() {
    let (after, _) = scheduled(&main_with(
        "([4]i64) ([3][2]i64)",
        "let d_3: [4]i64 = replicate [4] -1
         let e_4: [3][2]i64 = replicate [3, 2] -1
         let f_5: [4]i64, g_6: [3][2]i64 = scatter n_1 (a_2) \\(x_7: i64) -> {
           let i_8: i64 = sub x_7 1
           let r_9: [2]i64 = replicate [2] x_7
           in i_8, x_7, x_7, r_9
         } into (d_3 rank 1, e_4 rank 1)
         in f_5, g_6",
    ));
    assert_order(&after, &["let f_5: [4]i64, g_6: [3][2]i64 = par (i_", "in i_8, x_7, x_7, r_9"]);
    assert!(after.contains("write d_3 rank 1 write e_4 rank 1"), "{after}");
}

#[test]
fn a_histogram_accumulates() {
    let (after, _) = scheduled(&main_with(
        "([4]i64)",
        &format!(
            "let d_3: [4]i64 = replicate [4] 1
             let e_4: [4]i64 = hist n_1 (a_2) \\(x_5: i64) -> {{
               let i_6: i64 = mul x_5 2
               in i_6, x_5
             }} into (d_3) rank 1 (0) {ADD}
             in e_4"
        ),
    ));
    assert_order(&after, &["let e_4: [4]i64 = par (i_", "in i_6, x_5"]);
    assert!(after.contains("acc (d_3) rank 1 (0) \\(x_90: i64, y_91: i64)"), "{after}");
}

/// A histogram of pairs, with an operator on them.
fn histogram_of_rows(operator: &str) -> String {
    main_with(
        "([4][2]i64)",
        &format!(
            "let zeros_3: [2]i64 = replicate [2] 0
             let d_4: [4][2]i64 = replicate [4, 2] 1
             let e_5: [4][2]i64 = hist n_1 (a_2) \\(x_6: i64) -> {{
               let i_7: i64 = sub x_6 2
               let r_8: [2]i64 = replicate [2] x_6
               in i_7, r_8
             }} into (d_4) rank 1 (zeros_3) \\(x_9: [2]i64, y_10: [2]i64) -> {{ {operator} }}
             in e_5"
        ),
    )
}

#[test]
fn a_histogram_element_by_element_combines_rows() {
    let (after, _) = scheduled(&histogram_of_rows(
        "let z_11: [2]i64 = map 2 (x_9, y_10) \\(p_12: i64, q_13: i64) -> { let s_14: i64 = add p_12 q_13 in s_14 }
         in z_11",
    ));
    assert_order(
        &after,
        &["let e_5: [4][2]i64 = par (i_16 < n_1) acc (d_4) rank 1 (0) \\(p_12: i64, q_13: i64) -> {", "in i_7, r_8"],
    );
    assert!(!after.contains("loop") && !after.contains("if"), "{after}");
}

#[test]
fn any_other_histogram_is_a_loop_with_a_test() {
    let (after, _) = scheduled(&histogram_of_rows(
        "let p_11: i64 = index x_9[0]
         let c_12: bool = lt p_11 2
         let z_13: [2]i64 = if c_12 then { in y_10 } else { in x_9 }
         in z_13",
    ));
    assert_order(&after, &["let e_5: [4][2]i64 = loop", "let le_", "let lt_", "let and_", "let d_", "let x_"]);
}

#[test]
fn attributes_force_levels() {
    let map = |attr: &str| {
        main_with(
            "([n_1]i64)",
            &format!("let c_4: [n_1]i64 = #[{attr}] map n_1 (a_2) \\(x_5: i64) -> {{ in x_5 }}\nin c_4"),
        )
    };
    for (attr, level) in [
        ("core", "par core ("),
        ("simd", "par simd ("),
        ("simd(8)", "par simd 8 ("),
        ("grid", "par grid ("),
        ("block", "par block ("),
        ("lane", "par lane ("),
        ("sequential", "par ("),
    ] {
        let (after, log) = scheduled(&map(attr));
        assert!(after.contains(level), "{after}");
        assert!(after.contains(&format!("#[{attr}]")), "{after}");
        assert_eq!(log.decisions().len(), 0);
    }
}
