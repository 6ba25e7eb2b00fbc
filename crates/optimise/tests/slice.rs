//! Size slicing: the running example of \[size\] figure by figure, each rule, and what must stay as it is.

mod common;

use common::{count, run, same};
use kenaz_ir::{DecisionKind, Log, PassCx, target};
use kenaz_optimise::slice::PASS;
use kenaz_runtime::{Data, Value};

/// \[size\] fig. 8, which is where our IR begins: fig. 7 is the same without sizes.
const FIGURE_8: &str = "
fun f (N_1: i64) (M_2: i64) (a_3: [N_1][M_2]f64) : (k_4: i64) (*[k_4]f64) = {
  let S_5: [N_1]f64, P_6: [N_1]f64 = map N_1 (a_3) \\(x_7: [M_2]f64) -> {
    let s_8: f64 = reduce M_2 (x_7) (0.0f64) \\(x_9: f64, y_10: f64) -> { let z_11: f64 = add x_9 y_10 in z_11 }
    let p_12: f64 = reduce M_2 (x_7) (1.0f64) \\(x_13: f64, y_14: f64) -> { let z_15: f64 = mul x_13 y_14 in z_15 }
    in s_8, p_12
  }
  let k_16: i64 = add N_1 N_1
  let R_17: [k_16]f64 = concat k_16 (S_5, P_6)
  in k_16, R_17
}

fun main (K_20: i64) (N_21: i64) (M_22: i64) (A_23: [K_20][N_21][M_22]f64) : (*[K_20]f64) = {
  let e_24: bool = eq K_20 0
  let S_25: i64 = if e_24 then { in 0 } else {
    let a_26: [N_21][M_22]f64 = index A_23[0]
    let s_27: i64, v_28: [s_27]f64 = call f (N_21, M_22, a_26)
    in s_27
  }
  let B_29: [K_20][S_25]f64 = map K_20 (A_23) \\(a_30: [N_21][M_22]f64) -> {
    let s_31: i64, v_32: [s_31]f64 = call f (N_21, M_22, a_30)
    let q_33: bool = eq s_31 S_25
    let c_34: cert = assert q_33 \"irregular: {s_31} and {S_25}\"
    let w_35: [S_25]f64 = <c_34> resize [S_25] v_32
    in w_35
  }
  let r_36: [K_20]f64 = map K_20 (B_29) \\(b_37: [S_25]f64) -> {
    let t_38: f64 = reduce S_25 (b_37) (0.0f64) \\(x_39: f64, y_40: f64) -> { let z_41: f64 = add x_39 y_40 in z_41 }
    in t_38
  }
  in r_36
}
";

fn cube(k: usize, n: usize, m: usize) -> Vec<Value> {
    let data = (0..k * n * m).map(|x| x as f64).collect();
    let sizes = [k, n, m].map(|n| Value::from(n as i64));
    sizes.into_iter().chain([Value::new(vec![k, n, m], Data::F64(data))]).collect()
}

/// The program after so many rewrites, and the rule of the last one.
fn after(text: &str, fuel: u64) -> (String, Option<&'static str>) {
    let mut prog = common::parse(text);
    let mut cx = PassCx::new(&target::C, Log::with_fuel(fuel));
    (PASS.run)(&mut prog, &mut cx);
    common::check(&prog);
    (prog.to_string(), cx.log.last().map(|rewrite| rewrite.rule))
}

/// Checks that the text has these lines one after the other. `x_?` stands for a name that the pass made.
#[track_caller]
fn has(text: &str, expected: &str) {
    let lines = |text: &str| -> Vec<String> { text.trim().lines().map(|line| line.trim().to_string()).collect() };
    let (lines, expected) = (lines(text), lines(expected));
    let same = |(line, expected): (&String, &String)| {
        let mut parts = expected.split('?');
        let mut rest = parts.next().and_then(|part| line.strip_prefix(part));
        for part in parts {
            rest = rest.and_then(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(part));
        }
        rest == Some("")
    };
    let found = lines.windows(expected.len()).any(|window| window.iter().zip(&expected).all(same));
    assert!(found, "these lines are missing:\n{}\nin\n{}", expected.join("\n"), lines.join("\n"));
}

// The running example

