//! Long programs and deep ones, through the simplifier and all other passes.

use crate::common::{check, parse, results};
use kenaz_ir::{PassCx, Prog, Scalar};
use kenaz_optimise::{PASSES, simplify};
use kenaz_runtime::Value;
use std::fmt::Write;

const DEEP: usize = 500;

fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

/// A function `main` of a number, with these statements; its result is called `r_0`.
fn main_with(statements: &str) -> String {
    format!("fun main (n_1: i64) : (i64) = {{\n{statements}\nin r_0 }}")
}

/// Runs all passes, with the simplifier before, between and behind them, and compares what `main` does.
fn through_all_passes(text: &str, inputs: &[i64]) -> Prog {
    let before = parse(text);
    let mut prog = before.clone();
    let mut cx = PassCx::default();
    for pass in [simplify::PASS].iter().chain(PASSES.iter().flat_map(|pass| [pass, &simplify::PASS])) {
        (pass.run)(&mut prog, &mut cx);
        check(&prog);
    }
    for n in inputs {
        assert_eq!(results(&before, &[i64(*n)]), results(&prog, &[i64(*n)]), "for {n}");
    }
    prog
}

fn statements(prog: &Prog) -> usize {
    prog.to_string().matches("let ").count()
}

#[test]
fn a_long_body_of_scalars() {
    // Of every four statements one repeats an earlier one, one is dead and one is folded.
    let mut text = String::new();
    let mut last = String::from("n_1");
    for i in 1..2_500 {
        let id = 10 * i;
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| format!("x_{}", id + k));
        writeln!(text, "let {a}: i64 = mul {last} {last}").unwrap();
        writeln!(text, "let {b}: i64 = mul {last} {last}").unwrap();
        writeln!(text, "let {c}: i64 = sub {b} {a}").unwrap();
        writeln!(text, "let {d}: i64 = add {b} {i}").unwrap();
        last = d;
    }
    writeln!(text, "let r_0: i64 = {last}").unwrap();
    let prog = through_all_passes(&main_with(&text), &[0, 3]);
    assert_eq!(statements(&prog), 2 * 2_499);
}

#[test]
fn a_long_body_of_arrays_and_checks() {
    let mut text = String::from("let a_2: [8]i64 = iota 8 from n_1 by n_1 : i64\nlet s_3: i64 = n_1\n");
    let mut last = String::from("s_3");
    for i in 1..1_700 {
        let id = 10 * i;
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|k| format!("x_{}", id + k));
        writeln!(text, "let {a}: i64 = and {last} 7").unwrap();
        writeln!(text, "let {b}: bool = lt {a} 8").unwrap();
        writeln!(text, "let {c}: cert = assert {b} \"bounds\"").unwrap();
        writeln!(text, "let {d}: [8]i64 = copy a_2").unwrap();
        writeln!(text, "let {e}: i64 = <{c}> index {d}[{a}]").unwrap();
        writeln!(text, "let {f}: i64 = add {e} {last}").unwrap();
        last = f;
    }
    writeln!(text, "let r_0: i64 = {last}").unwrap();
    let prog = through_all_passes(&main_with(&text), &[0, 3]);
    let text = prog.to_string();
    assert!(!text.contains("copy") && !text.contains("iota"), "no arrays are left");
}

#[test]
fn a_long_chain_of_updates_and_views() {
    let mut text = String::from("let x_10: [8]i64 = iota 8 : i64\n");
    for i in 1..2_500 {
        let (old, new) = (10 * i, 10 * i + 10);
        writeln!(text, "let v_{}: [8]i64 = slice x_{old}[7 :+ 8 * -1]", old + 1).unwrap();
        writeln!(text, "let w_{}: [4]i64 = slice v_{}[1 :+ 4 * 2]", old + 2, old + 1).unwrap();
        writeln!(text, "let y_{}: i64 = index w_{}[{}]", old + 3, old + 2, i % 4).unwrap();
        writeln!(text, "let z_{}: i64 = add y_{} n_1", old + 4, old + 3).unwrap();
        writeln!(text, "let x_{new}: [8]i64 = update x_{old}[{}] = z_{}", i % 8, old + 4).unwrap();
    }
    writeln!(text, "let r_0: i64 = index x_{}[3]", 10 * 2_500).unwrap();
    let prog = through_all_passes(&main_with(&text), &[0, 3]);
    assert!(!prog.to_string().contains("slice"), "no views are left");
}

/// The text of so many nested constructs around `inner`. Each is given by what opens and what closes it, for its depth.
fn nested(open: impl Fn(usize) -> String, inner: &str, close: impl Fn(usize) -> String) -> String {
    let opening: String = (0..DEEP).map(open).collect();
    let closing: String = (0..DEEP).rev().map(close).collect();
    main_with(&format!("{opening}{inner}{closing}"))
}

/// The name that is bound at a depth.
fn result(depth: usize) -> String {
    if depth == 0 { "r_0".into() } else { format!("r_{}", 10 * depth + 9) }
}

