//! What the pass `in-place` does and does not do.

mod common;

use common::{count, same};
use kenaz_ir::{DecisionKind, Log, PassCx, Scalar};
use kenaz_optimise::in_place::PASS;
use kenaz_runtime::Value;

fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

/// Runs the pass on a function `main` of an `i64`, whatever the fuel, and compares the results.
fn on(text: &str) -> (String, Log) {
    same(&PASS, text, &[vec![i64(0)], vec![i64(1)], vec![i64(5)]])
}

fn copies(text: &str) -> usize {
    text.matches("= copy ").count() + text.matches("> copy ").count()
}

/// Why copies stay.
fn reasons(log: &Log) -> Vec<&str> {
    assert!(log.decisions().iter().all(|d| d.kind == DecisionKind::CopyStays));
    log.decisions().iter().map(|d| &d.reason[..]).collect()
}

/// A `main` that makes an array `a_2`, and yields what the statements call `z_9`.
fn main_with(statements: &str) -> String {
    format!(
        "fun main (n_1: i64) : (i64) (i64) = {{
           let k_0: i64 = add n_1 3
           let a_2: [k_0]i64 = iota k_0 : i64
           {statements}
           let s_900: i64 = reduce k_0 (z_9) (0) \\(x_901: i64, y_902: i64) -> {{ let t_903: i64 = add x_901 y_902 in t_903 }}
           let s_910: i64 = index z_9[0]
           in s_900, s_910
         }}"
    )
}

#[test]
fn a_copy_of_an_array_that_is_not_used_any_more() {
    let (after, log) = on(&main_with(
        "let b_3: [k_0]i64 = copy a_2
         let z_9: [k_0]i64 = update b_3[0] = 7",
    ));
    assert!(copies(&after) == 0 && after.contains("let b_3: [k_0]i64 = a_2"), "{after}");
    assert_eq!((count(&log, "copy-of-dead"), log.decisions().len()), (1, 0));
}