#[test]
fn figure_8_to_10() {
    let inputs = [cube(2, 3, 4), cube(0, 3, 4), cube(2, 0, 1)];
    let (_, log) = same(&PASS, FIGURE_8, &inputs);
    assert_eq!(log.used(), 4);

    // Fig. 9: the shape slice of `f`. It has only the parameters it needs, so that it does not depend on the row.
    let (text, rule) = after(FIGURE_8, 1);
    assert_eq!(rule, Some("slice-shape-function"));
    has(
        &text,
        "
fun f_shape (N_?: i64) : (i64) = {
let k_?: i64 = add N_? N_?
in k_?
}

fun f_value (k_4: i64) (N_1: i64) (M_2: i64) (a_3: [N_1][M_2]f64) : (*[k_4]f64) = {",
    );
    has(
        &text,
        "
  let R_17: [k_4]f64 = concat k_4 (S_5, P_6)
  in R_17",
    );
    has(
        &text,
        "
  let S_25: i64 = if e_24 then { in 0 } else {
    let a_26: [N_21][M_22]f64 = index A_23[0]
    let s_27: i64 = call f_shape (N_21)
    let v_28: [s_27]f64 = call f_value (s_27, N_21, M_22, a_26)
    in s_27
  }
  let B_29: [K_20][S_25]f64 = map K_20 (A_23) \\(a_30: [N_21][M_22]f64) -> {
    let s_31: i64 = call f_shape (N_21)
    let v_32: [s_31]f64 = call f_value (s_31, N_21, M_22, a_30)
    let q_33: bool = eq s_31 S_25
    let c_34: cert = assert q_33 \"irregular: {s_31} and {S_25}\"
    let w_35: [S_25]f64 = <c_34> resize [S_25] v_32
    in w_35
  }",
    );

    // Fig. 10.B: `f_shape` is inlined. The dead call of `f_value` for the size of the first row is for the simplifier.
    let (text, rule) = after(FIGURE_8, 3);
    assert_eq!(rule, Some("slice-inline-shape"));
    assert!(!text.contains("f_shape"), "{text}");
    has(
        &text,
        "
    let s_27: i64 = add N_21 N_21
    let v_28: [s_27]f64 = call f_value (s_27, N_21, M_22, a_26)
    in s_27",
    );

    // Fig. 10.D without the detour over C: the check depends on no row, so it is made once, and passes if there is none.
    let (text, rule) = after(FIGURE_8, 4);
    assert_eq!(rule, Some("slice-check-map"));
    has(
        &text,
        "
  let s_31: i64 = add N_21 N_21
  let q_33: bool = eq s_31 S_25
  let idle_?: bool = le K_20 0
  let ok_?: bool = or idle_? q_33
  let c_34: cert = assert ok_? \"irregular: {s_31} and {S_25}\"
  let B_29: [K_20][S_25]f64 = map K_20 (A_23) \\(a_30: [N_21][M_22]f64) -> {
    let v_32: [s_31]f64 = call f_value (s_31, N_21, M_22, a_30)
    let w_35: [S_25]f64 = <c_34> resize [S_25] v_32
    in w_35
  }",
    );
}

/// The running example with a function whose size does depend on the row: then the sizes of all rows are checked in
/// front, \[size\] fig. 10.A.
#[test]
fn figure_10_a() {
    let text = "
fun f (N_1: i64) (a_2: [N_1]i64) : (k_3: i64) (*[k_3]i64) = {
  let n_4: bool = lt 0 N_1
  let c_5: cert = assert n_4 \"empty\"
  let x_6: i64 = <c_5> index a_2[0]
  let k_7: i64 = max x_6 0
  let r_8: [k_7]i64 = replicate [k_7] 7
  in k_7, r_8
}

fun main (S_10: i64) (K_11: i64) (N_12: i64) (A_13: [K_11][N_12]i64) : (*[K_11][S_10]i64) = {
  let B_14: [K_11][S_10]i64 = map K_11 (A_13) \\(a_15: [N_12]i64) -> {
    let s_16: i64, v_17: [s_16]i64 = call f (N_12, a_15)
    let q_18: bool = eq s_16 S_10
    let c_19: cert = assert q_18 \"irregular\"
    let w_20: [S_10]i64 = <c_19> resize [S_10] v_17
    in w_20
  }
  in B_14
}";
    let matrix = |rows: &[[i64; 2]], size: i64| {
        let data = Data::I64(rows.concat());
        let sizes = [size, rows.len() as i64, 2].map(Value::from);
        sizes.into_iter().chain([Value::new(vec![rows.len(), 2], data)]).collect::<Vec<Value>>()
    };
    let inputs =
        [matrix(&[[3, 1], [3, 5]], 3), matrix(&[[3, 1], [2, 5]], 3), matrix(&[], 3), matrix(&[[3, 1], [3, 5]], 2)];
    let (text, log) = same(&PASS, text, &inputs);
    assert_eq!(count(&log, "slice-check-rows"), 1);
    assert_eq!(count(&log, "slice-check-call"), 1);
    has(
        &text,
        "
  let n_?: bool = lt 0 N_12
  let idle_?: bool = le K_11 0
  let ok_?: bool = or idle_? n_?
  let c_?: cert = assert ok_? \"empty\"
  let ok_?: bool = screma K_11 (A_13) map \\(a_?: [N_12]i64) -> {
    let x_?: i64 = <c_?> index a_?[0]
    let s_?: i64 = max x_? 0
    let q_?: bool = eq s_? S_10
    in q_?
  } reduce_comm (true) \\(a_?: bool, b_?: bool) -> { let ok_?: bool = and a_? b_? in ok_? }
  let c_19: cert = assert ok_? \"irregular\"
  let B_14: [K_11][S_10]i64 = map K_11 (A_13) \\(a_15: [N_12]i64) -> {",
    );
}

/// The first row that fails is the one that the message is about.
#[test]
fn the_message_of_a_check_of_rows() {
    let text = "
fun main (S_1: i64) (K_2: i64) (a_3: [K_2]i64) : (*[K_2][S_1]i64) = {
  let b_4: [K_2][S_1]i64 = map K_2 (a_3) \\(x_5: i64) -> {
    let k_6: i64 = max x_5 0
    let r_7: [k_6]i64 = replicate [k_6] x_5
    let q_8: bool = eq k_6 S_1
    let c_9: cert = assert q_8 \"{k_6} is not {S_1}\"
    let w_10: [S_1]i64 = <c_9> resize [S_1] r_7
    in w_10
  }
  in b_4
}";
    let input = |xs: &[i64]| vec![Value::from(2i64), Value::from(xs.len() as i64), Value::from(xs.to_vec())];
    let inputs = [input(&[2, 2]), input(&[]), input(&[2, 5, 6, 2])];
    let (after, log) = same(&PASS, text, &inputs);
    assert_eq!(count(&log, "slice-check-rows"), 1);
    let compiled = kenaz_interp::compile(&common::parse(&after), kenaz_interp::Options::default());
    let error = compiled.run_in("main", inputs[2].clone(), &mut kenaz_interp::Environment::default()).unwrap_err();
    assert!(error.to_string().contains("5 is not 2"), "{error}");
}

// Functions

#[test]
fn a_size_that_is_a_parameter_is_no_result() {
    let (text, log) = same(
        &PASS,
        "fun f (n_1: i64) (m_2: i64) : (k_3: i64) (j_4: i64) ([k_3][j_4]i64) = {
           let a_5: [n_1][3]i64 = replicate [n_1, 3] m_2
           in n_1, 3, a_5
         }
         fun main (n_6: i64) : (k_7: i64) ([k_7]i64) = {
           let k_8: i64, j_9: i64, a_10: [k_8][j_9]i64 = call f (n_6, 5)
           let b_11: [j_9][k_8]i64 = rearrange (1, 0) a_10
           let c_12: [k_8]i64 = map k_8 (a_10) \\(x_13: [j_9]i64) -> { let y_14: i64 = index x_13[1] in y_14 }
           in k_8, c_12
         }",
        &[vec![Value::from(4i64)]],
    );
    assert_eq!(count(&log, "slice-shape-evident"), 2);
    has(&text, "fun f (n_1: i64) (m_2: i64) : ([n_1][3]i64) = {");
    has(&text, "let a_10: [n_6][3]i64 = call f (n_6, 5)");
    has(&text, "let b_11: [3][n_6]i64 = rearrange (1, 0) a_10");
}

/// One size is a parameter, one is cheap, one comes with its value.
#[test]
fn each_size_of_a_function_is_looked_at_alone() {
    let (text, log) = same(
        &PASS,
        "fun f (n_1: i64) (a_2: [n_1]i64) : (k_3: i64) (j_4: i64) ([k_3]i64) ([j_4]i64) = {
           let p_5: i64, b_6: [p_5]i64 = filter n_1 (a_2) \\(x_7: i64) -> { let y_8: bool = lt x_7 3 in y_8 }
           let q_9: i64 = mul n_1 n_1
           let c_10: [q_9]i64 = replicate [q_9] 1
           in p_5, q_9, b_6, c_10
         }
         fun main (n_11: i64) (a_12: [n_11]i64) : (k_13: i64) (j_14: i64) ([k_13]i64) ([j_14]i64) = {
           let k_15: i64, j_16: i64, b_17: [k_15]i64, c_18: [j_16]i64 = call f (n_11, a_12)
           in k_15, j_16, b_17, c_18
         }",
        &[vec![Value::from(3i64), Value::from(vec![1i64, 5, 2])]],
    );
    has(&text, "fun f_value (j_4: i64) (n_1: i64) (a_2: [n_1]i64) : (k_3: i64) ([k_3]i64) ([j_4]i64) = {");
    let refused: Vec<&str> = log.decisions().iter().map(|d| d.reason.as_str()).collect();
    assert!(refused.contains(&"a second-order operator computes it"), "{refused:?}");
}

