//! What becomes one operator, and what must not.

mod common;

use common::{count, run, same};
use kenaz_ir::PassCx;
use kenaz_ir::metrics::Metrics;
use kenaz_optimise::fuse::PASS;
use kenaz_runtime::Value;

const ADD: &str = "\\(p_900: i64, q_901: i64) -> { let r_902: i64 = add p_900 q_901 in r_902 }";
const MAX: &str = "\\(p_910: i64, q_911: i64) -> { let r_912: i64 = max p_910 q_911 in r_912 }";

/// Runs the pass on the body of a function of one array, which must not change what it computes; the operators that
/// are left, with how often they occur.
fn left(results: &str, body: &str) -> String {
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : {results} = {{ {body} }}");
    let args = |xs: Vec<i64>| vec![Value::from(i64::try_from(xs.len()).unwrap()), Value::from(xs)];
    let (after, _) = same(&PASS, &text, &[args(vec![3, -1, 4, 1, 5, 9]), args(vec![7]), args(vec![])]);
    let metrics = Metrics::of(&common::parse(&after));
    let operators =
        ["map", "scan", "reduce", "screma", "filter", "scatter", "hist", "replicate", "slice", "copy", "rearrange"];
    let counts = operators.iter().map(|op| (op, metrics.count(op))).filter(|(_, count)| *count > 0);
    counts.map(|(op, count)| format!("{op} {count}")).collect::<Vec<_>>().join(", ")
}

fn reasons(text: &str) -> Vec<String> {
    let (_, log) = run(&PASS, text);
    log.decisions().iter().map(|d| d.reason.clone()).collect()
}

#[test]
fn maps_in_a_row() {
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
                let c_5: [n_0]i64 = map n_0 (b_2, a_1) \\(x_6: i64, z_7: i64) -> { let y_8: i64 = add x_6 z_7 in y_8 }
                let d_9: [n_0]i64 = map n_0 (c_5) \\(x_10: i64) -> { let y_11: i64 = sub x_10 1 in y_11 }
                in d_9";
    assert_eq!(left("([n_0]i64)", body), "map 1");
}

#[test]
fn a_map_into_a_reduction_or_a_scan() {
    let map = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }";
    assert_eq!(left("(i64)", &format!("{map} let s_5: i64 = reduce n_0 (b_2) (0) {ADD} in s_5")), "screma 1");
    assert_eq!(left("([n_0]i64)", &format!("{map} let s_5: [n_0]i64 = scan n_0 (b_2) (0) {ADD} in s_5")), "screma 1");
    // What the map makes is kept.
    assert_eq!(
        left("(i64) ([n_0]i64)", &format!("{map} let s_5: i64 = reduce n_0 (b_2) (0) {ADD} in s_5, b_2")),
        "screma 1"
    );
}

#[test]
fn a_scan_into_a_map() {
    let body = format!(
        "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = mul x_3 x_3 in y_4 }}
         let s_5: [n_0]i64 = scan n_0 (b_2) (0) {ADD}
         let c_6: [n_0]i64 = map n_0 (s_5, a_1, b_2) \\(x_7: i64, y_8: i64, w_12: i64) -> {{ let z_9: i64 = sub x_7 y_8 let v_13: i64 = mul z_9 w_12 in v_13 }}
         let d_10: [n_0]i64 = map n_0 (c_6, s_5) \\(x_14: i64, y_15: i64) -> {{ let z_16: i64 = add x_14 y_15 in z_16 }}"
    );
    assert_eq!(left("([n_0]i64)", &format!("{body} in d_10")), "screma 1");
    assert_eq!(left("([n_0]i64) ([n_0]i64) ([n_0]i64)", &format!("{body} in s_5, c_6, d_10")), "screma 1");
    // Maps and reductions of the same elements join them.
    let more = format!("{body} let m_20: i64 = reduce n_0 (b_2) (0) {MAX}");
    assert_eq!(left("([n_0]i64) (i64)", &format!("{more} in d_10, m_20")), "screma 1");
}

#[test]
fn a_scan_of_a_scan_stays() {
    let body = format!(
        "let s_2: [n_0]i64 = scan n_0 (a_1) (0) {ADD}
         let t_3: [n_0]i64 = scan n_0 (s_2) (0) {MAX}
         in t_3"
    );
    assert_eq!(left("([n_0]i64)", &body), "scan 2");
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {{ {body} }}");
    assert_eq!(reasons(&text), ["a scan or reduction of what is scanned needs a second pass"]);
}