#[test]
fn a_copy_of_an_array_that_is_used_later_stays() {
    let (after, log) = on(&main_with(
        "let b_3: [k_0]i64 = copy a_2
         let c_4: [k_0]i64 = update b_3[0] = 7
         let x_5: i64 = index a_2[0]
         let z_9: [k_0]i64 = update c_4[1] = x_5",
    ));
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` is used later by `x_5`"]));
}

#[test]
fn a_view_that_is_used_later_counts() {
    let (after, log) = on(&main_with(
        "let v_3: [k_0]i64 = slice a_2[0 :+ k_0 * 1]
         let b_4: [k_0]i64 = copy a_2
         let c_5: [k_0]i64 = update b_4[0] = 7
         let x_6: i64 = index v_3[0]
         let z_9: [k_0]i64 = update c_5[1] = x_6",
    ));
    assert_eq!(copies(&after), 1);
    assert_eq!(reasons(&log), ["`v_3`, which `a_2` may alias, is used later by `x_6`"]);
}

#[test]
fn a_copy_of_a_view_is_not_needed_if_the_array_is_not() {
    let (after, _) = on(&main_with(
        "let v_3: [k_0]i64 = slice a_2[0 :+ k_0 * 1]
         let b_4: [k_0]i64 = copy v_3
         let z_9: [k_0]i64 = update b_4[0] = 7",
    ));
    assert_eq!(copies(&after), 0);
    let (after, _) = on(&main_with(
        "let v_3: [k_0]i64 = slice a_2[0 :+ k_0 * 1]
         let b_4: [k_0]i64 = copy v_3
         let c_5: [k_0]i64 = update b_4[0] = 7
         let z_9: [k_0]i64 = map k_0 (c_5, a_2) \\(x_6: i64, y_7: i64) -> { let t_8: i64 = sub x_6 y_7 in t_8 }",
    ));
    assert_eq!(copies(&after), 1);
}

#[test]
fn of_two_copies_the_last_goes() {
    let (after, log) = on(&main_with(
        "let b_3: [k_0]i64 = copy a_2
         let c_4: [k_0]i64 = update b_3[0] = 7
         let d_5: [k_0]i64 = copy a_2
         let e_6: [k_0]i64 = update d_5[0] = 8
         let x_7: i64 = index c_4[0]
         let z_9: [k_0]i64 = update e_6[1] = x_7",
    ));
    assert!(copies(&after) == 1 && after.contains("let b_3: [k_0]i64 = copy a_2"), "{after}");
    assert_eq!(reasons(&log), ["`a_2` is used later by `d_5`"]);
}

#[test]
fn a_chain_of_copies_goes() {
    let (after, log) = on(&main_with(
        "let b_3: [k_0]i64 = copy a_2
         let c_4: [k_0]i64 = copy b_3
         let d_5: [k_0]i64 = copy c_4
         let z_9: [k_0]i64 = update d_5[0] = 8",
    ));
    assert_eq!((copies(&after), count(&log, "copy-of-dead")), (0, 3));
}

#[test]
fn certificates_stay_and_attributes_keep_copies() {
    let (after, _) = on(&main_with(
        "let q_3: bool = lt 0 k_0
         let c_4: cert = assert q_3 \"empty\"
         let b_5: [k_0]i64 = <c_4> copy a_2
         let d_6: [k_0]i64 = update b_5[0] = 7
         let e_7: [k_0]i64 = #[materialize] copy d_6
         let z_9: [k_0]i64 = update e_7[1] = 7",
    ));
    assert!(after.contains("= <c_4> a_2") && after.contains("#[materialize] copy"), "{after}");
}

#[test]
fn branches_run_once() {
    let (after, log) = on(&main_with(
        "let q_3: bool = lt n_1 2
         let z_9: [k_0]i64 = if q_3 then {
           let b_4: [k_0]i64 = copy a_2
           let c_5: [k_0]i64 = update b_4[0] = 7
           in c_5
         } else { in a_2 }",
    ));
    assert_eq!((copies(&after), count(&log, "copy-of-dead")), (0, 1));
    let (after, log) = on(&main_with(
        "let m_3: [k_0]i64 = match n_1 case 0 {
           let b_4: [k_0]i64 = copy a_2
           let c_5: [k_0]i64 = update b_4[0] = 7
           in c_5
         } case 1 { in a_2 } else {
           let b_6: [k_0]i64 = copy a_2
           let c_7: [k_0]i64 = update b_6[1] = 9
           in c_7
         }
         let d_8: [k_0]i64 = copy m_3
         let z_9: [k_0]i64 = update d_8[2] = 9",
    ));
    assert_eq!((copies(&after), count(&log, "copy-of-dead")), (0, 3));
}

#[test]
fn what_is_used_after_a_branch_is_needed_in_it() {
    let (after, log) = on(&main_with(
        "let q_3: bool = lt n_1 2
         let r_4: [k_0]i64 = if q_3 then {
           let b_5: [k_0]i64 = copy a_2
           let c_6: [k_0]i64 = update b_5[0] = 7
           in c_6
         } else { in a_2 }
         let z_9: [k_0]i64 = map k_0 (r_4, a_2) \\(x_7: i64, y_8: i64) -> { let t_10: i64 = sub x_7 y_8 in t_10 }",
    ));
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` is used later by `z_9`"]));
    // Yielded beside the copy, by the same branch.
    let (after, log) = on(&main_with(
        "let q_3: bool = lt n_1 2
         let r_4: [k_0]i64, s_5: [k_0]i64 = if q_3 then {
           let b_6: [k_0]i64 = copy a_2
           let c_7: [k_0]i64 = update b_6[0] = 7
           in c_7, a_2
         } else { in a_2, a_2 }
         let z_9: [k_0]i64 = map k_0 (r_4, s_5) \\(x_8: i64, y_10: i64) -> { let t_11: i64 = sub x_8 y_10 in t_11 }",
    ));
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` is yielded later"]));
}

#[test]
fn what_comes_from_outside_a_lambda_is_needed_by_its_next_run() {
    let (after, log) = on(&main_with(
        "let z_9: [k_0]i64 = map k_0 (a_2) \\(x_3: i64) -> {
           let c_4: [k_0]i64 = copy a_2
           let d_5: [k_0]i64 = update c_4[x_3] = 7
           let y_6: i64 = index d_5[0]
           in y_6
         }",
    ));
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` comes from outside a body that may run again"]));
}

#[test]
fn what_a_lambda_makes_is_its_own_but_not_its_rows() {
    let (after, log) = on(&main_with(
        "let m_3: [k_0][4]i64 = replicate [k_0, 4] 1
         let z_9: [k_0]i64 = map k_0 (m_3) \\(r_4: [4]i64) -> {
           let b_5: [4]i64 = copy r_4
           let c_6: [4]i64 = update b_5[0] = 7
           let d_7: [4]i64 = copy c_6
           let e_8: [4]i64 = update d_7[1] = 3
           let y_10: i64 = index e_8[0]
           in y_10
         }",
    ));
    assert_eq!((copies(&after), count(&log, "copy-of-dead")), (1, 1));
    assert_eq!(reasons(&log), ["`r_4` is part of an array that the operator does not own"]);
}