/// The cost rule.
#[test]
fn sizes_that_are_not_cheap_come_with_their_values() {
    let many: String = (2..60).map(|i| format!("let x_{}: i64 = mul x_{} n_1\n", i + 100, i + 99)).collect();
    for (size, given) in [
        ("let k_9: i64 = loop (d_4: i64 = n_1) for i_5: i64 < n_1 { let e_6: i64 = add d_4 i_5 in e_6 }", 1),
        ("let k_9: i64 = reduce n_1 (a_2) (0) \\(x_4: i64, y_5: i64) -> { let z_6: i64 = max x_4 y_5 in z_6 }", 1),
        ("let k_9: i64 = opaque n_1", 0),
        ("let k_9: i64 = trace \"size\" n_1", 0),
        (&format!("let x_101: i64 = add n_1 1\n{many}let m_4: i64 = max x_159 0\nlet k_9: i64 = mod m_4 8"), 0),
    ] {
        let text = format!(
            "fun f (n_1: i64) (a_2: [n_1]i64) : (k_3: i64) ([k_3]i64) = {{
               {size}
               let r_10: [k_9]i64 = replicate [k_9] 1
               in k_9, r_10
             }}
             fun main (n_21: i64) (a_22: [n_21]i64) : (k_23: i64) ([k_23]i64) = {{
               let k_24: i64, r_25: [k_24]i64 = call f (n_21, a_22)
               in k_24, r_25
             }}"
        );
        let (_, log) = same(&PASS, &text, &[vec![Value::from(2i64), Value::from(vec![1i64, given])]]);
        assert_eq!(log.used(), 0, "{size}");
        assert!(log.decisions().iter().any(|d| d.kind == DecisionKind::SizeStaysWithValue), "{size}");
    }
}