#[test]
fn a_map_into_a_filter_scatter_or_histogram() {
    let map = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }";
    let filter = "let k_5: i64, c_6: [k_5]i64, d_7: [k_5]i64 = filter n_0 (b_2, a_1) \\(x_8: i64, y_9: i64) -> {
                    let z_10: bool = gt x_8 y_9 in z_10
                  }";
    assert_eq!(left("(m_50: i64) ([m_50]i64) ([m_50]i64)", &format!("{map} {filter} in k_5, c_6, d_7")), "filter 1");
    // A filter makes nothing else.
    assert_eq!(left("(i64) ([n_0]i64)", &format!("{map} {filter} in k_5, b_2")), "map 1, filter 1");
    let scatter = "let e_5: [n_0]i64 = copy a_1
                   let c_6: [n_0]i64 = scatter n_0 (b_2, a_1) \\(i_7: i64, v_8: i64) -> { in i_7, v_8 } into (e_5 rank 1)";
    assert_eq!(left("([n_0]i64)", &format!("{map} {scatter} in c_6")), "scatter 1, copy 1");
    // One that computes little is computed again by each, if that makes it needless.
    let twice = "let e_5: [n_0]i64 = copy a_1
                 let f_9: [n_0]i64 = copy a_1
                 let c_6: [n_0]i64 = scatter n_0 (b_2, a_1) \\(i_7: i64, v_8: i64) -> { in i_7, v_8 } into (e_5 rank 1)
                 let d_10: [n_0]i64 = scatter n_0 (b_2, a_1) \\(i_11: i64, v_12: i64) -> { in v_12, i_11 } into (f_9 rank 1)";
    let text =
        format!("fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) ([n_0]i64) = {{ {map} {twice} in c_6, d_10 }}");
    let args = vec![Value::from(3i64), Value::from(vec![0i64, 1, 2])];
    let (after, log) = same(&PASS, &text, &[args]);
    assert_eq!(log.counts().get("fuse-map-scatter"), Some(&2), "{after}");
    assert!(!after.contains("(b_2"), "{after}");
    let hist = format!(
        "let e_5: [3]i64 = replicate [3] 0
         let c_6: [3]i64 = hist n_0 (b_2, a_1) \\(i_7: i64, v_8: i64) -> {{ in i_7, v_8 }} into (e_5) rank 1 (0) {ADD}"
    );
    assert_eq!(left("([3]i64)", &format!("{map} {hist} in c_6")), "hist 1, replicate 1");
}

#[test]
fn side_by_side() {
    let body = format!(
        "let s_2: i64 = reduce n_0 (a_1) (0) {ADD}
         let m_3: i64 = reduce n_0 (a_1) (0) {MAX}
         let b_4: [n_0]i64 = map n_0 (a_1) \\(x_5: i64) -> {{ let y_6: i64 = neg x_5 in y_6 }}"
    );
    assert_eq!(left("(i64) (i64) ([n_0]i64)", &format!("{body} in s_2, m_3, b_4")), "screma 1");
    // The second pass needs the result of the first.
    let body = format!(
        "let s_2: i64 = reduce n_0 (a_1) (0) {ADD}
         let t_3: i64 = screma n_0 (a_1) map \\(x_4: i64) -> {{ let y_5: i64 = sub x_4 s_2 in y_5 }} reduce (0) {MAX}
         in t_3"
    );
    assert_eq!(left("(i64)", &body), "reduce 1, screma 1");
}

#[test]
fn the_second_may_come_to_the_first() {
    let body = "let c_2: [n_0]i64 = copy a_1
                let b_3: [n_0]i64 = map n_0 (c_2) \\(x_4: i64) -> { let y_5: i64 = mul x_4 x_4 in y_5 }
                let s_11: [n_0]i64 = replicate [n_0] 7
                let d_6: [n_0]i64 = update c_2[0 :+ n_0 * 1] = s_11
                let e_7: [n_0]i64 = map n_0 (b_3) \\(x_8: i64) -> { let y_10: i64 = neg x_8 in y_10 }
                in d_6, e_7";
    assert_eq!(left("([n_0]i64) ([n_0]i64)", body), "map 1, replicate 1, copy 1");
}

#[test]
fn a_copy_of_what_nobody_else_needs() {
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
                let c_5: [n_0]i64 = copy b_2
                let d_6: [n_0]i64 = map n_0 (c_5) \\(x_7: i64) -> { let y_8: i64 = neg x_7 in y_8 }";
    assert_eq!(left("([n_0]i64) ([n_0]i64)", &format!("{body} in c_5, d_6")), "map 1");
    assert_eq!(left("([n_0]i64) ([n_0]i64)", &format!("{body} in c_5, b_2")), "map 2, copy 1");
}

