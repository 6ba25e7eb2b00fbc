//! What the pass `inline` does and does not do.

mod common;

use common::{before, count, lines, run, same};
use kenaz_ir::{PassCx, Scalar};
use kenaz_optimise::inline::PASS;
use kenaz_runtime::Value;

fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

/// A function with so many statements.
fn large(name: &str, first: usize, statements: usize) -> String {
    let mut text = format!("fun {name} (x_{first}: i64) : (i64) = {{\n");
    for i in first..first + statements {
        text += &format!("  let x_{}: i64 = add x_{i} {i}\n", i + 1);
    }
    text + &format!("  in x_{}\n}}\n", first + statements)
}

#[test]
fn a_function_called_once_is_inlined_and_dropped() {
    let text = large("f", 0, 100)
        + "entry main (a_500: i64) : (i64) takes (a: \"i64\" of 1) yields (\"i64\" of 1) = {
             let b_501: i64 = call f (a_500)
             let c_502: i64 = mul b_501 2
             in c_502
           }";
    let (after, log) = same(&PASS, &text, &[vec![i64(3)]]);
    assert!(!after.contains("fun f") && !after.contains("call"), "{after}");
    assert_eq!((count(&log, "inline-once"), count(&log, "drop-function")), (1, 1));
}

#[test]
fn large_functions_called_twice_stay() {
    let text = large("f", 0, 100)
        + "fun main (a_500: i64) : (i64) = {
             let b_501: i64 = call f (a_500)
             let c_502: i64 = call f (b_501)
             in c_502
           }";
    let (_, log) = same(&PASS, &text, &[vec![i64(3)]]);
    assert_eq!(log.used(), 0);
}

#[test]
fn small_functions_are_inlined_everywhere() {
    let text = large("f", 0, 5)
        + "fun main (a_500: i64) : (i64) = {
             let b_501: i64 = call f (a_500)
             let c_502: i64 = call f (b_501)
             in c_502
           }";
    let (after, log) = same(&PASS, &text, &[vec![i64(3)]]);
    assert!(count(&log, "inline-small") >= 1 && !after.contains("call"), "{after}");
}

#[test]
fn attributes_decide() {
    let text = format!("#[noinline]\n{}#[inline]\n{}", large("f", 0, 3), large("g", 100, 60))
        + "fun main (a_500: i64) : (i64) = {
             let b_501: i64 = call f (a_500)
             let c_502: i64 = call g (b_501)
             let d_503: i64 = #[noinline] call g (c_502)
             in d_503
           }";
    let (after, log) = same(&PASS, &text, &[vec![i64(3)]]);
    assert_eq!(count(&log, "inline-attribute"), 1);
    assert!(after.contains("call f") && after.contains("#[noinline] call g"), "{after}");
}

#[test]
fn sizes_positions_certificates_and_attributes_are_handed_on() {
    let text = "
fun f (n_1: i64) : (k_2: i64) ([k_2]i64) = {
  let m_3: i64 = add n_1 1 at f.fut:1:1
  let a_4: [m_3]i64 = iota m_3 : i64 at f.fut:1:2
  in m_3, a_4
}
fun main (n_5: i64) : (i64) = {
  let q_6: bool = le 0 n_5
  let c_7: cert = assert q_6 \"negative\"
  let k_8: i64, a_9: [k_8]i64 = <c_7> #[materialize] call f (n_5) at g.fut:2:2
  let b_10: [k_8]i64 = copy a_9
  let s_11: i64 = reduce k_8 (b_10) (0) \\(x_12: i64, y_13: i64) -> { let z_14: i64 = add x_12 y_13 in z_14 }
  in s_11
}";
    let (after, _) = same(&PASS, text, &[vec![i64(3)], vec![i64(-3)]]);
    let after = after.split_once("fun main").unwrap().1.to_string();
    let m = lines(&after).iter().find(|line| line.starts_with("let m_")).copied().unwrap().to_string();
    assert!(m.contains("<c_7> #[materialize] add n_5 1") && m.ends_with("at f.fut:1:1 < g.fut:2:2"), "{after}");
    assert!(after.contains("let b_10: [m_"), "{after}");
}

#[test]
fn arguments_may_be_consumed() {
    let text = "
fun f (n_1: i64) (a_2: *[n_1]i64) : (*[n_1]i64) = {
  let b_3: [n_1]i64 = update a_2[0] = 7
  in b_3
}
fun main (n_4: i64) : (i64) = {
  let a_5: [3]i64 = iota 3 : i64
  let b_6: [3]i64 = call f (3, a_5)
  let c_7: [3]i64 = call f (3, b_6)
  let x_8: i64 = index c_7[0]
  in x_8
}";
    let (after, _) = same(&PASS, text, &[vec![i64(3)]]);
    assert!(!after.contains("call"), "{after}");
}

#[test]
fn calls_in_operators_are_inlined_more_eagerly() {
    let mut f = large("f", 0, 30);
    let check = "let q_90: bool = lt x_3 1000\n let c_91: cert = assert q_90 \"large\"\n  in";
    f = f.replace("  in", check);
    let text = f + "fun main (n_500: i64) (a_501: [n_500]i64) : ([n_500]i64) (i64) = {
             let b_502: [n_500]i64 = map n_500 (a_501) \\(x_503: i64) -> { let y_504: i64 = call f (x_503) in y_504 }
             let c_505: i64 = call f (n_500)
             in b_502, c_505
           }";
    let (after, log) = run(&PASS, &text);
    // The other call is then the only one.
    assert_eq!((count(&log, "inline-nested"), count(&log, "inline-once")), (1, 1));
    assert!(before(&after, "let q_", "let b_502"), "{after}");
}

#[test]
fn programs_do_not_explode() {
    // Each function calls the one before it twice.
    let mut text = large("f0", 0, 20);
    for i in 1..40 {
        let n = i * 1000;
        text += &format!("fun f{i} (x_{n}: i64) : (i64) = {{\n");
        text += &format!(
            "  let y_{}: i64 = call f{} (x_{n})\n  let z_{}: i64 = call f{} (y_{})\n",
            n + 1,
            i - 1,
            n + 2,
            i - 1,
            n + 1
        );
        text += &format!("  in z_{}\n}}\n", n + 2);
    }
    let (after, _) = run(&PASS, &text);
    assert!(lines(&after).len() < 3 * lines(&text).len() + 1100, "{} lines", lines(&after).len());
}

#[test]
fn long_chains_of_calls_are_quick() {
    let mut text = large("f0", 0, 5);
    for i in 1..400 {
        let n = i * 10;
        text += &format!("fun f{i} (x_{n}: i64) : (i64) = {{\n  let y_{}: i64 = add x_{n} 1 at p.fut:{i}:1\n", n + 1);
        text +=
            &format!("  let z_{}: i64 = call f{} (y_{}) at p.fut:{i}:2\n  in z_{}\n}}\n", n + 2, i - 1, n + 1, n + 2);
    }
    let mut prog = common::parse(&text);
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    assert_eq!(cx.log.used(), 399);
}