/// An operation without a certificate may rely on the check before it.
#[test]
fn what_its_place_vouches_for_stays_there() {
    let text = "
fun f (n_1: i64) (i_2: i64) (a_3: [n_1]i64) : (k_4: i64) ([k_4]i64) = {
  let p_5: bool = lt i_2 n_1
  let c_6: cert = assert p_5 \"out of bounds\"
  let k_7: i64 = index a_3[i_2]
  let r_8: [k_7]i64 = replicate [k_7] 1
  in k_7, r_8
}
fun main (n_21: i64) (a_22: [n_21]i64) : (k_23: i64) ([k_23]i64) = {
  let k_24: i64, r_25: [k_24]i64 = call f (n_21, 5, a_22)
  in k_24, r_25
}";
    let (_, log) = same(&PASS, text, &[vec![Value::from(2i64), Value::from(vec![1i64, 1])]]);
    assert_eq!(log.used(), 0);
}

/// A function that computes with its size keeps the definition: it says more than a parameter does.
#[test]
fn a_size_that_is_compared_stays_defined() {
    let (text, _) = run(
        &PASS,
        "fun f (n_1: i64) (m_2: i64) : (k_3: i64) ([k_3]i64) = {
           let k_4: i64 = add n_1 1
           let q_5: bool = lt n_1 k_4
           let c_6: cert = assert q_5 \"wrapped around\"
           let r_7: [k_4]i64 = <c_6> replicate [k_4] m_2
           in k_4, r_7
         }
         fun main (n_8: i64) (m_9: i64) : (k_10: i64) ([k_10]i64) = {
           let k_11: i64, r_12: [k_11]i64 = call f (n_8, m_9)
           in k_11, r_12
         }",
    );
    has(
        &text,
        "
fun f_value (k_3: i64) (n_1: i64) (m_2: i64) : ([k_3]i64) = {
  let k_4: i64 = add n_1 1
  let q_5: bool = lt n_1 k_4",
    );
    assert!(text.contains(": [k_3]i64 = resize [k_3] r_7"), "{text}");
}