#[test]
fn the_array_of_a_loop_is_copied_once() {
    let (after, log) = on(&main_with(
        "let z_9: [k_0]i64 = loop (p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let b_5: [k_0]i64 = copy p_3
           let x_6: i64 = index b_5[i_4]
           let y_7: i64 = add x_6 5
           let c_8: [k_0]i64 = update b_5[i_4] = y_7
           in c_8
         }
         let w_10: i64 = index a_2[0]",
    ));
    assert!(copies(&after) == 1 && after.contains("p_3: *[k_0]i64"), "{after}");
    assert!(common::before(&after, "let a_914: [k_0]i64 = copy a_2", "let z_9"), "{after}");
    assert_eq!((count(&log, "loop-in-place"), count(&log, "copy-of-dead")), (1, 1));
    assert_eq!(reasons(&log), ["`a_2` is used later by `w_10`"]);
}

#[test]
fn the_array_of_a_loop_is_not_copied_if_it_is_not_used_later() {
    let nest = "let z_9: [k_0]i64 = loop (p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let r_10: [k_0]i64 = loop (q_11: [k_0]i64 = p_3) for j_12: i64 < n_1 {
             let t_20: bool = lt i_4 j_12
             let u_21: [k_0]i64 = if t_20 then {
               let b_5: [k_0]i64 = copy q_11
               let x_6: i64 = index b_5[i_4]
               let y_7: i64 = add x_6 5
               let c_8: [k_0]i64 = update b_5[j_12] = y_7
               in c_8
             } else { in q_11 }
             in u_21
           }
           in r_10
         }";
    let (after, log) = on(&main_with(nest));
    assert_eq!((copies(&after), count(&log, "loop-in-place"), log.decisions().len()), (0, 2, 0), "{after}");
}

#[test]
fn loops_one_after_the_other_need_no_copies() {
    let mut text = String::new();
    for i in 0..10 {
        let (from, to) = (if i == 0 { "a_2".into() } else { format!("a_{}", i * 10 + 100) }, i * 10 + 110);
        text += &format!(
            "let a_{to}: [k_0]i64 = loop (p_{0}: [k_0]i64 = {from}) for i_{1}: i64 < n_1 {{
               let b_{2}: [k_0]i64 = copy p_{0}
               let c_{3}: [k_0]i64 = update b_{2}[i_{1}] = {i}
               in c_{3}
             }}\n",
            to + 1,
            to + 2,
            to + 3,
            to + 4
        );
    }
    let (after, log) = on(&main_with(&(text + "let z_9: [k_0]i64 = a_200")));
    assert_eq!((copies(&after), count(&log, "loop-in-place")), (0, 10), "{after}");
}

#[test]
fn a_loop_may_read_its_initial_value() {
    let (after, log) = on(&main_with(
        "let z_9: [k_0]i64 = loop (p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let b_5: [k_0]i64 = copy p_3
           let x_6: i64 = index a_2[i_4]
           let c_8: [k_0]i64 = update b_5[0] = x_6
           in c_8
         }",
    ));
    assert_eq!((copies(&after), count(&log, "loop-in-place")), (1, 1), "{after}");
    assert_eq!(reasons(&log), ["`a_2` is used later by `x_6`"]);
}