#[test]
fn what_is_in_between_stays_in_order() {
    // The statement that needs the first comes after both.
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
         let l_5: [n_0]i64 = slice b_2[0 :+ n_0 * 1]
         let k_6: i64 = add n_0 1
         let c_7: [n_0]i64 = map n_0 (b_2) \\(x_8: i64) -> { let y_9: i64 = add x_8 k_6 in y_9 }
         in c_7, l_5";
    assert_eq!(left("([n_0]i64) ([n_0]i64)", body), "map 1, slice 1");
    // A way around through the sum.
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
         let l_5: [n_0]i64 = copy b_2
         let c_7: [n_0]i64 = map n_0 (b_2, l_5) \\(x_8: i64, z_10: i64) -> { let y_9: i64 = add x_8 z_10 in y_9 }
         in c_7";
    assert_eq!(left("([n_0]i64)", body), "map 2, copy 1");
}

#[test]
fn a_whole_array_is_no_row() {
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
                let c_5: [n_0]i64 = map n_0 (b_2) \\(x_6: i64) -> { let z_7: i64 = index b_2[0] let y_8: i64 = add x_6 z_7 in y_8 }
                in c_5";
    assert_eq!(left("([n_0]i64)", body), "map 2");
}

#[test]
fn nothing_goes_past_a_consumption() {
    let body = "let c_2: [n_0]i64 = copy a_1
                let b_3: [n_0]i64 = map n_0 (c_2) \\(x_4: i64) -> { let y_5: i64 = mul x_4 x_4 in y_5 }
                let s_11: [n_0]i64 = replicate [n_0] 7
                let d_6: [n_0]i64 = update c_2[0 :+ n_0 * 1] = s_11
                let e_7: [n_0]i64 = map n_0 (b_3, d_6) \\(x_8: i64, z_9: i64) -> { let y_10: i64 = add x_8 z_9 in y_10 }
                in e_7";
    assert_eq!(left("([n_0]i64)", body), "map 2, replicate 1, copy 1");
    let scatter = "let c_2: [n_0]i64 = copy a_1
                let b_3: [n_0]i64 = map n_0 (c_2) \\(x_4: i64) -> { let y_5: i64 = mul x_4 x_4 in y_5 }
                let d_6: [n_0]i64 = scatter n_0 (b_3, a_1) \\(i_7: i64, v_8: i64) -> { in i_7, v_8 } into (c_2 rank 1)
                in d_6";
    assert_eq!(left("([n_0]i64)", scatter), "map 1, scatter 1, copy 1");
}

#[test]
fn a_row_that_is_consumed_is_copied() {
    let body = "let b_2: [n_0][2]i64 = map n_0 (a_1) \\(x_3: i64) -> { let r_4: [2]i64 = replicate [2] x_3 in r_4 }
                let c_5: [n_0][2]i64 = map n_0 (b_2) \\(r_6: *[2]i64) -> { let s_7: [2]i64 = update r_6[0] = 1 in s_7 }
                in c_5";
    assert_eq!(left("([n_0][2]i64)", body), "map 1, replicate 1, copy 1");
}

#[test]
fn inner_operators_meet_in_one_function() {
    let body = format!(
        "let b_2: [n_0][4]i64 = map n_0 (a_1) \\(x_3: i64) -> {{
           let i_4: [4]i64 = iota 4 : i64
           let r_5: [4]i64 = map 4 (i_4) \\(y_6: i64) -> {{ let z_7: i64 = mul x_3 y_6 in z_7 }}
           in r_5
         }}
         let s_8: [n_0]i64 = map n_0 (b_2) \\(r_9: [4]i64) -> {{ let t_10: i64 = reduce 4 (r_9) (0) {ADD} in t_10 }}
         in s_8"
    );
    assert_eq!(left("([n_0]i64)", &body), "map 1, screma 1");
}

