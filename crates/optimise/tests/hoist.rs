//! What the pass `hoist` does and does not do.

mod common;

use common::{before, count, run, same};
use kenaz_ir::{DecisionKind, PassCx, Scalar};
use kenaz_optimise::hoist::PASS;
use kenaz_runtime::Value;

fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

fn ints(xs: &[i64]) -> Value {
    Value::vector(xs.to_vec())
}

/// Inputs for `main n k m a b`, where `a` has `n` elements and `b` has `m`.
fn inputs() -> Vec<Vec<Value>> {
    let mut inputs = Vec::new();
    for n in 0..4 {
        for k in -1..4 {
            for m in 0..4 {
                let a: Vec<i64> = (0..n).map(|i| i * 3 - 2).collect();
                let b: Vec<i64> = (0..m).map(|i| 10 * i).collect();
                inputs.push(vec![i64(n), i64(k), i64(m), ints(&a), ints(&b)]);
            }
        }
    }
    inputs
}

/// A program whose function has these inputs.
fn main(body: &str) -> String {
    format!("fun main (n_1: i64) (k_2: i64) (m_3: i64) (a_4: [n_1]i64) (b_5: [m_3]i64) : ([n_1]i64) = {{\n{body}\n}}")
}

/// Checks that the meaning stays for all these inputs; gives the program afterwards.
fn hoisted(body: &str) -> (String, kenaz_ir::Log) {
    same(&PASS, &main(body), &inputs())
}

#[test]
fn scalars_leave_lambdas_and_loops() {
    let (after, log) = hoisted(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let s_12: i64 = loop (t_13: i64 = x_11) for i_14: i64 < k_2 {
              let u_15: i64 = mul k_2 7
              let v_16: i64 = add x_11 u_15
              let w_17: i64 = add t_13 v_16
              in w_17
            }
            in s_12
          }
          in r_10",
    );
    assert_eq!(count(&log, "hoist-scalar"), 2);
    assert!(before(&after, "let u_15", "let r_10"), "{after}");
    assert!(before(&after, "let r_10", "let v_16") && before(&after, "let v_16", "let s_12"), "{after}");
}

#[test]
fn operators_leave_lambdas_with_what_they_need() {
    let (after, log) = hoisted(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let i_12: [m_3]i64 = iota m_3 : i64
            let s_13: i64 = reduce m_3 (i_12) (0) \(p_14: i64, q_15: i64) -> { let o_16: i64 = add p_14 q_15 in o_16 }
            let t_17: i64 = add x_11 s_13
            in t_17
          }
          in r_10",
    );
    assert_eq!(count(&log, "hoist-operator"), 1);
    assert!(before(&after, "let i_12", "let s_13") && before(&after, "let s_13", "let r_10"), "{after}");
}

#[test]
fn operators_that_can_go_wrong_leave_under_a_condition() {
    let (after, log) = hoisted(
        r"let e_6: bool = le k_2 m_3
          let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let s_12: [m_3]i64, h_13: i64 = loop (t_14: [m_3]i64 = b_5, u_15: i64 = 0) for i_16: i64 < m_3 {
              let y_17: i64 = index b_5[i_16]
              let z_18: i64 = add u_15 y_17
              in t_14, z_18
            }
            let w_19: i64 = add x_11 h_13
            in w_19
          }
          in r_10",
    );
    assert_eq!(count(&log, "hoist-guarded"), 1);
    assert!(before(&after, "let s_12", "let r_10"), "{after}");
}

#[test]
fn checks_alone_leave_under_a_condition() {
    let (_, log) = hoisted(
        r#"let () = map n_1 () \() -> {
            let () = loop () for i_10: i64 < m_3 {
              let r_11: i64 = index b_5[i_10]
              let q_12: bool = lt r_11 20
              let c_13: cert = assert q_12 "too large"
              in
            }
            in
          }
          in a_4"#,
    );
    assert_eq!(count(&log, "hoist-guarded"), 1);
}

