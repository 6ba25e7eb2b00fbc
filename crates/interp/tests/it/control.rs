//! Errors, arguments, interruption, traces, counts. What branches, loops and calls compute is in tests/ir/interp.

use crate::common::{compiled, results, run};
use kenaz_interp::{Environment, Kind};
use kenaz_runtime::Value;
use std::sync::atomic::AtomicBool;

#[test]
fn failed_checks_say_where() {
    let text = "
    fun get (n_0: i64) (a_1: [n_0]i32) (i_2: i64) : (i32) = {
      let c_3: bool = lt i_2 n_0
      let d_4: cert = assert c_3 \"Index [{i_2}] out of bounds for array of shape [{n_0}].\" at lib.fut:1:2-3 < lib.fut:9:9
      let x_5: i32 = <d_4> index a_1[i_2]
      in x_5
    }
    fun main (i_6: i64) : ([3]i32) = {
      let a_7: [3]i32 = iota 3 : i32
      let b_8: [3]i32 = map 3 (a_7) \\(x_9: i32) -> {
        let y_10: i64 = conv i64 x_9
        let z_11: i64 = add y_10 i_6
        let w_12: i32 = call get (3, a_7, z_11) at main.fut:7:1-5
        in w_12
      }
      in b_8
    }";
    assert_eq!(results(text, vec![Value::from(0i64)]), "[0i32, 1i32, 2i32]");
    let error = run(text, vec![Value::from(2i64)]).unwrap_err();
    assert_eq!(error.kind, Kind::Assertion);
    assert_eq!(error.message, "Index [3] out of bounds for array of shape [3].");
    let trace: Vec<&str> = error.trace.iter().map(|place| place.as_str()).collect();
    assert_eq!(trace, ["lib.fut:1:2-3", "lib.fut:9:9", "main.fut:7:1-5"]);
}

#[test]
fn messages_show_values_plainly() {
    let text = "fun main : = {
      let c_0: cert = assert false \"{1i8} {-2} {3u64} {true} {0.5f16} {1.0f32} {-f64.inf} {f32.nan} {1e-3f64}\"
      in
    }";
    assert_eq!(run(text, vec![]).unwrap_err().message, "1 -2 3 true 0.5 1.0 -inf nan 0.001");
    let text = "fun main : = { let c_0: cert = assert false hole \"Reached hole of type i32.\" in }";
    assert_eq!(run(text, vec![]).unwrap_err().kind, Kind::Hole);
    let text = "fun main (x_0: f32) : (f32) (f32) = {
      let a_1: f32, b_2: f32 = jvp \\(y_3: f32) -> { in y_3 } (x_0) (1.0f32) at a.fut:1:1
      in a_1, b_2
    }";
    let error = run(text, vec![Value::from(1f32)]).unwrap_err();
    assert_eq!((error.kind, &error.message[..]), (Kind::Limitation, "automatic differentiation is not supported yet"));
    assert_eq!(error.trace[0].as_str(), "a.fut:1:1");
}

#[test]
fn wrong_arguments_are_named() {
    let text = "fun main (n_0: i64) (a_1: [n_0]i32) (b_2: [n_0]f32) : (i64) = { in n_0 }";
    let message = |args| {
        let error = run(text, args).unwrap_err();
        assert_eq!(error.kind, Kind::Arguments);
        error.message
    };
    assert_eq!(message(vec![Value::from(2i64)]), "`main` has 3 parameters, but got 1 values.");
    assert_eq!(
        message(vec![Value::from(1i64), Value::from(vec![1i32]), Value::from(vec![1f32, 2.0])]),
        "Argument 3 of `main` should be of type [1]f32, but is of type [2]f32."
    );
    assert_eq!(
        message(vec![Value::from(1i64), Value::from(1i32), Value::from(vec![1f32])]),
        "Argument 2 of `main` should be of type [1]i32, but is of type i32."
    );
    assert_eq!(compiled(text).run("other", vec![]).unwrap_err().message, "There is no function `other`.");
}