#[test]
fn views_of_maps() {
    let map = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 }
               let h_5: i64 = quot n_0 2";
    let slice = "let c_6: [h_5]i64 = slice b_2[0 :+ h_5 * 1] in c_6";
    let text = format!(
        "fun main (n_0: i64) (a_1: [n_0]i64) : (k_90: i64) ([k_90]i64) = {{ {map} {} }}",
        slice.replace("in c", "in h_5, c")
    );
    let args = vec![Value::from(3i64), Value::from(vec![3i64, 4, 5])];
    let (after, log) = same(&PASS, &text, &[args]);
    assert_eq!(log.counts().get("fuse-map-slice"), Some(&1), "{after}");
    // A part of each row: the inner maps meet too.
    let body = "let r_9: [n_0][4]i64 = replicate [n_0, 4] 2
                let b_2: [n_0][4]i64 = map n_0 (r_9, a_1) \\(x_3: [4]i64, w_8: i64) -> {
                  let y_4: [4]i64 = map 4 (x_3) \\(z_5: i64) -> { let v_6: i64 = mul z_5 w_8 in v_6 } in y_4
                }
                let c_7: [n_0][2]i64 = slice b_2[0 :+ n_0 * 1, 1 :+ 2 * 2]
                let d_10: [n_0][2]i64 = map n_0 (c_7) \\(x_11: [2]i64) -> {
                  let y_12: [2]i64 = map 2 (x_11) \\(z_13: i64) -> { let v_14: i64 = neg z_13 in v_14 } in y_12
                }
                in d_10";
    assert_eq!(left("([n_0][2]i64)", body), "map 2, replicate 1, slice 3");
    // An element: only that is computed.
    let body = "let b_2: [3]i64 = map 3 (i_9) \\(x_3: i64) -> { let y_4: i64 = mul x_3 x_3 in y_4 } let e_5: i64 = index b_2[2] in e_5";
    assert_eq!(left("(i64)", &format!("let i_9: [3]i64 = iota 3 : i64 {body}")), "");
    // One that might fail stays.
    let body = "let b_2: [3]i64 = map 3 (i_9) \\(x_3: i64) -> {
                  let t_6: bool = lt x_3 2
                  let c_7: cert = assert t_6 \"\"
                  let y_4: i64 = <c_7> mul x_3 x_3
                  in y_4
                }
                let e_5: i64 = index b_2[0]
                in e_5";
    assert_eq!(left("(i64)", &format!("let i_9: [3]i64 = iota 3 : i64 {body}")), "map 1");
}

#[test]
fn nests_are_transposed_and_flattened() {
    let nest =
        "let m_30: [n_0][2]i64 = map n_0 (a_1) \\(x_31: i64) -> { let r_32: [2]i64 = array [x_31, 1] : i64 in r_32 }
                let q_33: [n_0][2]i64 = opaque m_30
                let b_2: [n_0][2]i64 = map n_0 (q_33, a_1) \\(r_3: [2]i64, w_4: i64) -> {
                  let s_5: [2]i64 = map 2 (r_3) \\(x_6: i64) -> { let y_7: i64 = mul x_6 w_4 in y_7 }
                  in s_5
                }";
    let body = format!(
        "{nest} let t_10: [2][n_0]i64 = rearrange (1, 0) b_2
         let s_11: [2]i64 = map 2 (t_10) \\(r_12: [n_0]i64) -> {{ let u_13: i64 = reduce n_0 (r_12) (0) {ADD} in u_13 }}
         in s_11"
    );
    assert_eq!(left("([2]i64)", &body), "map 2, screma 1, rearrange 1");
    let body = format!(
        "{} let k_20: i64 = mul n_0 2
         let f_21: [k_20]i64 = reshape [k_20] b_2
         let u_22: i64 = reduce k_20 (f_21) (0) {ADD}
         in u_22",
        nest.replace("mul x_6 w_4", "mul x_6 x_6")
    );
    assert_eq!(left("(i64)", &body), "map 1, screma 1");
}

#[test]
fn pairs_are_flattened() {
    let body = format!(
        "let i_30: [3]i64 = iota 3 : i64
         let b_2: [n_0][3]i64 = map n_0 (a_1) \\(w_4: i64) -> {{
           let s_5: [3]i64 = map 3 (i_30) \\(x_6: i64) -> {{ let y_7: i64 = mul x_6 w_4 let z_8: i64 = add y_7 x_6 in z_8 }}
           in s_5
         }}
         let k_20: i64 = mul n_0 3
         let f_21: [k_20]i64 = reshape [k_20] b_2
         let u_22: i64 = reduce k_20 (f_21) (0) {ADD}
         in u_22"
    );
    assert_eq!(left("(i64)", &body), "screma 1");
}

#[test]
fn a_map_of_transpositions() {
    let body = "let r_9: [n_0][2][3]i64 = replicate [n_0, 2, 3] 1
                let b_2: [n_0][3][2]i64 = map n_0 (r_9) \\(x_3: [2][3]i64) -> { let y_4: [3][2]i64 = rearrange (1, 0) x_3 in y_4 }
                in b_2";
    assert_eq!(left("([n_0][3][2]i64)", body), "replicate 1, copy 1, rearrange 1");
}