#[test]
fn an_iota_stays_with_its_user() {
    let (_, log) = hoisted(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let i_12: [m_3]i64 = iota m_3 : i64
            let s_13: i64 = reduce m_3 (i_12) (0) \(p_14: i64, q_15: i64) -> {
              let o_16: i64 = add p_14 q_15
              let u_17: i64 = add o_16 x_11
              in u_17
            }
            in s_13
          }
          in r_10",
    );
    assert_eq!(log.used(), 0);
}

#[test]
fn arrays_of_unknown_size_stay_where_they_may_not_be_made() {
    // The size is not negative only if there is an iteration.
    let (after, _) = hoisted(
        r"let l_9: i64 = sub n_1 1
          let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let i_12: [l_9]i64 = iota l_9 : i64
            let s_13: i64 = reduce l_9 (i_12) (0) \(p_14: i64, q_15: i64) -> { let o_16: i64 = add p_14 q_15 in o_16 }
            let t_17: i64 = add x_11 s_13
            in t_17
          }
          in r_10",
    );
    assert!(before(&after, "let r_10", "let s_13"), "{after}");
}

#[test]
fn a_check_of_no_iteration_passes() {
    let (after, log) = hoisted(
        r#"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
             let p_12: bool = le 0 k_2
             let q_13: bool = lt k_2 m_3
             let o_14: bool = and p_12 q_13
             let c_15: cert = assert o_14 "Index [{k_2}] out of bounds."
             let y_16: i64 = <c_15> index b_5[k_2]
             let z_17: i64 = add x_11 y_16
             in z_17
           }
           in r_10"#,
    );
    assert_eq!(count(&log, "hoist-check"), 1);
    assert!(before(&after, "let c_15", "let r_10"), "{after}");
    // Without an iteration it would go wrong.
    assert!(before(&after, "let r_10", "let y_16"), "{after}");
}

#[test]
fn what_can_go_wrong_leaves_what_runs() {
    let (after, _) = hoisted(
        r#"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
             let s_12: i64 = loop (t_13: i64 = 0) for i_14: i64 < n_1 {
               let p_15: bool = le 0 k_2
               let q_16: bool = lt k_2 m_3
               let o_17: bool = and p_15 q_16
               let c_18: cert = assert o_17 "bad"
               let y_19: i64 = <c_18> index b_5[k_2]
               let z_20: i64 = add t_13 y_19
               in z_20
             }
             in s_12
           }
           in r_10"#,
    );
    assert!(before(&after, "let c_18", "let r_10"), "{after}");
    assert!(before(&after, "let r_10", "let y_19") && before(&after, "let y_19", "let s_12"), "{after}");
}

#[test]
fn nothing_that_can_go_wrong_passes_a_check() {
    let (after, _) = hoisted(
        r#"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
             let s_12: i64 = loop (t_13: i64 = 0) for i_14: i64 < n_1 {
               let q_16: bool = lt t_13 1000
               let o_17: bool = lt k_2 m_3
               let p_18: bool = le 0 k_2
               let e_19: bool = and o_17 p_18
               let f_20: bool = and e_19 q_16
               let c_21: cert = assert f_20 "bad"
               let y_22: i64 = index b_5[k_2]
               let z_23: i64 = add t_13 y_22
               in z_23
             }
             in s_12
           }
           in r_10"#,
    );
    assert!(before(&after, "let c_21", "let y_22"), "{after}");
}

#[test]
fn checks_leave_branches_on_the_way_out_of_a_lambda() {
    let (after, log) = hoisted(
        r#"let d_9: bool = lt k_2 2
           let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
             let y_12: i64 = if d_9 then {
               let q_13: bool = lt k_2 m_3
               let c_14: cert = assert q_13 "bad"
               let z_15: i64 = <c_14> add x_11 1
               in z_15
             } else {
               let q_16: bool = lt k_2 n_1
               let c_17: cert = assert q_16 "bad"
               let z_18: i64 = <c_17> add x_11 2
               in z_18
             }
             in y_12
           }
           in r_10"#,
    );
    assert_eq!(count(&log, "hoist-check"), 2);
    assert!(before(&after, "let c_14", "let r_10") && before(&after, "let c_17", "let r_10"), "{after}");
}