#[test]
fn entry_points_stay_what_the_outside_sees() {
    let (_, log) = run(
        &PASS,
        "entry main (n_1: i64) : (k_2: i64) ([k_2]i64) = {
           let k_3: i64 = add n_1 1
           let r_4: [k_3]i64 = replicate [k_3] 1
           in k_3, r_4
         }",
    );
    assert_eq!(log.used(), 0);
}

/// What the function consumes is read by the shape function before.
#[test]
fn a_shape_function_does_not_consume() {
    let (text, log) = same(
        &PASS,
        "fun f (n_1: i64) (a_2: *[n_1]i64) : (k_3: i64) ([k_3]i64) ([n_1]i64) = {
           let z_4: bool = lt 0 n_1
           let c_5: cert = assert z_4 \"empty\"
           let k_6: i64 = <c_5> index a_2[0]
           let b_7: [n_1]i64 = update a_2[0] = 9
           let r_8: [k_6]i64 = replicate [k_6] 1
           in k_6, r_8, b_7
         }
         fun main (n_9: i64) (a_10: *[n_9]i64) : (k_11: i64) ([k_11]i64) ([n_9]i64) = {
           let k_12: i64, r_13: [k_12]i64, b_14: [n_9]i64 = call f (n_9, a_10)
           in k_12, r_13, b_14
         }",
        &[vec![Value::from(2i64), Value::from(vec![3i64, 4])], vec![Value::from(0i64), Value::from(Vec::<i64>::new())]],
    );
    assert_eq!(count(&log, "slice-shape-function"), 1);
    assert!(text.contains("let k_12: i64 = <c_"), "{text}");
}

// Branches

#[test]
fn figure_22_to_23() {
    let (text, log) = same(
        &PASS,
        "fun g (p_1: i64) : (i64) = {
           let q_2: i64 = loop (x_3: i64 = p_1) for i_4: i64 < 3 { let y_5: i64 = add x_3 i_4 in y_5 }
           in q_2
         }
         fun main (p_6: i64) (c_7: bool) : (n_8: i64) ([n_8]i64) ([p_6]i64) = {
           let n_9: i64, a_10: [n_9]i64 = if c_7 then {
             let a_11: [p_6]i64 = iota p_6 : i64
             in p_6, a_11
           } else {
             let q_12: i64 = call g (p_6)
             let a_13: [q_12]i64 = iota q_12 : i64
             in q_12, a_13
           }
           let m_14: i64, b_15: [m_14]i64 = if c_7 then {
             let b_16: [p_6]i64 = replicate [p_6] 1
             in p_6, b_16
           } else {
             let b_17: [p_6]i64 = replicate [p_6] 2
             in p_6, b_17
           }
           let d_18: [m_14]i64 = map m_14 (b_15) \\(x_19: i64) -> { let y_20: i64 = add x_19 m_14 in y_20 }
           let e_21: [p_6]i64 = resize [p_6] d_18
           in n_9, a_10, e_21
         }",
        &[vec![Value::from(2i64), Value::from(true)], vec![Value::from(2i64), Value::from(false)]],
    );
    assert_eq!(count(&log, "slice-branch-agree"), 1);
    assert_eq!(count(&log, "slice-branch-size"), 0);
    assert!(text.contains("let n_9: i64, a_10: [n_9]i64 = if c_7 then {"), "{text}");
    assert!(text.contains("let b_15: [p_6]i64 = if c_7 then {"), "{text}");
    has(&text, "let d_18: [p_6]i64 = map p_6 (b_15) \\(x_19: i64) -> { let y_20: i64 = add x_19 p_6 in y_20 }");
}