#[test]
fn certificates_of_both_are_kept() {
    let body = "let p_2: bool = lt n_0 100
                let c_3: cert = assert p_2 \"too many\"
                let b_4: [n_0]i64 = <c_3> map n_0 (a_1) \\(x_5: i64) -> { let y_6: i64 = mul x_5 x_5 in y_6 }
                let q_7: bool = lt n_0 50
                let c_8: cert = assert q_7 \"far too many\"
                let d_9: [n_0]i64 = <c_8> map n_0 (b_4) \\(x_10: i64) -> { let y_11: i64 = neg x_10 in y_11 }
                in d_9";
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {{ {body} }}");
    let (after, _) = run(&PASS, &text);
    assert!(after.contains("= <c_3, c_8> map"), "{after}");
}

#[test]
fn what_the_user_said_is_respected() {
    let text = |attrs: [&str; 2]| {
        format!(
            "fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {{
               let b_2: [n_0]i64 = {} map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = mul x_3 x_3 in y_4 }}
               let c_5: [n_0]i64 = {} map n_0 (b_2) \\(x_6: i64) -> {{ let y_7: i64 = neg x_6 in y_7 }}
               in c_5
             }}",
            attrs[0], attrs[1]
        )
    };
    assert_eq!(reasons(&text(["", ""])), [""; 0]);
    assert_eq!(reasons(&text(["#[materialize]", ""])), ["the first is to be materialised"]);
    assert_eq!(reasons(&text(["", "#[materialize]"])), [""; 0]);
    for pin in ["#[core]", "#[unroll]", "#[grid]", "#[simd(8)]"] {
        assert_eq!(reasons(&text([pin, ""])), ["one of them is pinned"], "{pin}");
        assert_eq!(reasons(&text(["", pin])), ["one of them is pinned"], "{pin}");
        assert_eq!(reasons(&text([pin, pin])), ["one of them is pinned"], "{pin}");
    }
    for [one, two] in [["#[opaque]", ""], ["", "#[opaque]"], ["#[opaque]", "#[opaque]"], ["#[unroll]", "#[grid]"]] {
        assert_eq!(reasons(&text([one, two])), ["one of them is pinned"], "{one} {two}");
    }
}

/// What is to run in sequence is fused, and all of it then runs in sequence; but not what others need.
#[test]
fn what_runs_in_sequence_is_fused() {
    let text = |attrs: [&str; 2], results: &str| {
        format!(
            "fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) ([n_0]i64) = {{
               let b_2: [n_0]i64 = {} map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = mul x_3 x_3 in y_4 }}
               let c_5: [n_0]i64 = {} map n_0 (b_2) \\(x_6: i64) -> {{ let y_7: i64 = neg x_6 in y_7 }}
               in {results}
             }}",
            attrs[0], attrs[1]
        )
    };
    let (one, other) = ("#[sequential]", "#[sequential_inner]");
    for (attrs, both) in
        [([one, ""], one), (["", one], one), ([one, one], one), ([one, other], "#[sequential, sequential_inner]")]
    {
        let (after, log) = run(&PASS, &text(attrs, "c_5, c_5"));
        assert!(after.contains(&format!("= {both} map ")), "{after}");
        assert_eq!((log.joins().len(), log.joins().iter().any(|join| join.shared)), (1, false), "{after}");
    }
    let refused = ["an attribute says that one of them is to run in sequence"];
    for attrs in [[one, ""], ["", one], [one, other]] {
        assert_eq!(reasons(&text(attrs, "b_2, c_5")), refused, "{attrs:?}");
    }
    for attrs in [["", ""], [one, one], ["#[sequential, sequential_inner]", "#[sequential_inner, sequential]"]] {
        let (after, log) = run(&PASS, &text(attrs, "b_2, c_5"));
        assert_eq!((log.joins().len(), log.joins().iter().all(|join| join.shared)), (1, true), "{after}");
    }
}