#[test]
fn what_the_next_iteration_needs_is_copied() {
    // As another parameter.
    let (after, log) = on(&main_with(
        "let y_10: [k_0]i64, z_9: [k_0]i64 = loop (o_11: [k_0]i64 = a_2, p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let x_6: i64 = index o_11[i_4]
           let b_5: [k_0]i64 = copy p_3
           let c_8: [k_0]i64 = update b_5[0] = x_6
           in p_3, c_8
         }",
    ));
    assert_eq!((copies(&after), log.used(), reasons(&log)), (1, 0, vec!["`p_3` is yielded later"]));
    // From outside.
    let (after, log) = on(&main_with(
        "let z_9: [k_0]i64 = loop (p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let b_5: [k_0]i64 = copy p_3
           let c_8: [k_0]i64 = update b_5[0] = i_4
           let q_6: bool = lt i_4 2
           let d_7: [k_0]i64 = if q_6 then { in c_8 } else { in a_2 }
           in d_7
         }",
    ));
    assert_eq!((copies(&after), log.used()), (1, 0), "{after}");
    assert_eq!(reasons(&log), ["the next value of `p_3` may be `a_2`, from outside the loop"]);
    // The same array for two parameters.
    let (after, log) = on(&main_with(
        "let y_10: [k_0]i64, z_9: [k_0]i64 = loop (o_11: [k_0]i64 = a_2, p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let b_5: [k_0]i64 = copy p_3
           let c_8: [k_0]i64 = update b_5[0] = 5
           in c_8, c_8
         }",
    ));
    assert_eq!((copies(&after), log.used()), (1, 0), "{after}");
    assert_eq!(reasons(&log), ["the next value of `p_3` may be that of another parameter of the loop"]);
}

#[test]
fn parameters_that_take_turns_become_unique_together() {
    let (after, log) = on(&main_with(
        "let y_10: [k_0]i64, z_9: [k_0]i64 = loop (o_11: [k_0]i64 = a_2, p_3: [k_0]i64 = a_2) for i_4: i64 < n_1 {
           let x_6: i64 = index o_11[i_4]
           let b_5: [k_0]i64 = copy p_3
           let c_8: [k_0]i64 = update b_5[0] = x_6
           in c_8, o_11
         }",
    ));
    // Both start as the same array, of which one must be a copy.
    assert_eq!((copies(&after), count(&log, "loop-in-place"), count(&log, "copy-of-dead")), (1, 1, 2), "{after}");
}

#[test]
fn while_loops_and_sizes_among_parameters() {
    let (after, _) = on(&main_with(
        "let q_3: bool = lt 0 n_1
         let w_4: bool, l_5: i64, m_6: i64, r_7: [m_6]i64 =
           loop (w_10: bool = q_3, l_11: i64 = 0, m_12: i64 = k_0, p_13: [m_12]i64 = a_2) while w_10 {
             let b_14: [m_12]i64 = copy p_13
             let c_15: [m_12]i64 = update b_14[l_11] = 100
             let l_16: i64 = add l_11 1
             let w_17: bool = lt l_16 n_1
             in w_17, l_16, m_12, c_15
           }
         let e_18: bool = eq m_6 k_0
         let c_19: cert = assert e_18 \"size\"
         let z_9: [k_0]i64 = <c_19> resize [k_0] r_7",
    ));
    assert!(copies(&after) == 0 && after.contains("p_13: *[m_12]i64"), "{after}");
}

const SET: &str = "
fun set (m_500: i64) (p_501: [m_500]i64) (x_502: i64) : ([m_500]i64) = {
  let b_503: [m_500]i64 = copy p_501
  let c_504: [m_500]i64 = update b_503[0] = x_502
  in c_504
}
";

#[test]
fn functions_own_what_their_callers_do_not_use_any_more() {
    let text = SET.to_string()
        + &main_with(
            "let b_3: [k_0]i64 = call set (k_0, a_2, 7)
             let c_4: [k_0]i64 = call set (k_0, b_3, 8)
             let z_9: [k_0]i64 = loop (p_5: [k_0]i64 = c_4) for i_6: i64 < n_1 {
               let d_7: [k_0]i64 = call set (k_0, p_5, i_6)
               in d_7
             }",
        );
    let (after, log) = on(&text);
    assert!(copies(&after) == 0 && after.contains("p_501: *[m_500]i64"), "{after}");
    assert!(after.contains(": (*[m_500]i64)") && after.contains("p_5: *["), "{after}");
    assert_eq!((count(&log, "unique-parameter"), count(&log, "unique-result"), log.decisions().len()), (1, 1, 0));
}

#[test]
fn callers_that_still_need_the_array_copy_it() {
    let text = SET.to_string()
        + &main_with(
            "let b_3: [k_0]i64 = call set (k_0, a_2, 7)
             let z_9: [k_0]i64 = call set (k_0, b_3, 8)
             let x_4: i64 = index a_2[0]",
        );
    let (after, log) = on(&text);
    assert_eq!((copies(&after), count(&log, "unique-parameter")), (1, 1), "{after}");
    assert_eq!(reasons(&log), ["`a_2` is used later by `x_4`"]);
    // Nobody would gain anything.
    let text = SET.to_string()
        + &main_with(
            "let z_9: [k_0]i64 = call set (k_0, a_2, 7)
             let x_4: i64 = index a_2[0]",
        );
    let (after, log) = on(&text);
    assert!(copies(&after) == 1 && count(&log, "unique-parameter") == 0, "{after}");
    assert_eq!(reasons(&log), ["`p_501` is a parameter, and callers of `set` still need what they give"]);
}