#[test]
fn deep_branches() {
    let text = nested(
        |i| {
            let id = 10 * i + 10;
            format!("let c_{id}: bool = lt n_1 {i}\nlet {}: i64 = if c_{id} then {{ in {i} }} else {{\n", result(i))
        },
        &format!("let {}: i64 = mul n_1 n_1\n", result(DEEP)),
        |i| format!("in {} }}\n", result(i + 1)),
    );
    through_all_passes(&text, &[-1, 0, 70, 499, 500]);
}

#[test]
fn deep_branches_that_are_decided() {
    let text = nested(
        |i| format!("let {}: i64 = if true then {{\n", result(i)),
        &format!("let {}: i64 = mul n_1 n_1\n", result(DEEP)),
        |i| format!("in {} }} else {{ in {i} }}\n", result(i + 1)),
    );
    let prog = through_all_passes(&text, &[3]);
    assert_eq!(statements(&prog), 1);
}

#[test]
fn deep_loops() {
    let text = nested(
        |i| {
            let id = 10 * i + 10;
            let init = if i == 0 { "n_1".to_string() } else { format!("p_{}", id - 10) };
            let (r, j, m) = (result(i), id + 1, id + 2);
            format!(
                "let m_{m}: i64 = and n_1 1
                 let {r}: i64 = loop (p_{id}: i64 = {init}) for i_{j}: i64 < m_{m} {{\n"
            )
        },
        &format!("let {}: i64 = mul p_{} 3\n", result(DEEP), 10 * DEEP),
        |i| format!("in {} }}\n", result(i + 1)),
    );
    through_all_passes(&text, &[2, 3]);
}

#[test]
fn deep_loops_that_run_once() {
    let text = nested(
        |i| {
            let id = 10 * i + 10;
            let init = if i == 0 { "n_1".to_string() } else { format!("p_{}", id - 10) };
            format!("let {}: i64 = loop (p_{id}: i64 = {init}) for i_{}: i64 < 1 {{\n", result(i), id + 1)
        },
        &format!("let {}: i64 = mul p_{} 3\n", result(DEEP), 10 * DEEP),
        |i| format!("in {} }}\n", result(i + 1)),
    );
    let prog = through_all_passes(&text, &[2, 3]);
    assert_eq!(statements(&prog), 1);
}

#[test]
fn deep_lambdas() {
    let text = nested(
        |i| {
            let [x, a, b, q, t] = [0, 1, 2, 3, 4].map(|k| 10 * i + 10 + k);
            let outer = if i == 0 { "n_1".to_string() } else { format!("x_{}", x - 10) };
            format!(
                "let a_{a}: [2]i64 = iota 2 from {outer} by 3 : i64
                 let b_{b}: [2]i64 = map 2 (a_{a}) \\(x_{x}: i64) -> {{
                 let q_{q}: bool = ge x_{x} {i}
                 let t_{t}: i64 = if q_{q} then {{ in {i} }} else {{\n"
            )
        },
        &format!("let {}: i64 = mul n_1 n_1\n", result(DEEP)),
        |i| {
            let (b, t) = (10 * i + 12, 10 * i + 14);
            format!("in {} }}\nin t_{t} }}\nlet {}: i64 = index b_{b}[1]\n", result(i + 1), result(i))
        },
    );
    through_all_passes(&text, &[2, 3]);
}

#[test]
fn deep_reductions_with_checks() {
    let text = nested(
        |i| {
            let [x, a, q, c] = [0, 1, 2, 3].map(|k| 10 * i + 10 + k);
            let outer = if i == 0 { "n_1".to_string() } else { format!("x_{}", x - 10) };
            let r = result(i);
            format!(
                "let q_{q}: bool = lt {outer} 100
                 let c_{c}: cert = assert q_{q} \"large\"
                 let a_{a}: [2]i64 = <c_{c}> iota 2 from {outer} by 1 : i64
                 let {r}: i64 = screma 2 (a_{a}) map \\(x_{x}: i64): i64 -> {{\n"
            )
        },
        &format!("let {}: i64 = mul n_1 n_1\n", result(DEEP)),
        |i| {
            let [y, z, w] = [4, 5, 6].map(|k| 10 * i + 10 + k);
            let inner = result(i + 1);
            format!(
                "in {inner} }} reduce (0) \\(y_{y}: i64, z_{z}: i64) -> {{ let w_{w}: i64 = max y_{y} z_{z} in w_{w} }}\n"
            )
        },
    );
    through_all_passes(&text, &[200]);
}

#[test]
fn deep_calls() {
    let mut text = String::from("fun f0 (x_1: i64) : (i64) = { let y_2: i64 = mul x_1 x_1 in y_2 }\n");
    for i in 1..DEEP {
        let id = 10 * i;
        writeln!(
            text,
            "fun f{i} (x_{id}: i64) : (i64) = {{ let y_{}: i64 = call f{} (x_{id}) let z_{}: i64 = add y_{} {i} in z_{} }}",
            id + 1,
            i - 1,
            id + 2,
            id + 1,
            id + 2
        )
        .unwrap();
    }
    writeln!(text, "fun main (n_9000: i64) : (i64) = {{ let r_9001: i64 = call f{} (n_9000) in r_9001 }}", DEEP - 1)
        .unwrap();
    through_all_passes(&text, &[2, 3]);
}