/// What stands side by side is fused only if attributes ask the same of both results.
#[test]
fn places_that_the_user_said_are_respected() {
    let text = |attrs: [&str; 2]| {
        format!(
            "fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) ([n_0]i64) = {{
               let b_2: [n_0]i64 = {} map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = mul x_3 x_3 in y_4 }}
               let c_5: [n_0]i64 = {} map n_0 (a_1) \\(x_6: i64) -> {{ let y_7: i64 = neg x_6 in y_7 }}
               in b_2, c_5
             }}",
            attrs[0], attrs[1]
        )
    };
    let maps = |attrs| run(&PASS, &text(attrs)).0.matches(" map ").count();
    assert_eq!((maps(["", ""]), maps(["#[dest]", "#[dest]"])), (1, 1));
    for attrs in [["#[materialize]", ""], ["", "#[dest]"], ["#[materialize]", "#[dest]"]] {
        assert_eq!(maps(attrs), 2, "{attrs:?}");
    }
}

#[test]
fn scatters_and_histograms_side_by_side() {
    let scatter = |first: &str, second: &str| {
        format!(
            "let e_2: [n_0]i64 = copy a_1
             let f_3: [n_0]i64 = copy a_1
             let c_4: [n_0]i64 = scatter n_0 (a_1) \\(x_5: i64) -> {{ in x_5, 7 }} into (e_2 rank 1)
             let d_6: [n_0]i64 = scatter n_0 ({first}) \\(x_7: i64) -> {{ let y_8: i64 = neg x_7 in x_7, y_8 }} into ({second} rank 1)
             in d_6"
        )
    };
    let both = scatter("a_1", "f_3").replace("in d_6", "in c_4, d_6");
    assert_eq!(left("([n_0]i64) ([n_0]i64)", &both), "scatter 1, copy 2");
    // One after the other into the same array; and rows of what the first makes.
    assert_eq!(left("([n_0]i64)", &scatter("a_1", "c_4")), "scatter 2, copy 2");
    assert_eq!(left("([n_0]i64)", &scatter("c_4", "f_3")), "scatter 2, copy 2");
    // The first reads what the second consumes.
    let body = "let b_2: [n_0]i64 = copy a_1
                let e_3: [n_0]i64 = copy a_1
                let c_4: [n_0]i64 = scatter n_0 (a_1, b_2) \\(x_5: i64, y_9: i64) -> { in x_5, y_9 } into (e_3 rank 1)
                let d_6: [n_0]i64 = scatter n_0 (a_1) \\(x_7: i64) -> { in x_7, x_7 } into (b_2 rank 1)
                in c_4, d_6";
    assert_eq!(left("([n_0]i64) ([n_0]i64)", body), "scatter 2, copy 2");
    let hists = format!(
        "let e_2: [3]i64 = replicate [3] 0
         let f_3: [5]i64 = replicate [5] 1
         let c_4: [3]i64 = hist n_0 (a_1) \\(x_5: i64) -> {{ in x_5, x_5 }} into (e_2) rank 1 (0) {ADD}
         let d_6: [5]i64 = hist n_0 (a_1) \\(x_7: i64) -> {{ in 2, x_7 }} into (f_3) rank 1 (0) {MAX}
         in c_4, d_6"
    );
    assert_eq!(left("([3]i64) ([5]i64)", &hists), "hist 1, replicate 2");
}

#[test]
fn a_few_choices_are_computed_again() {
    let filter = |k: usize| {
        format!(
            "let k_{k}0: i64, c_{k}1: [k_{k}0]i64, d_{k}2: [k_{k}0]i64 = filter n_0 (b_2, a_1) \\(x_{k}3: i64, y_{k}4: i64) -> {{
               let z_{k}5: bool = eq x_{k}3 {k} in z_{k}5
             }}"
        )
    };
    let map = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> {
                 let p_4: bool = lt x_3 4
                 let y_5: i64 = if p_4 then { in 1 } else { in 2 }
                 in y_5
               }";
    let body = format!("{map} {} {} in k_10, d_12, k_20, d_22", filter(1), filter(2));
    let results = "(m_60: i64) ([m_60]i64) (m_61: i64) ([m_61]i64)";
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : {results} = {{ {body} }}");
    let args = vec![Value::from(4i64), Value::from(vec![3i64, 9, 4, 1])];
    let (after, log) = same(&PASS, &text, &[args]);
    assert_eq!(log.counts().get("fuse-map-filter"), Some(&2), "{after}");
}