#[test]
fn checks_stay_in_branches_of_straight_code_and_under_varying_conditions() {
    let (_, log) = hoisted(
        r#"let d_9: bool = lt k_2 2
           let y_12: i64 = if d_9 then {
             let q_13: bool = lt k_2 m_3
             let c_14: cert = assert q_13 "bad"
             let z_15: i64 = <c_14> add k_2 1
             in z_15
           } else { in k_2 }
           let r_16: [n_1]i64 = map n_1 (a_4) \(x_17: i64) -> {
             let d_18: bool = lt x_17 k_2
             let y_19: i64 = if d_18 then {
               let q_20: bool = lt x_17 m_3
               let c_21: cert = assert q_20 "bad"
               let z_22: i64 = <c_21> add x_17 1
               in z_22
             } else { in x_17 }
             in y_19
           }
           in r_16"#,
    );
    assert_eq!((count(&log, "hoist-check"), count(&log, "hoist-index-check")), (0, 0));
    assert!(log.decisions().iter().any(|d| d.kind == DecisionKind::CheckStaysInside));
}

#[test]
fn checks_leave_while_loops() {
    let (after, log) = hoisted(
        r#"let g_9: bool = lt 0 k_2
           let w_10: bool, i_11: i64 = loop (w_12: bool = g_9, i_13: i64 = 0) while w_12 {
             let q_14: bool = lt k_2 m_3
             let c_15: cert = assert q_14 "bad"
             let j_16: i64 = <c_15> add i_13 1
             let h_17: bool = lt j_16 k_2
             in h_17, j_16
           }
           let r_18: [n_1]i64 = replicate [n_1] i_11
           in r_18"#,
    );
    assert_eq!(count(&log, "hoist-check"), 1);
    assert!(before(&after, "let c_15", "let w_10"), "{after}");
}

#[test]
fn checks_of_indices_are_made_for_the_first_and_last() {
    let (after, log) = hoisted(
        r#"let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < n_1 {
             let j_12: i64 = add i_11 k_2
             let p_13: bool = le 0 j_12
             let q_14: bool = lt j_12 m_3
             let o_15: bool = and p_13 q_14
             let c_16: cert = assert o_15 "Index [{j_12}] out of bounds for array of shape [{m_3}]."
             let y_17: i64 = <c_16> index b_5[j_12]
             let z_18: i64 = add t_10 y_17
             in z_18
           }
           let r_19: [n_1]i64 = replicate [n_1] s_9
           in r_19"#,
    );
    assert_eq!(count(&log, "hoist-index-check"), 1);
    assert!(before(&after, "let c_16", "let s_9"), "{after}");
}

#[test]
fn checks_of_two_indices_leave_both_levels() {
    let (after, log) = hoisted(
        r#"let i_9: [n_1]i64 = iota n_1 : i64
           let r_10: [n_1]i64 = map n_1 (i_9) \(x_11: i64) -> {
             let s_12: i64 = loop (t_13: i64 = 0) for j_14: i64 < k_2 {
               let j_15: i64 = sub j_14 x_11
               let p_16: bool = ge j_15 0
               let q_17: bool = gt m_3 j_15
               let o_18: bool = and p_16 q_17
               let c_19: cert = assert o_18 "Index [{j_15}] out of bounds."
               let y_20: i64 = <c_19> index b_5[j_15]
               let z_21: i64 = add t_13 y_20
               in z_21
             }
             in s_12
           }
           in r_10"#,
    );
    assert_eq!(count(&log, "hoist-index-check"), 2);
    assert!(before(&after, "let c_19", "let r_10"), "{after}");
}

