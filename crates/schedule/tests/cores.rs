//! Which `par`s run on the cores, on programs of the parallel stage in text, which mean the same before and after.

mod common;

use common::{results, scheduled};
use kenaz_ir::{DecisionKind, Log, PassCx, parse, target};
use kenaz_schedule::{CORES, SCHEDULE};

/// The program after the pass, and why.
#[track_caller]
fn on_cores(text: &str) -> (String, Log) {
    let before = parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    kenaz_ir::check::parallel(&before).unwrap_or_else(|e| panic!("{e}\n{before}"));
    let mut after = before.clone();
    let mut cx = PassCx::default();
    (CORES.run)(&mut after, &mut cx);
    kenaz_ir::check::parallel(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for n in [0, 1, 2, 5] {
        assert_eq!(results(&before, n), results(&after, n), "main {n}\n{after}");
    }
    (after.to_string(), cx.log)
}

const ADD: &str = r"\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";

fn nest(attrs: &str) -> String {
    format!(
        "entry main (n_1: i64) : (k_2: i64) ([k_2]i64) = {{
  let a_3: [n_1]i64 = {attrs}par (i_4 < n_1) own {{
    let s_5: i64 = par (j_6 < n_1) reduce (0) {ADD} {{ let p_7: i64 = mul i_4 j_6 in p_7 }}
    in s_5
  }}
  in n_1, a_3
}}"
    )
}

#[test]
fn a_nest_does_at_both_levels() {
    let (after, log) = on_cores(&nest(""));
    assert!(after.contains("par core (i_4 <") && after.contains("par core (j_6 <"), "{after}");
    assert_eq!(log.decisions().iter().filter(|d| d.kind == DecisionKind::OnCores).count(), 2);
}

#[test]
fn attributes_are_obeyed() {
    for (attr, outer, inner) in
        [("sequential", false, false), ("sequential_outer", false, true), ("sequential_inner", true, false)]
    {
        let (after, _) = on_cores(&nest(&format!("#[{attr}] ")));
        assert_eq!(after.contains("par core (i_4 <"), outer, "{attr}\n{after}");
        assert_eq!(after.contains("par core (j_6 <"), inner, "{attr}\n{after}");
    }
}

/// What is inside of a reduction on the cores has one version, that in sequence.
#[test]
fn nothing_inside_of_a_reduction_does() {
    let (after, _) = on_cores(&format!(
        "entry main (n_1: i64) : (i64) = {{
  let t_3: i64 = par (i_4 < n_1) reduce (0) {ADD} {{
    let s_5: i64 = par (j_6 < n_1) reduce (0) {} {{ let p_7: i64 = mul i_4 j_6 in p_7 }}
    in s_5
  }}
  in t_3
}}",
        ADD.replace("_9", "_8")
    ));
    assert!(after.contains("par core (i_4 <") && after.contains("par (j_6 <"), "{after}");
}

#[test]
fn little_and_single_ones_do_not() {
    let (after, _) = on_cores(
        "entry main (n_1: i64) : (k_2: i64) ([k_2][3]i64) = {
  let o_8: [1]i64 = par (i_9 < 1) own { in i_9 }
  let a_3: [n_1][3]i64 = par (i_4 < n_1) own {
    let r_5: [3]i64 = par (j_6 < 3) own { let x_10: i64 = index o_8[0] let p_7: i64 = mul x_10 j_6 in p_7 }
    in r_5
  }
  in n_1, a_3
}",
    );
    assert!(
        after.contains("par (i_9 <") && after.contains("par core (i_4 <") && after.contains("par (j_6 <"),
        "{after}"
    );
}

/// Rows that are made only to be written somewhere: every worker would need memory of its own for them.
#[test]
fn what_writes_new_rows_does_not_but_the_rows_do() {
    let (after, _) = on_cores(
        "entry main (n_1: i64) : (k_2: i64) ([k_2][n_1]i64) = {
  let d_3: [n_1][n_1]i64 = replicate [n_1, n_1] 0
  let a_8: [n_1][n_1]i64 = par (i_4 < n_1) write d_3 rank 1 {
    let r_5: [n_1]i64 = par (j_6 < n_1) own { let p_7: i64 = mul i_4 j_6 in p_7 }
    in i_4, r_5
  }
  in n_1, a_8
}",
    );
    assert!(after.contains("par (i_4 <") && after.contains("par core (j_6 <"), "{after}");
}

/// A function that only iterations call stays as it is, so that they do not ask each time how many threads there are.
#[test]
fn functions_do_where_the_host_calls_them() {
    let text = |call: &str| {
        format!(
            "fun f (m_20: i64) : (i64) = {{
  let s_21: i64 = par (j_22 < m_20) reduce (0) {ADD} {{ in j_22 }}
  in s_21
}}
entry main (n_1: i64) : (k_2: i64) ([k_2]i64) = {{
  {call}
  let a_3: [n_1]i64 = par (i_4 < n_1) own {{
    let s_5: i64 = call f (i_4)
    in s_5
  }}
  in n_1, a_3
}}"
        )
    };
    let (inside, _) = on_cores(&text(""));
    assert!(inside.contains("par (j_22 <") && inside.contains("par core (i_4 <"), "{inside}");
    let (outside, _) = on_cores(&text("let x_6: i64 = call f (n_1)"));
    assert!(outside.contains("par core (j_22 <") && outside.contains("par core (i_4 <"), "{outside}");
}

