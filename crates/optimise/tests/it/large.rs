//! Long and deep programs: passes take time in proportion to their length, and no stack for their depth.
//!
//! These programs are generated. The cases by hand, of what each pass does and does not do, are in tests/ir.

use crate::common::{before, check, count, lines, parse, run, same};
use kenaz_ir::{Log, Pass, PassCx, Prog, Scalar};
use kenaz_optimise::{fuse, hoist, in_place, inline, simplify, slice};
use kenaz_runtime::Value;

fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

/// The program after a pass, without the checks and runs after each rewrite, which would take long.
fn once(pass: &Pass, text: &str) -> (Prog, Log) {
    let mut prog = parse(text);
    let mut cx = PassCx::default();
    (pass.run)(&mut prog, &mut cx);
    check(&prog);
    (prog, cx.log)
}

#[test]
fn hoisting_from_long_and_deep_programs() {
    let mut text = String::from("fun main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {\n");
    text += "let r_3: [n_1]i64 = map n_1 (a_2) \\(x_4: i64) -> {\n";
    for i in 0..10_000 {
        let n = 10 + 4 * i;
        text += &format!("let i_{n}: i64 = add n_1 {i}\nlet y_{}: i64 = add x_4 i_{n}\n", n + 1);
        text += &format!("let q_{}: bool = lt y_{} {i}\n", n + 2, n + 1);
        text += &format!("let c_{}: cert = assert q_{} \"bad\"\n", n + 3, n + 2);
    }
    text += "in x_4 }\nin r_3\n}\n";
    let (_, log) = once(&hoist::PASS, &text);
    assert_eq!(count(&log, "hoist-scalar"), 10_000);

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
    let (_, log) = once(&hoist::PASS, &text);
    assert_eq!(count(&log, "hoist-check"), 500);
}

#[test]
fn fusing_long_bodies_and_deep_nests() {
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
    let (_, log) = once(&fuse::PASS, &text);
    assert_eq!(log.used(), count - 1);

    let depth = 500;
    let mut text = "fun main (n_0: i64) (a_1: [n_0]i64) : = {\n".to_string();
    for k in 1..=depth {
        let b = 10 * k;
        writeln!(text, "let () = loop () for i_{b}: i64 < n_0 {{ let b_{}: [n_0]i64 = map n_0 (a_1) \\(x_{}: i64) -> {{ in x_{} }}", b + 1, b + 2, b + 2).unwrap();
    }
    text += &"in }\n".repeat(depth);
    text += "in }";
    once(&fuse::PASS, &text);
}

fn copies(text: &str) -> usize {
    text.matches("= copy ").count() + text.matches("> copy ").count()
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
    let (after, log) =
        same(&in_place::PASS, &main_with(&(text + "let z_9: [k_0]i64 = a_200")), &[0, 1, 5].map(|n| vec![i64(n)]));
    assert_eq!((copies(&after), count(&log, "loop-in-place")), (0, 10), "{after}");
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
    let (prog, log) = once(&in_place::PASS, &main_with(&(text + &format!("let z_9: [k_0]i64 = {from}"))));
    assert_eq!((count(&log, "copy-of-dead"), copies(&prog.to_string())), (5_000, 0));
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
    let (prog, log) = once(&in_place::PASS, &main_with(&(open + &inner + &close)));
    assert_eq!((count(&log, "loop-in-place"), copies(&prog.to_string())), (500, 0));
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
    let (after, log) = same(&inline::PASS, &text, &[vec![i64(3)]]);
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
    let (_, log) = same(&inline::PASS, &text, &[vec![i64(3)]]);
    assert_eq!(log.used(), 0);
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
    let (after, log) = same(&inline::PASS, &text, &[vec![i64(3)]]);
    assert_eq!(count(&log, "inline-attribute"), 1);
    assert!(after.contains("call f") && after.contains("#[noinline] call g"), "{after}");
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
    let (after, log) = run(&inline::PASS, &text);
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
    let (after, _) = run(&inline::PASS, &text);
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
    let (_, log) = once(&inline::PASS, &text);
    assert_eq!(log.used(), 399);
}

/// A size that is computed in many steps comes with its value.
#[test]
fn a_size_that_takes_long_is_not_sliced() {
    let many: String = (2..60).map(|i| format!("let x_{}: i64 = mul x_{} n_1\n", i + 100, i + 99)).collect();
    let text = format!(
        "fun f (n_1: i64) (a_2: [n_1]i64) : (k_3: i64) ([k_3]i64) = {{
           let x_101: i64 = add n_1 1
           {many}
           let m_4: i64 = max x_159 0
           let k_9: i64 = mod m_4 8
           let r_10: [k_9]i64 = replicate [k_9] 1
           in k_9, r_10
         }}
         fun main (n_21: i64) (a_22: [n_21]i64) : (k_23: i64) ([k_23]i64) = {{
           let k_24: i64, r_25: [k_24]i64 = call f (n_21, a_22)
           in k_24, r_25
         }}"
    );
    let (_, log) = same(&slice::PASS, &text, &[vec![i64(2), Value::from(vec![1i64, 0])]]);
    assert_eq!(log.used(), 0);
    assert!(log.decisions().iter().any(|d| d.kind == kenaz_ir::DecisionKind::SizeStaysWithValue));
}

/// An element of a map of two arrays that are maps of one array asks for that array's element twice, and so on up the
/// chain: each element is made once.
#[test]
fn elements_of_long_chains_of_maps() {
    use std::fmt::Write;
    let length = 100;
    let mut text = "fun main (n_1: i64) (a_10: [n_1]i64) (i_2: i64) : (i64) = {\n".to_string();
    text += "let p_3: bool = lt i_2 n_1\nlet q_4: bool = le 0 i_2\nlet o_5: bool = and p_3 q_4\n";
    text += "let c_6: cert = assert o_5 \"bad\"\n";
    for k in 1..=length {
        let (from, a, b) = (10 * k, 10 * k + 1, 10 * k + 10);
        writeln!(
            text,
            "let b_{a}: [n_1]i64 = map n_1 (a_{from}) \\(x_{}: i64) -> {{ let y_{}: i64 = add x_{} {k} in y_{} }}",
            a + 1,
            a + 2,
            a + 1,
            a + 2
        )
        .unwrap();
        writeln!(text, "let a_{b}: [n_1]i64 = map n_1 (a_{from}, b_{a}) \\(x_{}: i64, z_{}: i64) -> {{ let y_{}: i64 = mul x_{} z_{} in y_{} }}", a + 3, a + 4, a + 5, a + 3, a + 4, a + 5).unwrap();
    }
    writeln!(text, "let r_7: i64 = <c_6> index a_{}[i_2]\nin r_7\n}}", 10 * length + 10).unwrap();
    let (_, log) = once(&simplify::PASS, &text);
    assert_eq!(count(&log, "index-of-map"), 2 * length);
    assert_eq!(count(&log, "same-expression"), length);
}