#[test]
fn checks_of_indices_leave_branches_that_are_taken_always_or_never() {
    let (after, log) = hoisted(
        r#"let d_6: bool = lt m_3 3
           let l_7: i32 = conv i32 k_2
           let s_9: i64 = loop (t_10: i64 = 0) for i_11: i32 < l_7 {
             let u_12: i64 = if d_6 then {
               let j_13: i64 = conv i64 i_11
               let h_14: i64 = add j_13 1
               let p_15: bool = le 0 h_14
               let q_16: bool = lt h_14 n_1
               let o_17: bool = and p_15 q_16
               let c_18: cert = assert o_17 "Index [{h_14}] out of bounds for array of shape [{n_1}]."
               let y_19: i64 = <c_18> index a_4[h_14]
               in y_19
             } else { in 3 }
             let z_20: i64 = add t_10 u_12
             in z_20
           }
           let r_21: [n_1]i64 = replicate [n_1] s_9
           in r_21"#,
    );
    assert_eq!(count(&log, "hoist-index-check"), 1);
    assert!(before(&after, "let c_18", "let s_9"), "{after}");
}

#[test]
fn products_of_indices_are_checked_inside() {
    let (_, log) = hoisted(
        r#"let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < n_1 {
             let j_12: i64 = mul i_11 k_2
             let p_13: bool = le 0 j_12
             let q_14: bool = lt j_12 m_3
             let o_15: bool = and p_13 q_14
             let c_16: cert = assert o_15 "Index [{j_12}] out of bounds."
             let y_17: i64 = <c_16> index b_5[j_12]
             let z_18: i64 = add t_10 y_17
             in z_18
           }
           let r_19: [n_1]i64 = replicate [n_1] s_9
           in r_19"#,
    );
    assert_eq!(log.used(), 0);
}

#[test]
fn sums_that_may_wrap_around_are_checked_inside() {
    // There is no lower bound to tell.
    let (_, log) = run(
        &PASS,
        &main(
            r#"let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < n_1 {
                 let j_12: i64 = add i_11 k_2
                 let q_14: bool = lt j_12 m_3
                 let c_16: cert = assert q_14 "bad"
                 let z_18: i64 = <c_16> add t_10 1
                 in z_18
               }
               let r_19: [n_1]i64 = replicate [n_1] s_9
               in r_19"#,
        ),
    );
    assert_eq!(count(&log, "hoist-index-check"), 0);
}

#[test]
fn indices_are_in_bounds_of_what_they_go_through() {
    let (after, log) = hoisted(
        r#"let i_9: [n_1]i64 = iota n_1 : i64
           let r_10: [n_1]i64 = map n_1 (i_9) \(x_11: i64) -> {
             let d_12: bool = lt x_11 k_2
             let y_13: i64 = if d_12 then {
               let p_16: bool = le 0 x_11
               let q_17: bool = lt x_11 n_1
               let o_18: bool = and p_16 q_17
               let c_19: cert = assert o_18 "Index [{x_11}] out of bounds."
               let y_20: i64 = <c_19> index a_4[x_11]
               in y_20
             } else { in 0 }
             in y_13
           }
           in r_10"#,
    );
    assert_eq!(count(&log, "prove-check"), 1);
    assert!(after.contains("assert true"), "{after}");
}

#[test]
fn what_is_known_in_a_branch_proves_checks() {
    let (after, log) = hoisted(
        r#"let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < n_1 {
             let z_12: bool = eq i_11 0
             let y_13: i64 = if z_12 then { in t_10 } else {
               let j_14: i64 = sub i_11 1
               let p_15: bool = le 0 j_14
               let q_16: bool = lt j_14 n_1
               let o_17: bool = and p_15 q_16
               let c_18: cert = assert o_17 "Index [{j_14}] out of bounds."
               let y_19: i64 = <c_18> index a_4[j_14]
               in y_19
             }
             in y_13
           }
           let r_20: [n_1]i64 = replicate [n_1] s_9
           in r_20"#,
    );
    assert_eq!(count(&log, "prove-check"), 1);
    assert!(before(&after, "let c_18", "let s_9"), "{after}");
}