/// A call with an attribute calls a copy of the function that has it; so do those in what has it.
#[test]
fn functions_that_are_called_with_attributes_are_copied() {
    let text = |first: &str, second: &str| {
        format!(
            "fun f (m_20: i64) : (i64) = {{
  let s_21: i64 = par (j_22 < m_20) reduce (0) {ADD} {{ in j_22 }}
  in s_21
}}
fun g (m_30: i64) : (i64) = {{ let s_31: i64 = call f (m_30) in s_31 }}
entry main (n_1: i64) : (i64) (i64) = {{
  let a_2: i64 = {first}call g (n_1)
  let b_3: i64 = {second}call g (n_1)
  in a_2, b_3
}}"
        )
    };
    let count = |text: &str, what: &str| text.matches(what).count();
    let (plain, log) = on_cores(&text("", ""));
    assert_eq!((count(&plain, "fun "), count(&plain, "par core (")), (2, 1), "{plain}");
    assert_eq!(log.decisions().len(), 1);
    let (both, log) = on_cores(&text("", "#[sequential] "));
    assert_eq!((count(&both, "fun "), count(&both, "par core ("), count(&both, "par (")), (4, 1, 1), "{both}");
    assert!(both.contains("#[sequential] call g_sequential (") && both.contains("call f_sequential ("), "{both}");
    assert_eq!(log.decisions().iter().filter(|d| d.kind == DecisionKind::InSequence).count(), 1);
    // Those that nobody calls as they are stay without a copy.
    let (neither, _) = on_cores(&text("#[sequential] ", "#[sequential] "));
    assert_eq!((count(&neither, "fun "), count(&neither, "par core (")), (2, 0), "{neither}");
    let (inner, _) = on_cores(&text("#[sequential_inner] ", "#[sequential_outer] "));
    assert_eq!((count(&inner, "fun "), count(&inner, "par core ("), count(&inner, "par (")), (4, 1, 1), "{inner}");
}

/// On a branch an attribute is about what is in it, and on a loop about the iterations.
#[test]
fn attributes_of_branches_and_loops() {
    let text = |attr: &str, head: &str, tail: &str| {
        format!(
            "entry main (n_1: i64) : (i64) = {{
  let c_2: bool = lt n_1 3
  let s_3: i64 = {attr}{head} {{
    let t_5: i64 = par (i_6 < n_1) reduce (0) {ADD} {{ in i_6 }}
    in t_5
  }}{tail}
  in s_3
}}"
        )
    };
    let (branch, repeated) = (("if c_2 then", " else { in 0 }"), ("loop (x_8: i64 = 0) for k_9: i64 < 3i64", ""));
    for (attr, in_branch, in_loop) in [
        ("", true, true),
        ("#[sequential] ", false, false),
        ("#[sequential_outer] ", false, true),
        ("#[sequential_inner] ", true, false),
    ] {
        for ((head, tail), expected) in [(branch, in_branch), (repeated, in_loop)] {
            let (after, _) = on_cores(&text(attr, head, tail));
            assert_eq!(after.contains("par core ("), expected, "{attr}\n{after}");
        }
    }
}

/// A filter counts what it keeps by a scan, in host code; inside of a map it stays a loop.
#[test]
fn filters_become_scans() {
    let text = r"entry main (n_1: i64) : (k_2: i64) ([k_2]i64) = {
  let a_3: [n_1]i64 = iota n_1 : i64
  let k_4: i64, b_5: [k_4]i64 = filter n_1 (a_3) \(x_6: i64) -> {
    let m_7: i64 = mod x_6 3
    let c_8: bool = lt m_7 2
    in c_8
  }
  in k_4, b_5
}";
    let before = parse::prog(text).unwrap();
    let mut after = before.clone();
    (SCHEDULE.run)(&mut after, &mut PassCx::new(&target::MULTICORE, Log::new()));
    kenaz_ir::check::parallel(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    let printed = after.to_string();
    assert!(printed.contains(" scan (0) ") && printed.contains(" write ") && !printed.contains("loop"), "{printed}");
    for n in [0, 1, 2, 5] {
        assert_eq!(results(&before, n), results(&after, n), "main {n}\n{after}");
    }
    let (in_sequence, _) = scheduled(text);
    assert!(in_sequence.contains("loop"), "{in_sequence}");
}

/// A scan goes through its operands twice: what takes long is computed before, and what does not is computed twice.
#[test]
fn what_takes_long_is_not_scanned_at_once() {
    let scan = |stms: &str| {
        let text = format!(
            "entry main (n_1: i64) : (k_2: i64) ([k_2]i64) = {{
  let a_3: [n_1]i64 = iota n_1 : i64
  let b_4: [n_1]i64 = screma n_1 (a_3) map \\(x_5: i64) -> {{
    {stms}
    in y_6
  }} scan (0) {ADD}
  in n_1, b_4
}}"
        );
        let before = parse::prog(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let mut after = before.clone();
        (SCHEDULE.run)(&mut after, &mut PassCx::new(&target::MULTICORE, Log::new()));
        kenaz_ir::check::parallel(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
        for n in [0, 1, 2, 5] {
            assert_eq!(results(&before, n), results(&after, n), "main {n}\n{after}");
        }
        after.to_string()
    };
    assert_eq!(scan("let y_6: i64 = mul x_5 x_5").matches("par (").count(), 1);
    let after = scan("let y_6: i64 = loop (z_7: i64 = 0) for i_8: i64 < x_5 { let w_9: i64 = add z_7 i_8 in w_9 }");
    assert_eq!(after.matches("par (").count(), 2, "{after}");
    assert!(after.find("loop (") < after.find("scan (0)"), "{after}");
    // A power is a function, whatever it looks like.
    let power = "let p_7: f64 = conv f64 x_5 let q_8: f64 = OP p_7 2.5f64 let y_6: i64 = conv i64 q_8";
    let pars = |op: &str| scan(&power.replace("OP", op)).matches("par (").count();
    assert_eq!((pars("pow"), pars("mod"), pars("div")), (2, 2, 1));
}