/// One body yields the size under another name; that it is the same follows from the condition, or from what it is.
#[test]
fn branches_agree_provably() {
    let (text, log) = same(
        &PASS,
        "fun main (n_1: i64) (m_2: i64) (a_3: [n_1]i64) (b_4: [m_2]i64) : (k_5: i64) ([k_5]i64) = {
           let q_6: bool = eq n_1 m_2
           let k_7: i64, r_8: [k_7]i64 = if q_6 then { in n_1, a_3 } else { in m_2, b_4 }
           let n_9: i64 = add m_2 1
           let j_10: i64, s_11: [j_10]i64 = if q_6 then {
             let n_12: i64 = add 1 m_2
             let x_13: [n_12]i64 = replicate [n_12] 1
             in n_12, x_13
           } else {
             let x_14: [n_9]i64 = replicate [n_9] 2
             in n_9, x_14
           }
           in j_10, s_11
         }",
        &[
            vec![Value::from(2i64), Value::from(2i64), Value::from(vec![3i64, 4]), Value::from(vec![5i64, 6])],
            vec![Value::from(1i64), Value::from(2i64), Value::from(vec![3i64]), Value::from(vec![5i64, 6])],
        ],
    );
    assert_eq!(count(&log, "slice-branch-agree"), 2);
    assert!(text.contains("let x_13: [n_9]i64 = replicate [n_9] 1"), "{text}");
    has(&text, "in n_9, s_11");
}

#[test]
fn cheap_sizes_of_branches_come_first() {
    let text = |yes: &str| {
        format!(
            "fun main (n_1: i64) (c_2: bool) : (k_3: i64) ([k_3]i64) = {{
               let k_4: i64, r_5: [k_4]i64 = if c_2 then {{
                 {yes}
                 let a_8: [n_7]i64 = replicate [n_7] 1
                 in n_7, a_8
               }} else {{
                 let b_9: [n_1]i64 = replicate [n_1] 2
                 in n_1, b_9
               }}
               in k_4, r_5
             }}"
        )
    };
    let inputs = [vec![Value::from(2i64), Value::from(true)], vec![Value::from(2i64), Value::from(false)]];
    let (after, log) = same(&PASS, &text("let n_7: i64 = add n_1 1"), &inputs);
    assert_eq!(count(&log, "slice-branch-size"), 1);
    has(
        &after,
        "
  let k_4: i64 = if c_2 then { let n_?: i64 = add n_1 1 in n_? } else { in n_1 }
  let r_5: [k_4]i64 = if c_2 then { let a_8: [k_4]i64 = replicate [k_4] 1 in a_8 } else {
    let b_9: [n_1]i64 = replicate [n_1] 2
    let b_?: [k_4]i64 = resize [k_4] b_9
    in b_?
  }",
    );
    // A check inside vouches for the size.
    let checked = "let q_10: bool = ne n_1 0
                   let c_11: cert = assert q_10 \"zero\"
                   let n_7: i64 = <c_11> div 12 n_1";
    let zero = vec![Value::from(0i64), Value::from(false)];
    let (_, log) = same(&PASS, &text(checked), &[inputs[0].clone(), inputs[1].clone(), zero]);
    assert_eq!(log.used(), 0);
}

// Loops