#[test]
fn shortest_paths_are_checked_in_constant_time() {
    let text = r#"
fun main (n_1: i64) (m_2: i64) (e_3: [n_1][m_2]i64) : ([n_1][m_2]i64) = {
  let d_4: [n_1][m_2]i64 = loop (d_5: [n_1][m_2]i64 = e_3) for k_6: i64 < n_1 {
    let i_7: [n_1]i64 = iota n_1 : i64
    let r_8: [n_1][m_2]i64 = map n_1 (i_7) \(x_9: i64) -> {
      let j_10: [m_2]i64 = iota m_2 : i64
      let s_11: [m_2]i64 = map m_2 (j_10) \(y_12: i64) -> {
        let a_13: i64 = index d_5[x_9, y_12]
        let p_14: bool = le 0 k_6
        let q_15: bool = lt k_6 m_2
        let o_16: bool = and p_14 q_15
        let c_17: cert = assert o_16 "Index [{x_9}, {k_6}] out of bounds for array of shape [{n_1}][{m_2}]."
        let b_18: i64 = <c_17> index d_5[x_9, k_6]
        let p_19: bool = le 0 k_6
        let q_20: bool = lt k_6 n_1
        let o_21: bool = and p_19 q_20
        let c_22: cert = assert o_21 "Index [{k_6}, {y_12}] out of bounds for array of shape [{n_1}][{m_2}]."
        let e_23: i64 = <c_22> index d_5[k_6, y_12]
        let f_24: i64 = add b_18 e_23
        let g_25: i64 = min a_13 f_24
        in g_25
      }
      in s_11
    }
    in r_8
  }
  in d_4
}"#;
    let input = |n: usize, m: usize| {
        let elements: Vec<i64> = (0..n * m).map(|i| (i * 7 % 5) as i64).collect();
        let data = ints(&elements).into_parts().1;
        vec![i64(n as i64), i64(m as i64), Value::new(vec![n, m], data)]
    };
    let inputs = [input(3, 3), input(0, 0), input(0, 2), input(2, 0), input(3, 2), input(2, 3)];
    let (after, _) = same(&PASS, text, &inputs);
    let metrics = kenaz_ir::metrics::Metrics::of(&common::parse(&after));
    assert_eq!((metrics.count("assert"), metrics.count_at("assert", 0)), (2, 2), "{after}");
}

#[test]
fn what_is_consumed_pinned_or_printed_stays() {
    let (_, log) = hoisted(
        r#"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
             let b_12: [m_3]i64 = copy b_5
             let l_13: bool = lt 0 m_3
             let y_14: [m_3]i64 = if l_13 then {
               let c_15: [m_3]i64 = update b_12[0] = x_11
               in c_15
             } else { in b_12 }
             let s_16: i64 = reduce m_3 (y_14) (0) \(p_17: i64, q_18: i64) -> { let o_19: i64 = add p_17 q_18 in o_19 }
             let t_20: i64 = trace "k" k_2
             let u_21: i64 = #[grid] reduce m_3 (b_5) (0) \(p_22: i64, q_23: i64) -> {
               let o_24: i64 = add p_22 q_23
               in o_24
             }
             let v_25: i64 = opaque k_2
             let w_26: i64 = add u_21 s_16
             in w_26
           }
           in r_10"#,
    );
    assert_eq!((log.used(), count(&log, "hoist-scalar")), (1, 1));
}

#[test]
fn what_runs_in_sequence_is_moved_as_it_is() {
    let (after, log) = hoisted(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {
            let u_21: i64 = #[sequential] reduce m_3 (b_5) (0) \(p_22: i64, q_23: i64) -> {
              let o_24: i64 = add p_22 q_23
              in o_24
            }
            let w_26: i64 = add u_21 x_11
            in w_26
          }
          in r_10",
    );
    assert_eq!(count(&log, "hoist-operator"), 1);
    assert!(after.contains("#[sequential] reduce"), "{after}");
}

#[test]
fn arrays_that_are_consumed_elsewhere_are_read_where_they_were() {
    let (_, log) = hoisted(
        r"let b_9: [m_3]i64 = copy b_5
          let z_10: bool = lt 0 m_3
          let r_11: [n_1]i64 = map n_1 (a_4) \(x_12: i64) -> {
            let s_13: i64 = reduce m_3 (b_9) (0) \(p_14: i64, q_15: i64) -> { let o_16: i64 = add p_14 q_15 in o_16 }
            in s_13
          }
          let b_17: [m_3]i64 = if z_10 then { let b_18: [m_3]i64 = update b_9[0] = 5 in b_18 } else { in b_9 }
          in r_11",
    );
    assert_eq!(count(&log, "hoist-operator"), 0);
}

