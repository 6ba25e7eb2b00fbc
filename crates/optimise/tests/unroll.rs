//! What the pass `unroll` does and does not do.

mod common;

use common::{count, same};
use kenaz_ir::{DecisionKind, Log, Scalar};
use kenaz_optimise::unroll::PASS;
use kenaz_runtime::Value;

/// Runs the pass on a function `main` of an `i64`, whatever the fuel, and compares the results.
fn on(body: &str) -> (String, Log) {
    let text = format!("fun main (n_1: i64) : (i64) = {{\n{body}\nin z_9\n}}");
    let args: Vec<Vec<Value>> = [0, 1, 5].iter().map(|n| vec![Value::scalar(Scalar::I64(*n))]).collect();
    same(&PASS, &text, &args)
}

fn loops(text: &str) -> usize {
    text.matches(" loop (").count()
}

fn reasons(log: &Log) -> Vec<&str> {
    assert!(log.decisions().iter().all(|d| d.kind == DecisionKind::AttributeRefused));
    log.decisions().iter().map(|d| &d.reason[..]).collect()
}

#[test]
fn a_loop_that_runs_three_times() {
    let (after, log) = on("let z_9: i64 = #[unroll] loop (s_2: i64 = n_1) for i_3: i64 < 3i64 {
           let t_4: i64 = mul s_2 10
           let u_5: i64 = add t_4 i_3
           in u_5
         }");
    assert_eq!((loops(&after), count(&log, "unroll"), reasons(&log).len()), (0, 1, 0), "{after}");
    assert_eq!((after.matches("mul").count(), after.matches("add").count()), (3, 3), "{after}");
}

#[test]
fn a_loop_that_does_not_run() {
    for bound in ["0i64", "-4i64"] {
        let (after, log) = on(&format!(
            "let z_9: i64 = #[unroll] loop (s_2: i64 = n_1) for i_3: i64 < {bound} {{
               let u_5: i64 = add s_2 i_3
               in u_5
             }}"
        ));
        assert_eq!((loops(&after), count(&log, "unroll")), (0, 1), "{after}");
        assert!(after.contains("in n_1"), "{after}");
    }
}

#[test]
fn parameters_that_change_places() {
    let (after, _) = on("let a_2: i64, b_3: i64 = #[unroll] loop (x_4: i64 = n_1, y_5: i64 = 7) for i_6: i64 < 3i64 {
           let s_7: i64 = add x_4 y_5
           in y_5, s_7
         }
         let c_8: i64 = mul a_2 100
         let z_9: i64 = add c_8 b_3");
    assert_eq!(loops(&after), 0, "{after}");
}

#[test]
fn loops_inside_depend_on_the_index() {
    let (after, log) = on("let z_9: i64 = #[unroll] loop (s_2: i64 = n_1) for i_3: i64 < 3i64 {
           let m_4: i64 = add i_3 1
           let r_5: i64 = #[unroll] loop (t_6: i64 = s_2) for j_7: i64 < m_4 {
             let u_8: i64 = mul t_6 2
             let v_10: i64 = add u_8 j_7
             in v_10
           }
           in r_5
         }");
    assert_eq!((loops(&after), count(&log, "unroll"), reasons(&log).len()), (0, 4, 0), "{after}");
}

#[test]
fn arrays_are_still_updated_in_place() {
    let (after, log) = on("let k_2: i64 = add n_1 4
         let a_3: [k_2]i64 = iota k_2 : i64
         let b_4: [k_2]i64 = #[unroll] loop (x_5: *[k_2]i64 = a_3) for i_6: i64 < 4i64 {
           let e_7: i64 = index x_5[i_6]
           let f_8: i64 = mul e_7 e_7
           let y_10: [k_2]i64 = update x_5[i_6] = f_8
           in y_10
         }
         let z_9: i64 = index b_4[3]");
    assert_eq!((loops(&after), after.matches("update").count(), count(&log, "unroll")), (0, 4, 1), "{after}");
}

#[test]
fn sizes_that_change() {
    let (after, _) = on("let a_2: [2]i64 = iota 2 : i64
         let k_3: i64, b_4: [k_3]i64 = #[unroll] loop (m_5: i64 = 2, x_6: [m_5]i64 = a_2) for i_7: i64 < 3i64 {
           let l_8: i64 = add m_5 2
           let y_10: [l_8]i64 = concat l_8 (x_6, a_2)
           in l_8, y_10
         }
         let e_11: i64 = index b_4[7]
         let z_9: i64 = add e_11 k_3");
    assert_eq!(loops(&after), 0, "{after}");
}

#[test]
fn what_cannot_be_unrolled_says_why() {
    let unknown = "`#[unroll]`: it is not known how often the loop runs";
    let (after, log) = on("let z_9: i64 = #[unroll] loop (s_2: i64 = 1) for i_3: i64 < n_1 {
           let u_5: i64 = add s_2 i_3
           in u_5
         }");
    assert_eq!((loops(&after), reasons(&log)), (1, vec![unknown]), "{after}");
    let (after, log) = on("let c_2: bool = lt n_1 3
         let d_3: bool, z_9: i64 = #[unroll] loop (e_4: bool = c_2, s_5: i64 = n_1) while e_4 {
           let u_6: i64 = add s_5 1
           let f_7: bool = lt u_6 3
           in f_7, u_6
         }");
    assert_eq!((loops(&after), reasons(&log)), (1, vec![unknown]), "{after}");
    let (after, log) = on("let z_9: i64 = #[unroll] loop (s_2: i64 = n_1) for i_3: i64 < 100000i64 {
           let u_5: i64 = add s_2 i_3
           in u_5
         }");
    assert_eq!((loops(&after), reasons(&log)), (1, vec!["`#[unroll]`: there would be too many statements"]), "{after}");
}

#[test]
fn others_stay() {
    let (after, log) = on("let z_9: i64 = loop (s_2: i64 = n_1) for i_3: i64 < 3i64 {
           let u_5: i64 = add s_2 i_3
           in u_5
         }");
    assert_eq!((loops(&after), log.used(), log.decisions().len()), (1, 0, 0), "{after}");
}