#[test]
fn a_scan_of_rows_is_a_map_of_scans() {
    let text = |before: &str, op: &str| {
        format!(
            "fun main (n_0: i64) (m_1: i64) (a_2: [n_0][m_1]i64) (e_3: [m_1]i64) : ([n_0][m_1]i64) = {{
               let s_4: [n_0][m_1]i64 = screma n_0 (a_2) map \\(x_5: [m_1]i64) -> {{
                 {before}
                 let r_7: [m_1]i64 = map m_1 (x_5, i_6) \\(y_8: i64, j_9: i64) -> {{ let z_10: i64 = mul y_8 j_9 in z_10 }}
                 in r_7
               }} scan (e_3) \\(x_11: [m_1]i64, y_12: [m_1]i64) -> {{
                 let r_13: [m_1]i64 = map m_1 (y_12, x_11) \\(p_14: i64, q_15: i64) -> {{ {op} in z_16 }}
                 in r_13
               }}
               in s_4
             }}"
        )
    };
    let iota = "let i_6: [m_1]i64 = iota m_1 : i64";
    let (after, log) = run(&PASS, &text(iota, "let z_16: i64 = add q_15 p_14"));
    assert_eq!(count(&log, "fuse-scan-interchange"), 1, "{after}");
    let metrics = Metrics::of(&common::parse(&after));
    assert_eq!((metrics.count("map"), metrics.count("screma"), metrics.count("rearrange")), (1, 1, 2), "{after}");
    let rows = "let b_2: [n_0][n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> {
                  let r_4: [n_0]i64 = map n_0 (a_1) \\(y_5: i64) -> { let z_6: i64 = sub x_3 y_5 in z_6 }
                  in r_4
                }
                let s_7: [n_0][n_0]i64 = scan n_0 (b_2) (a_1) \\(x_8: [n_0]i64, y_9: [n_0]i64) -> {
                  let r_10: [n_0]i64 = map n_0 (x_8, y_9) \\(p_11: i64, q_12: i64) -> { let z_13: i64 = max p_11 q_12 in z_13 }
                  in r_10
                }
                in s_7";
    assert_eq!(left("([n_0][n_0]i64)", rows), "map 1, screma 1, copy 1, rearrange 1");
    // The operator looks at the whole row.
    let (after, log) = run(&PASS, &text(iota, "let v_18: i64 = index x_11[0] let z_16: i64 = add v_18 p_14"));
    assert_eq!(count(&log, "fuse-scan-interchange"), 0, "{after}");
}

#[test]
fn a_map_is_unflattened_for_a_nest() {
    let body = |inner: &str| {
        format!(
            "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = mul x_3 x_3 in y_4 }}
             let v_5: [1][n_0]i64 = reshape [1, n_0] b_2
             let c_6: [1][n_0]i64 = map 1 (v_5) \\(x_7: [n_0]i64) -> {{ {inner} }}
             in c_6"
        )
    };
    let map = "let r_8: [n_0]i64 = map n_0 (x_7) \\(y_9: i64) -> { let z_10: i64 = neg y_9 in z_10 } in r_8";
    assert_eq!(left("([1][n_0]i64)", &body(map)), "map 2");
    // The nest would not meet the other.
    assert_eq!(left("([1][n_0]i64)", &body("let r_8: [n_0]i64 = copy x_7 in r_8")), "map 2, copy 1");
}

#[test]
fn what_prints_stays() {
    let body = "let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> { let y_4: i64 = trace \"t\" x_3 in y_4 }
                let c_5: [n_0]i64 = map n_0 (b_2) \\(x_6: i64) -> { let y_7: i64 = neg x_6 in y_7 }
                in c_5";
    assert_eq!(left("([n_0]i64)", body), "map 2");
}

#[test]
fn long_bodies_and_deep_nests() {
    use std::fmt::Write;
    let mut text = "fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {\n".to_string();
    let count = 5_000;
    for k in 1..=count {
        let (from, x, y) = (if k == 1 { 1 } else { 10 * (k - 1) }, 10 * k + 1, 10 * k + 2);
        let to = 10 * k;
        writeln!(
            text,
            "let a_{to}: [n_0]i64 = map n_0 (a_{from}) \\(x_{x}: i64) -> {{ let y_{y}: i64 = add x_{x} {k} in y_{y} }}"
        )
        .unwrap();
    }
    writeln!(text, "in a_{} }}", 10 * count).unwrap();
    let mut prog = common::parse(&text);
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    assert_eq!(cx.log.used(), count - 1);

    let depth = 500;
    let mut text = "fun main (n_0: i64) (a_1: [n_0]i64) : = {\n".to_string();
    for k in 1..=depth {
        let b = 10 * k;
        writeln!(text, "let () = loop () for i_{b}: i64 < n_0 {{ let b_{}: [n_0]i64 = map n_0 (a_1) \\(x_{}: i64) -> {{ in x_{} }}", b + 1, b + 2, b + 2).unwrap();
    }
    text += &"in }\n".repeat(depth);
    text += "in }";
    let mut prog = common::parse(&text);
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
}