#[test]
fn a_copy_for_each_row_is_not_made_twice() {
    let text = r"
fun main (n_1: i64) (m_2: i64) (a_3: [n_1]i64) (b_4: [m_2]i64) : ([n_1][m_2]i64) = {
  let r_5: [n_1][m_2]i64 = map n_1 (a_3) \(x_6: i64) -> { let c_7: [m_2]i64 = copy b_4 in c_7 }
  in r_5
}";
    assert_eq!(run(&PASS, text).1.used(), 0);
}

#[test]
fn what_one_branch_needs_goes_there() {
    let (after, log) = hoisted(
        r"let d_9: bool = lt k_2 2
          let l_10: [m_3]i64 = copy b_5
          let s_11: i64 = reduce m_3 (l_10) (0) \(p_12: i64, q_13: i64) -> { let o_14: i64 = add p_12 q_13 in o_14 }
          let t_15: i64 = mul s_11 2
          let u_16: i64 = add k_2 1
          let y_17: i64 = if d_9 then { let v_18: i64 = add t_15 u_16 in v_18 } else { in u_16 }
          let r_19: [n_1]i64 = replicate [n_1] y_17
          in r_19",
    );
    assert_eq!(count(&log, "sink-into-branch"), 3);
    assert!(before(&after, "let y_17", "let l_10") && before(&after, "let u_16", "let y_17"), "{after}");
}

#[test]
fn checks_and_what_is_used_in_loops_do_not_go_into_branches() {
    let (_, log) = hoisted(
        r#"let d_9: bool = lt k_2 2
           let s_11: i64 = reduce m_3 (b_5) (0) \(p_12: i64, q_13: i64) -> {
             let o_14: i64 = add p_12 q_13
             let h_15: bool = lt o_14 25
             let c_16: cert = assert h_15 "too large"
             in o_14
           }
           let y_17: i64 = if d_9 then { let v_18: i64 = add s_11 1 in v_18 } else { in 3 }
           let f_20: bool = lt m_3 3
           let c_21: cert = assert f_20 "long"
           let z_22: i64 = mul y_17 3
           let w_23: i64 = if d_9 then { let v_24: i64 = <c_21> add y_17 1 in v_24 } else { in 3 }
           let r_19: [n_1]i64 = map n_1 (a_4) \(x_25: i64) -> {
             let e_26: bool = lt x_25 k_2
             let g_27: i64 = if e_26 then { in z_22 } else { in w_23 }
             in g_27
           }
           in r_19"#,
    );
    assert_eq!(count(&log, "sink-into-branch"), 0);
}

#[test]
fn long_and_deep_programs_are_quick() {
    let mut text = String::from("fun main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {\n");
    text += "let r_3: [n_1]i64 = map n_1 (a_2) \\(x_4: i64) -> {\n";
    for i in 0..10_000 {
        let n = 10 + 4 * i;
        text += &format!("let i_{n}: i64 = add n_1 {i}\nlet y_{}: i64 = add x_4 i_{n}\n", n + 1);
        text += &format!("let q_{}: bool = lt y_{} {i}\n", n + 2, n + 1);
        text += &format!("let c_{}: cert = assert q_{} \"bad\"\n", n + 3, n + 2);
    }
    text += "in x_4 }\nin r_3\n}\n";
    let mut prog = common::parse(&text);
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    assert_eq!(count(&cx.log, "hoist-scalar"), 10_000);

    let mut text = String::from("fun main (n_1: i64) (k_2: i64) : (i64) = {\n");
    for i in 0..500 {
        let n = 10 + 10 * i;
        text += &format!("let m_{}: i64 = add k_2 {i}\n", n + 9);
        text += &format!("let r_{n}: i64 = loop (s_{}: i64 = n_1) for i_{}: i64 < m_{} {{\n", n + 1, n + 2, n + 9);
        text += &format!("let t_{}: i64 = add n_1 {i}\nlet q_{}: bool = lt t_{} k_2\n", n + 3, n + 4, n + 3);
        text += &format!("let c_{}: cert = assert q_{} \"bad\"\n", n + 5, n + 4);
        text += &format!("let b_{}: bool = lt s_{} k_2\n", n + 6, n + 1);
    }
    for i in (0..500).rev() {
        let n = 10 + 10 * i;
        let inner = if i == 499 { n + 1 } else { n + 10 };
        let base = if i == 499 { 's' } else { 'r' };
        text += &format!("in {base}_{inner}\n}}\n");
    }
    text += "in r_10\n}\n";
    let mut prog = common::parse(&text);
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    assert_eq!(count(&cx.log, "hoist-check"), 500);
}