#[test]
fn a_size_that_a_loop_does_not_change_is_no_parameter() {
    let (text, log) = same(
        &PASS,
        "fun main (n_1: i64) (a_2: [n_1]i64) : (k_3: i64) ([k_3]i64) = {
           let d_4: i64, b_5: [d_4]i64 = loop (d_6: i64 = n_1, b_7: [d_6]i64 = a_2) for i_8: i64 < 3 {
             let e_9: i64 = add d_6 i_8
             let f_10: i64 = sub e_9 i_8
             let c_11: [f_10]i64 = iota f_10 : i64
             in f_10, c_11
           }
           let e_12: i64, g_13: [e_12]i64 = loop (d_14: i64 = n_1, b_15: [d_14]i64 = a_2) for i_16: i64 < 3 {
             let e_17: i64 = add d_14 1
             let c_18: [e_17]i64 = iota e_17 : i64
             in e_17, c_18
           }
           in d_4, b_5
         }",
        &[vec![Value::from(2i64), Value::from(vec![5i64, 6])]],
    );
    assert_eq!(count(&log, "slice-loop-invariant"), 1);
    has(&text, "let b_5: [n_1]i64 = loop (b_7: [n_1]i64 = a_2) for i_8: i64 < 3 {");
    has(&text, "let e_12: i64, g_13: [e_12]i64 = loop (d_14: i64 = n_1, b_15: [d_14]i64 = a_2) for i_16: i64 < 3 {");
    has(&text, "in n_1, b_5");
}

// Checks

/// A helper that is not inlined, called deep in a nest of maps and loops: the check is made once.
#[test]
fn checks_leave_functions_and_nests() {
    let (text, log) = same(
        &PASS,
        "#[noinline]
         fun at (n_1: i64) (i_2: i64) (a_3: [n_1]i64) : (i64) = {
           let p_4: bool = lt i_2 n_1
           let q_5: bool = le 0 i_2
           let r_6: bool = and p_4 q_5
           let c_7: cert = assert r_6 \"{i_2} is out of bounds\"
           let x_8: i64 = <c_7> index a_3[i_2]
           in x_8
         }
         fun main (i_10: i64) (m_11: i64) (n_12: i64) (a_13: [n_12]i64) : (*[n_12]i64) = {
           let r_14: [n_12]i64 = map n_12 (a_13) \\(x_15: i64) -> {
             let y_16: i64 = loop (z_17: i64 = x_15) for j_18: i64 < m_11 {
               let w_19: i64 = call at (n_12, i_10, a_13)
               let v_20: i64 = add z_17 w_19
               in v_20
             }
             in y_16
           }
           in r_14
         }",
        &[
            vec![Value::from(1i64), Value::from(2i64), Value::from(2i64), Value::from(vec![5i64, 6])],
            vec![Value::from(2i64), Value::from(2i64), Value::from(2i64), Value::from(vec![5i64, 6])],
            vec![Value::from(7i64), Value::from(0i64), Value::from(2i64), Value::from(vec![5i64, 6])],
            vec![Value::from(7i64), Value::from(2i64), Value::from(0i64), Value::from(Vec::<i64>::new())],
        ],
    );
    let rules = ["slice-check-call", "slice-check-loop", "slice-check-map"];
    assert_eq!(rules.map(|rule| count(&log, rule)), [1, 1, 1]);
    assert!(common::before(&text, "let c_", "let r_14"), "{text}");
    assert_eq!(text.matches("assert").count(), 1, "{text}");
}

/// What is only defined where the body runs is computed only there.
#[test]
fn partial_slices_are_guarded() {
    let (text, log) = same(
        &PASS,
        "fun main (i_1: i64) (m_2: i64) (n_3: i64) (a_4: [n_3]i64) : (*[m_2]i64) = {
           let r_5: [m_2]i64 = map m_2 () \\() -> {
             let p_6: bool = lt i_1 n_3
             let c_7: cert = assert p_6 \"{i_1} is out of bounds\"
             let x_8: i64 = <c_7> index a_4[i_1]
             let q_9: bool = lt 0 x_8
             let c_10: cert = assert q_9 \"{x_8} is not positive\"
             let y_11: i64 = <c_10> div 12 x_8
             in y_11
           }
           in r_5
         }",
        &[
            vec![Value::from(1i64), Value::from(2i64), Value::from(2i64), Value::from(vec![5i64, 6])],
            vec![Value::from(1i64), Value::from(2i64), Value::from(2i64), Value::from(vec![5i64, 0])],
            vec![Value::from(7i64), Value::from(2i64), Value::from(2i64), Value::from(vec![5i64, 6])],
            vec![Value::from(7i64), Value::from(0i64), Value::from(2i64), Value::from(vec![5i64, 6])],
        ],
    );
    assert_eq!(count(&log, "slice-check-map"), 2);
    has(
        &text,
        "
  let ok_?: bool, x_?: i64 = if runs_? then {
    let x_?: i64 = <c_7> index a_4[i_1]",
    );
}