const MAY_SET: &str = "
fun set (m_500: i64) (p_501: [m_500]i64) (x_502: i64) : ([m_500]i64) = {
  let q_505: bool = lt x_502 3
  let r_506: [m_500]i64 = if q_505 then {
    let b_503: [m_500]i64 = copy p_501
    let c_504: [m_500]i64 = update b_503[0] = x_502
    in c_504
  } else { in p_501 }
  in r_506
}
";

#[test]
fn a_copy_in_a_branch_does_not_become_one_in_each_call() {
    let used = "let b_3: [k_0]i64 = call set (k_0, a_2, n_1)
             let z_9: [k_0]i64 = call set (k_0, b_3, 1)
             let x_4: i64 = index a_2[0]";
    let (after, log) = on(&(MAY_SET.to_string() + &main_with(used)));
    assert_eq!((copies(&after), log.used()), (1, 0), "{after}");
    let unused = "let b_3: [k_0]i64 = call set (k_0, a_2, n_1)
             let z_9: [k_0]i64 = b_3";
    let (after, log) = on(&(MAY_SET.to_string() + &main_with(unused)));
    assert_eq!((copies(&after), count(&log, "unique-parameter")), (0, 1), "{after}");
}

#[test]
fn an_array_given_twice_is_copied() {
    let text = "
fun two (m_500: i64) (p_501: [m_500]i64) (q_502: [m_500]i64) : ([m_500]i64) = {
  let b_503: [m_500]i64 = copy p_501
  let x_504: i64 = index q_502[1]
  let c_505: [m_500]i64 = update b_503[0] = x_504
  let y_506: i64 = index q_502[0]
  let d_507: [m_500]i64 = update c_505[1] = y_506
  in d_507
}
"
    .to_string()
        + &main_with(
            "let b_3: [k_0]i64 = call two (k_0, a_2, a_2)
             let c_4: [k_0]i64 = iota k_0 : i64
             let z_9: [k_0]i64 = call two (k_0, b_3, c_4)",
        );
    let (after, log) = on(&text);
    assert_eq!((copies(&after), count(&log, "unique-parameter")), (1, 1), "{after}");
    assert!(after.contains("= copy a_2"), "{after}");
}

#[test]
fn entry_points_keep_their_signatures() {
    let text = "
entry main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) takes (a: \"[]i64\" of 1) yields (\"[]i64\" of 1) = {
  let b_3: [n_1]i64 = copy a_2
  let c_4: [n_1]i64 = update b_3[0] = 7
  in c_4
}";
    let (after, log) = common::run(&PASS, text);
    assert_eq!((after.as_str(), log.used()), (common::parse(text).to_string().as_str(), 0));
    assert_eq!(reasons(&log), ["`a_2` is a parameter of an entry point that does not own it"]);
    let (after, _) = common::run(&PASS, &text.replace("(a_2: [", "(a_2: *["));
    assert_eq!(copies(&after), 0);
}

#[test]
fn a_parameter_of_an_entry_point_is_copied_once_for_a_loop() {
    let text = "
entry main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) takes (a: \"[]i64\" of 1) yields (\"[]i64\" of 1) = {
  let r_3: [n_1]i64 = loop (p_4: [n_1]i64 = a_2) for i_5: i64 < n_1 {
    let b_6: [n_1]i64 = copy p_4
    let c_7: [n_1]i64 = update b_6[i_5] = 7
    in c_7
  }
  let d_8: [n_1]i64 = copy r_3
  let e_9: [n_1]i64 = update d_8[0] = 1
  in e_9
}";
    let (after, _) = common::run(&PASS, text);
    assert!(copies(&after) == 1 && after.contains("= copy a_2"), "{after}");
}