#[test]
fn sources_are_computed_where_they_are_read() {
    let concat = "let m_2: i64 = add n_0 n_0
                  let b_3: [n_0]i64 = #[source] map n_0 (a_1) \\(x_4: i64) -> { let y_5: i64 = mul x_4 x_4 in y_5 }
                  let c_6: [m_2]i64 = #[source] concat m_2 (a_1, b_3)
                  let i_7: [m_2]i64 = iota m_2 : i64
                  let d_8: [m_2]i64 = map m_2 (i_7, c_6) \\(i_9: i64, e_12: i64) -> {
                    let j_10: i64 = sub m_2 i_9
                    let k_13: i64 = sub j_10 1
                    let x_11: i64 = index c_6[k_13]
                    let z_14: i64 = sub x_11 e_12
                    in z_14
                  }";
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : (k_90: i64) ([k_90]i64) = {{ {concat} in m_2, d_8 }}");
    let args = vec![Value::from(3i64), Value::from(vec![3i64, 4, 5])];
    let (after, log) = same(&PASS, &text, std::slice::from_ref(&args));
    assert_eq!(log.counts().get("source-input"), Some(&1), "{after}");
    assert_eq!(log.counts().get("source-index"), Some(&4), "{after}");
    assert!(log.decisions().iter().all(|d| d.what != "source refused"), "{after}");

    let branch = "let t_2: bool = lt n_0 3
                  let b_3: [n_0]i64 = #[source] if t_2 then {
                    let c_4: [n_0]i64 = map n_0 (a_1) \\(x_5: i64) -> { let y_6: i64 = neg x_5 in y_6 }
                    in c_4
                  } else { in a_1 }
                  let d_7: [n_0]i64 = map n_0 (b_3) \\(x_8: i64) -> { let y_9: i64 = add x_8 1 in y_9 }";
    let text = format!("fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {{ {branch} in d_7 }}");
    let (after, log) = same(&PASS, &text, &[args, vec![Value::from(2i64), Value::from(vec![1i64, 2])]]);
    assert_eq!(log.counts().get("source-index"), Some(&1), "{after}");
}

#[test]
fn sources_that_are_needed_as_a_whole() {
    let text = "fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) = {
                  let b_3: [n_0]i64 = #[source] map n_0 (a_1) \\(x_4: i64) -> { let y_5: i64 = mul x_4 x_4 in y_5 }
                  in b_3
                }";
    assert_eq!(reasons(text), ["the array is needed as a whole"]);
}

#[test]
fn sources_that_print_are_made() {
    for print in ["trace \"x\" x_4", "opaque x_4", "call f (x_4)"] {
        let text = format!(
            "fun f (x_20: i64) : (i64) = {{ let y_21: i64 = trace \"f\" x_20 in y_21 }}
             fun main (n_0: i64) (a_1: [n_0]i64) : (i64) = {{
               let b_3: [n_0]i64 = #[source] map n_0 (a_1) \\(x_4: i64) -> {{ let y_5: i64 = {print} in y_5 }}
               let z_6: i64 = index b_3[0]
               in z_6
             }}"
        );
        let refused = reasons(&text);
        let expected = if print.starts_with("call") {
            "the elements that are not read might fail"
        } else {
            "its elements are printed or opaque"
        };
        assert!(refused.iter().any(|reason| reason == expected), "{print}: {refused:?}");
    }
}

#[test]
fn what_a_called_function_prints_stays_in_its_order() {
    let maps = |f: &str| {
        format!(
            "fun f (x_20: i64) : (i64) = {{ {f} in y_21 }}
             fun main (n_0: i64) (a_1: [n_0]i64) : ([n_0]i64) (i64) = {{
               let b_2: [n_0]i64 = map n_0 (a_1) \\(x_3: i64) -> {{ let y_4: i64 = call f (x_3) in y_4 }}
               let t_5: i64 = trace \"between\" n_0
               let c_6: [n_0]i64 = map n_0 (b_2) \\(x_7: i64) -> {{ let y_8: i64 = mul x_7 3 in y_8 }}
               in c_6, t_5
             }}"
        )
    };
    let fused = |f: &str| count(&run(&PASS, &maps(f)).1, "fuse-map-map");
    assert_eq!((fused("let y_21: i64 = trace \"f\" x_20"), fused("let y_21: i64 = add x_20 1")), (0, 1));
}