/// A loop over the rows of `b`, of which it reads those at a square.
const SQUARES: &str = r#"loop (t_13: i64 = x_11) for i_14: i64 < m_3 {
              let q_15: i64 = mul i_14 i_14
              let e_16: bool = lt q_15 m_3
              let c_17: cert = assert e_16 "Index {q_15} of {m_3}."
              let y_18: i64 = <c_17> index b_5[q_15]
              let u_19: i64 = add t_13 y_18
              in u_19
            }"#;

#[test]
fn a_check_of_the_index_alone_is_made_for_all_of_them_once() {
    let (after, log) = hoisted(&format!(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {{
            let s_12: i64 = {SQUARES}
            in s_12
          }}
          in r_10"
    ));
    assert_eq!(count(&log, "hoist-check-loop"), 1, "{after}");
    assert!(before(&after, "let ok_", "let c_17") && before(&after, "let c_17", "let r_10"), "{after}");
    // The message is about the first index that fails, not about the last.
    assert!(after.contains("add worst_"), "{after}");
}

#[test]
fn a_check_that_would_not_be_made_less_often_stays() {
    let (after, log) = hoisted(&format!(
        r"let x_11: i64 = add k_2 1
          let s_12: i64 = {SQUARES}
          let r_10: [n_1]i64 = replicate [n_1] s_12
          in r_10"
    ));
    assert_eq!(count(&log, "hoist-check-loop"), 0, "{after}");
    // What may not be reached is not computed in front.
    let (after, log) = hoisted(&format!(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {{
            let b_20: bool = lt x_11 0
            let r_21: i64 = if b_20 then {{
              let s_12: i64 = {SQUARES}
              in s_12
            }} else {{ in x_11 }}
            in r_21
          }}
          in r_10"
    ));
    assert_eq!(count(&log, "hoist-check-loop"), 0, "{after}");
    // It depends on the row, too.
    let (after, log) = hoisted(&format!(
        r"let r_10: [n_1]i64 = map n_1 (a_4) \(x_11: i64) -> {{
            let s_12: i64 = {}
            in s_12
          }}
          in r_10",
        SQUARES.replace("mul i_14 i_14", "max i_14 x_11")
    ));
    assert_eq!(count(&log, "hoist-check-loop"), 0, "{after}");
}

#[test]
fn divisions_by_constants_leave_branches_and_loops_that_may_not_run() {
    let body = |divisor: &str| {
        format!(
            r"let c_10: i32 = conv i32 k_2
              let r_11: [n_1]i64 = map n_1 (a_4) \(x_12: i64) -> {{
                let q_13: i32 = div c_10 {divisor}
                let y_14: i64 = conv i64 q_13
                let z_15: i64 = add x_12 y_14
                in z_15
              }}
              in r_11"
        )
    };
    for divisor in ["2i32", "-1i32"] {
        let (after, _) = hoisted(&body(divisor));
        assert!(before(&after, "let q_13", "let r_11"), "{after}");
    }
    let (after, _) = hoisted(&body("c_10"));
    assert!(before(&after, "let r_11", "let q_13"), "{after}");
}