#[test]
fn results_that_must_have_memory_of_their_own() {
    let text = "
fun f (n_1: i64) : (*[n_1]i64) (*[n_1]i64) = {
  let a_2: [n_1]i64 = iota n_1 : i64
  let b_3: [n_1]i64 = copy a_2
  in a_2, b_3
}";
    let (after, log) = common::run(&PASS, text);
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` is yielded later"]));
}

#[test]
fn operators_of_accumulators_run_while_the_body_does() {
    let (after, log) = on(&main_with(
        "let d_3: [k_0]i64 = replicate [k_0] 0
         let z_9: [k_0]i64 = with_acc ([k_0] (d_3) (0) \\(x_4: i64, y_5: i64) -> {
           let t_6: i64 = index a_2[0]
           let u_7: i64 = add x_4 y_5
           let v_8: i64 = add u_7 t_6
           in v_8
         }) \\(t_10: cert, c_11: acc t_10 [k_0](i64)) -> {
           let b_12: [k_0]i64 = copy a_2
           let e_13: [k_0]i64 = update b_12[0] = 7
           let x_14: i64 = index e_13[0]
           let g_15: acc t_10 [k_0](i64) = update_acc c_11 (0) (x_14)
           in g_15
         }",
    ));
    assert_eq!((copies(&after), reasons(&log)), (1, vec!["`a_2` is used later by `t_6`"]));
    let (after, _) = on(&main_with(
        "let d_3: [k_0]i64 = replicate [k_0] 0
         let z_9: [k_0]i64 = with_acc ([k_0] (d_3) (0) \\(x_4: i64, y_5: i64) -> {
           let u_7: i64 = add x_4 y_5
           in u_7
         }) \\(t_10: cert, c_11: acc t_10 [k_0](i64)) -> {
           let b_12: [k_0]i64 = copy a_2
           let e_13: [k_0]i64 = update b_12[0] = 7
           let x_14: i64 = index e_13[0]
           let g_15: acc t_10 [k_0](i64) = update_acc c_11 (0) (x_14)
           in g_15
         }",
    ));
    assert_eq!(copies(&after), 0, "{after}");
}

#[test]
fn scatters_and_histograms_update_in_place() {
    let (after, _) = on(&main_with(
        "let b_3: [k_0]i64 = copy a_2
         let c_4: [k_0]i64 = scatter k_0 (a_2) \\(x_5: i64) -> { in x_5, 3 } into (b_3 rank 1)
         let d_6: [k_0]i64 = copy c_4
         let i_7: [k_0]i64 = iota k_0 : i64
         let z_9: [k_0]i64 = scatter k_0 (i_7) \\(x_8: i64) -> { in x_8, 3 } into (d_6 rank 1)",
    ));
    // The first scatter reads what it copied.
    assert!(copies(&after) == 1 && after.contains("let b_3: [k_0]i64 = copy a_2"), "{after}");
}

#[test]
fn long_chains_of_branches_are_quick() {
    let mut text = String::new();
    let mut from = "a_2".to_string();
    for i in 0..5_000 {
        let id = 1_000 + i * 4;
        text += &format!(
            "let q_{id}: bool = lt n_1 {i}
             let r_{0}: [k_0]i64 = if q_{id} then {{
               let b_{1}: [k_0]i64 = copy {from}
               let c_{2}: [k_0]i64 = update b_{1}[0] = {i}
               in c_{2}
             }} else {{ in {from} }}\n",
            id + 1,
            id + 2,
            id + 3
        );
        from = format!("r_{}", id + 1);
    }
    let mut prog = common::parse(&main_with(&(text + &format!("let z_9: [k_0]i64 = {from}"))));
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    assert_eq!((count(&cx.log, "copy-of-dead"), copies(&prog.to_string())), (5_000, 0));
}

#[test]
fn deep_nests_of_loops() {
    let depth = 500;
    let (mut open, mut close, mut from) = (String::new(), String::new(), "a_2".to_string());
    for i in 0..depth {
        let id = 1_000 + i * 4;
        let to = if i == 0 { "z_9".to_string() } else { format!("r_{id}") };
        open +=
            &format!("let {to}: [k_0]i64 = loop (p_{0}: [k_0]i64 = {from}) for i_{1}: i64 < 1 {{\n", id + 1, id + 2);
        close = format!("in {}\n}}\n{close}", if i + 1 == depth { "c_991".into() } else { format!("r_{}", id + 4) });
        from = format!("p_{}", id + 1);
    }
    let inner = format!("let b_990: [k_0]i64 = copy {from}\nlet c_991: [k_0]i64 = update b_990[0] = 7\n");
    let mut prog = common::parse(&main_with(&(open + &inner + &close)));
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    assert_eq!((count(&cx.log, "loop-in-place"), copies(&prog.to_string())), (500, 0));
}
