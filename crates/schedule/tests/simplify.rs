//! What `simplify` makes of the parallel stage.

mod common;

use common::{assert_order, results};
use kenaz_ir::{Log, PassCx, target};
use kenaz_optimise::simplify::PASS;

/// A `main` with an array `a_2`, simplified after any number of rewrites: its results stay the same.
fn simplified(results_of: &str, statements: &str) -> String {
    let text = format!(
        "fun main (n_1: i64) : {results_of} = {{
           let a_2: [n_1]i64 = iota n_1 : i64
           {statements}
         }}"
    );
    let before = kenaz_ir::parse::prog(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut cx = PassCx::default();
    let mut after = before.clone();
    (PASS.run)(&mut after, &mut cx);
    for fuel in 0..=cx.log.used() {
        let mut prog = before.clone();
        (PASS.run)(&mut prog, &mut PassCx::new(&target::C, Log::with_fuel(fuel)));
        for n in [0, 1, 5] {
            assert_eq!(results(&before, n), results(&prog, n), "main {n} after {fuel} rewrites\n{prog}");
        }
    }
    after.to_string()
}

const ADD: &str = "\\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";
const MAX: &str = "\\(x_93: i64, y_94: i64) -> { let z_95: i64 = max x_93 y_94 in z_95 }";

#[test]
fn results_that_nobody_needs_go() {
    let after = simplified(
        "(i64) ([n_1]i64)",
        &format!(
            "let r_3: i64, s_4: i64, b_5: [n_1]i64, c_6: [n_1]i64 = par (i_7 < n_1) reduce (0) {ADD} reduce (-1) {MAX} own own {{
               let x_8: i64 = mul i_7 i_7
               let y_9: i64 = sub i_7 3
               let z_10: i64 = xor i_7 3
               in x_8, y_9, z_10, y_9
             }}
             in s_4, c_6"
        ),
    );
    assert!(after.contains("let s_4: i64, c_6: [n_1]i64 = par (i_7 < n_1) reduce (-1)"), "{after}");
    assert!(after.contains("in y_9, y_9"), "{after}");
    assert!(!after.contains("x_8") && !after.contains("z_10"), "{after}");
}

#[test]
fn a_scan_that_nobody_needs_takes_its_last_body_along() {
    let after = simplified(
        "([n_1]i64)",
        &format!(
            "let b_3: [n_1]i64, c_4: [n_1]i64 = par (i_5 < n_1) scan (0) {ADD} own own {{
               let x_6: i64 = mul i_5 i_5
               in i_5
             }} post (s_7: i64) {{
               let y_8: i64 = sub x_6 1
               in s_7, y_8
             }}
             in c_4"
        ),
    );
    assert_order(&after, &["let c_4: [n_1]i64 = par (i_5 < n_1) own {", "let x_6", "let y_8", "in y_8"]);
    assert!(!after.contains("post") && !after.contains("scan"), "{after}");
}

#[test]
fn a_destination_that_nobody_needs_is_not_written() {
    let after = simplified(
        "([4]i64)",
        &format!(
            "let d_3: [4]i64 = replicate [4] 0
             let e_4: [4]i64 = replicate [4] 1
             let f_5: [4]i64, g_6: [4]i64 = par (i_7 < n_1) write d_3 rank 1 acc (e_4) rank 1 (0) {ADD} {{
               let x_8: i64 = mul i_7 i_7
               in x_8, 3, i_7, 5
             }}
             in g_6"
        ),
    );
    assert!(after.contains("let g_6: [4]i64 = par (i_7 < n_1) acc (e_4)") && after.contains("in i_7, 5"), "{after}");
    assert!(!after.contains("d_3") && !after.contains("x_8"), "{after}");
}

#[test]
fn an_index_is_in_bounds() {
    let after = simplified(
        "([n_1]i64)",
        "let b_3: [n_1]i64 = par (i_4 < n_1) own {
           let p_5: bool = le 0 i_4
           let q_6: bool = lt i_4 n_1
           let r_7: bool = and p_5 q_6
           let c_8: cert = assert r_7 \"out\"
           let x_9: i64 = <c_8> index a_2[i_4]
           let y_10: i64 = add x_9 0
           in y_10
         }
         in b_3",
    );
    assert!(!after.contains("assert") && !after.contains("add"), "{after}");
}

#[test]
fn what_was_computed_is_not_computed_again() {
    let square = |b: u32, i: u32, x: u32| {
        format!("let b_{b}: [n_1]i64 = par (i_{i} < n_1) own {{ let x_{x}: i64 = mul i_{i} i_{i} in x_{x} }}")
    };
    let after = simplified(
        "([n_1]i64)",
        &format!(
            "{}
             {}
             let c_9: [n_1]i64 = par (i_10 < n_1) own {{
               let p_11: i64 = index b_3[i_10]
               let q_12: i64 = index b_6[i_10]
               let r_13: i64 = add p_11 q_12
               in r_13
             }}
             in c_9",
            square(3, 4, 5),
            square(6, 7, 8)
        ),
    );
    assert!(!after.contains("b_6") && !after.contains("q_12"), "{after}");
}