#[test]
fn checks_of_elements_stay_inside() {
    let (_, log) = run(
        &PASS,
        "fun main (n_1: i64) (a_2: [n_1]i64) : (*[n_1]i64) = {
           let r_3: [n_1]i64 = map n_1 (a_2) \\(i_4: i64) -> {
             let p_5: bool = lt i_4 n_1
             let c_6: cert = assert p_5 \"out of bounds\"
             let x_7: i64 = <c_6> index a_2[i_4]
             in x_7
           }
           in r_3
         }",
    );
    assert_eq!(log.used(), 0);
}

/// A check in a branch that is the same every time is made in front of all, but only if the branch is taken.
#[test]
fn checks_leave_branches() {
    let text = "
#[noinline]
fun at (n_1: i64) (i_2: i64) (a_3: [n_1]i64) : (i64) = {
  let p_4: bool = lt i_2 n_1
  let x_5: i64 = if p_4 then {
    let q_6: bool = le 0 i_2
    let c_7: cert = assert q_6 \"negative\"
    let x_8: i64 = <c_7> index a_3[i_2]
    in x_8
  } else {
    let q_9: bool = lt i_2 10
    let c_10: cert = assert q_9 \"large\"
    let x_11: i64 = <c_10> add i_2 1
    in x_11
  }
  in x_5
}
fun main (i_12: i64) (n_13: i64) (a_14: [n_13]i64) : (*[n_13]i64) = {
  let r_15: [n_13]i64 = map n_13 (a_14) \\(x_16: i64) -> {
    let w_17: i64 = call at (n_13, i_12, a_14)
    in w_17
  }
  in r_15
}";
    let input = |i: i64, xs: &[i64]| vec![Value::from(i), Value::from(xs.len() as i64), Value::from(xs.to_vec())];
    let inputs = [input(1, &[5, 6]), input(9, &[5, 6]), input(99, &[5, 6]), input(-1, &[5, 6]), input(99, &[])];
    let (text, log) = same(&PASS, text, &inputs);
    assert_eq!(count(&log, "slice-check-branch"), 2);
    assert_eq!(count(&log, "slice-check-map"), 2);
    assert!(!text[text.find("let r_15").unwrap()..].contains("assert"), "{text}");
}

/// Where the branch taken depends on the element, nothing can be made in front.
#[test]
fn checks_stay_in_branches_that_change() {
    let (_, log) = run(
        &PASS,
        "fun main (i_1: i64) (n_2: i64) (a_3: [n_2]i64) : (*[n_2]i64) = {
           let r_4: [n_2]i64 = map n_2 (a_3) \\(x_5: i64) -> {
             let p_6: bool = lt x_5 7
             let y_7: i64 = if p_6 then {
               let q_8: bool = lt i_1 n_2
               let c_9: cert = assert q_8 \"out of bounds\"
               let z_10: i64 = <c_9> index a_3[i_1]
               in z_10
             } else { in 0 }
             in y_7
           }
           in r_4
         }",
    );
    assert_eq!(log.used(), 0);
}

/// A small function of scalars is as good as an operation.
#[test]
fn sizes_by_way_of_cheap_functions() {
    let (text, log) = same(
        &PASS,
        "#[noinline]
         fun half (n_1: i64) (m_2: i64) : (i64) = {
           let p_3: bool = ne m_2 0
           let c_4: cert = assert p_3 \"zero\"
           let q_5: i64 = <c_4> div n_1 m_2
           in q_5
         }
         #[noinline]
         fun f (n_6: i64) (m_7: i64) : (k_8: i64) ([k_8]i64) = {
           let h_9: i64 = call half (n_6, m_7)
           let k_10: i64 = max h_9 0
           let r_11: [k_10]i64 = replicate [k_10] 1
           in k_10, r_11
         }
         fun main (n_12: i64) (m_13: i64) : (k_14: i64) ([k_14]i64) = {
           let k_15: i64, r_16: [k_15]i64 = call f (n_12, m_13)
           in k_15, r_16
         }",
        &[vec![Value::from(7i64), Value::from(2i64)], vec![Value::from(7i64), Value::from(0i64)]],
    );
    assert_eq!(count(&log, "slice-shape-function"), 1);
    assert!(text.contains("> call half (n_12, m_13)"), "{text}");
}