#[test]
fn entry_points_find_sizes() {
    let text = "entry main (n_0: i64) (a_1: [n_0]i32) (m_2: i64) (b_3: [m_2][n_0]i32) : (k_4: i64) ([k_4]i32) (i64) = {
      let k_5: i64 = add n_0 n_0
      let c_6: [k_5]i32 = concat k_5 (a_1, a_1)
      in k_5, c_6, m_2
    }";
    let matrix = |rows: usize, columns: usize| {
        Value::new(vec![rows, columns], kenaz_runtime::Data::I32(vec![0; rows * columns]))
    };
    let compiled = compiled(text);
    let mut environment = Environment::default();
    let out = compiled.run_entry("main", vec![Value::from(vec![1i32]), matrix(3, 1)], &mut environment).unwrap();
    assert_eq!(out, [Value::from(vec![1i32, 1]), Value::from(3i64)]);
    let error = compiled.run_entry("main", vec![Value::from(vec![1i32]), matrix(3, 2)], &mut environment).unwrap_err();
    assert_eq!(error.message, "Argument 2 (`b`) should have shape [3][1], but has [3][2].");
    let error = compiled.run_entry("main", vec![matrix(3, 2)], &mut environment).unwrap_err();
    assert_eq!(error.message, "`main` needs 2 values, but got 1.");
}

#[test]
fn interruption() {
    let flag = AtomicBool::new(true);
    let text = "fun main : = {
      let g_0: bool = loop (g_1: bool = true) while g_1 { in true }
      in
    }";
    let mut environment = Environment { interrupt: Some(&flag), ..Environment::default() };
    let error = compiled(text).run_in("main", vec![], &mut environment).unwrap_err();
    assert_eq!(error.kind, Kind::Interrupted);
    let text = "fun main (n_0: i64) : = {
      let g_1: i64 = loop (x_2: i64 = 0) for i_3: i64 < n_0 { in i_3 }
      in
    }";
    let error = compiled(text).run_in("main", vec![Value::from(i64::MAX)], &mut environment).unwrap_err();
    assert_eq!(error.kind, Kind::Interrupted);
}

#[test]
fn traces_and_counts() {
    let text = "fun main (a_0: [2]i32) : (i32) = {
      let b_1: [2]i32 = trace \"xs\" a_0
      let c_2: i32 = index b_1[1]
      let d_3: i32 = trace \"\" c_2
      let e_4: cert = assert true \"fine: {d_3}\"
      let f_5: i32 = if false then { let g_6: i32 = add d_3 d_3 in g_6 } else { in d_3 }
      in f_5
    }";
    let mut out = Vec::new();
    let mut environment = Environment { trace: Box::new(&mut out), ..Environment::default() };
    compiled(text).run_in("main", vec![Value::from(vec![1i32, 2])], &mut environment).unwrap();
    let counts = std::mem::take(&mut environment.counts);
    drop(environment);
    assert_eq!(String::from_utf8(out).unwrap(), "xs: [1i32, 2i32]\nTrace: 2i32\n");
    let count = |label: &str| counts.get(label).copied();
    assert_eq!(count("trace"), Some(2));
    assert_eq!(count("assert fine: {}"), Some(1));
    assert_eq!(count("bin add i32"), Some(0));
    assert_eq!(count("if"), Some(1));
    assert_eq!(count("bin sub i32"), None);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let depth = 3_000;
    let mut text = String::from("fun main : (i64) = { ");
    for i in 0..depth {
        text += &format!("let x_{i}: i64 = if true then {{ ");
    }
    text += "in 1 ";
    for i in (0..depth).rev() {
        text += &format!("}} else {{ in 0 }} in x_{i} ");
    }
    text += "}";
    assert_eq!(results(&text, vec![]), "1i64");
}

#[test]
fn what_no_checker_accepts_is_a_fault_and_no_crash() {
    let kind = |body: &str| run(&format!("fun main : = {{ {body} in }}"), vec![]).unwrap_err().kind;
    let array = "let a_0: [2]i32 = iota 2 : i32 let e_1: [2][2]i32 = replicate [2, 2] 0i32";
    assert_eq!(kind(&format!("{array} let x_2: i32 = index a_0[2]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: i32 = index a_0[-1]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = index e_1[2]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = slice a_0[1 :+ 2 * 1]")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2]i32 = update a_0[5] = 0i32")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [3]i32 = reshape [3] a_0")), Kind::Fault);
    assert_eq!(kind(&format!("{array} let x_2: [2][2]i32 = update e_1[0, 0 :+ 1 * 1] = a_0")), Kind::Fault);
}
