//! Memory that is used again: blocks that become one, slices that are replaced in place, loops.

use kenaz_ir::check::{self, Ownership};
use kenaz_ir::{PassCx, parse, print};
use kenaz_place::{buffer, hoist, merge, place, release};

/// The program after the passes of this crate, which the checker accepts.
fn placed(text: &str) -> String {
    let mut prog = parse::prog(text).unwrap_or_else(|error| panic!("{error}"));
    check::parallel(&prog).unwrap_or_else(|error| panic!("{error}"));
    let mut cx = PassCx::default();
    for pass in [place::PASS, merge::PASS, buffer::PASS, hoist::PASS, merge::PASS] {
        (pass.run)(&mut prog, &mut cx);
        check::memory(&prog, Ownership::Open).unwrap_or_else(|error| panic!("{}: {error}", pass.name));
    }
    (release::PASS.run)(&mut prog, &mut cx);
    let text = print::prog(&prog);
    check::memory(&prog, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{text}"));
    text
}

#[track_caller]
fn has(text: &str, allocations: usize, copies: usize) {
    let count = |word: &str| text.matches(&format!("= {word} ")).count();
    assert_eq!((count("alloc"), count("copy")), (allocations, copies), "{text}");
}

/// Two arrays of the same size, of which the first is only needed to compute a number for the second.
const TWO: &str = r"fun f (n_1: i64) (a_2: [n_1]f32) : (f32) = {
  let x_3: [n_1]f32 = par (i_4 < n_1) own {
    let y_5: f32 = index a_2[i_4]
    let z_6: f32 = mul y_5 y_5
    in z_6
  }
  let s_7: f32 = par (i_8 < n_1) reduce (0.0f32) \(p_9: f32, q_10: f32) -> { let r_11: f32 = add p_9 q_10 in r_11 } {
    let t_12: f32 = index x_3[i_8]
    in t_12
  }
  let u_13: [n_1]f32 = par (i_14 < n_1) own {
    let v_15: f32 = index a_2[i_14]
    let w_16: f32 = div v_15 s_7
    in w_16
  }
  let k_17: f32 = par (i_18 < n_1) reduce (0.0f32) \(p_19: f32, q_20: f32) -> { let r_21: f32 = add p_19 q_20 in r_21 } {
    let t_22: f32 = index u_13[i_18]
    in t_22
  }
  in k_17
}
";

#[test]
fn blocks_that_are_not_needed_at_the_same_time_become_one() {
    let text = placed(TWO);
    has(&text, 1, 0);
    assert_eq!(text.matches("free").count(), 1, "{text}");
}

#[test]
fn a_block_that_is_still_needed_stays() {
    // The second array is made from the first.
    let text = placed(&TWO.replace("index a_2[i_14]", "index x_3[i_14]"));
    has(&text, 2, 0);
}

#[test]
fn a_block_of_another_size_or_type_stays() {
    let text = placed(
        &TWO.replace("(n_1: i64) (a_2: [n_1]f32)", "(n_1: i64) (m_30: i64) (b_31: [m_30]f32) (a_2: [n_1]f32)")
            .replace(
                "let u_13: [n_1]f32 = par (i_14 < n_1) own {\n    let v_15: f32 = index a_2[i_14]",
                "let u_13: [m_30]f32 = par (i_14 < m_30) own {\n    let v_15: f32 = index b_31[i_14]",
            )
            .replace("par (i_18 < n_1)", "par (i_18 < m_30)"),
    );
    has(&text, 2, 0);
}

#[test]
fn both_updates_of_an_elimination_step_are_built_in_place() {
    let text = placed(
        r"fun eliminate (n_1: i64) (a_2: *[n_1][n_1]f64) : (*[n_1][n_1]f64) = {
  let r_3: [n_1][n_1]f64 = loop (a_4: *[n_1][n_1]f64 = a_2) for k_5: i64 < n_1 {
    let p_6: f64 = index a_4[k_5, k_5]
    let l_7: i64 = add k_5 1
    let m_8: i64 = sub n_1 l_7
    let c_9: [m_8]f64, b_10: [m_8][m_8]f64 = par (i_11 < m_8) own own {
      let x_12: i64 = add l_7 i_11
      let y_13: f64 = index a_4[x_12, k_5]
      let z_14: f64 = div y_13 p_6
      let d_15: [m_8]f64 = par (j_16 < m_8) own {
        let u_17: i64 = add l_7 j_16
        let v_18: f64 = index a_4[k_5, u_17]
        let w_19: f64 = index a_4[x_12, u_17]
        let s_20: f64 = mul z_14 v_18
        let t_21: f64 = sub w_19 s_20
        in t_21
      }
      in z_14, d_15
    }
    let e_22: [n_1][n_1]f64 = update a_4[l_7 :+ m_8 * 1, k_5] = c_9
    let f_23: [n_1][n_1]f64 = update e_22[l_7 :+ m_8 * 1, l_7 :+ m_8 * 1] = b_10
    in f_23
  }
  in r_3
}
",
    );
    has(&text, 0, 0);
}

#[test]
fn what_a_loop_updates_goes_into_the_row_it_becomes() {
    let text = placed(
        r"fun rows (n_1: i64) (a_2: [n_1]i64) : ([n_1][n_1]i64) = {
  let b_3: [n_1][n_1]i64 = par (j_4 < n_1) own {
    let c_5: [n_1]i64 = copy a_2
    let r_6: [n_1]i64 = loop (p_7: *[n_1]i64 = c_5) for i_8: i64 < n_1 {
      let x_9: i64 = index p_7[i_8]
      let y_10: i64 = add x_9 j_4
      let q_11: [n_1]i64 = update p_7[i_8] = y_10
      in q_11
    }
    in r_6
  }
  in b_3
}
",
    );
    has(&text, 1, 1);
}

/// A row is replaced behind a check that there is such a row.
const ROW: &str = r#"fun set (n_1: i64) (i_2: i64) (a_3: *[n_1][n_1]i32) (b_4: [n_1]i32) : (*[n_1][n_1]i32) = {
  let x_5: [n_1]i32 = par (j_6 < n_1) own {
    let y_7: i32 = index b_4[j_6]
    let z_8: i32 = add y_7 1i32
    in z_8
  }
  let l_9: bool = ge i_2 0
  let h_10: bool = lt i_2 n_1
  let k_11: bool = and l_9 h_10
  let c_12: cert = assert k_11 "no such row"
  let r_13: [n_1][n_1]i32 = <c_12> update a_3[i_2, 0 :+ n_1 * 1] = x_5
  in r_13
}
"#;

#[test]
fn a_check_comes_early_so_that_a_row_is_built_in_place() {
    let text = placed(ROW);
    has(&text, 0, 0);
    assert!(text.find("assert") < text.find("par"), "{text}");
}

#[test]
fn no_check_goes_past_another_that_depends_on_what_is_made() {
    let text = placed(&ROW.replace(
        "  let l_9: bool",
        "  let y_20: i32 = par (i_21 < n_1) reduce (0i32) \\(p_22: i32, q_23: i32) -> { let s_24: i32 = add p_22 q_23 in s_24 } {
    let t_25: i32 = index x_5[i_21]
    in t_25
  }
  let o_26: bool = ge y_20 0i32
  let c_27: cert = assert o_26 \"negative\"
  let l_9: bool",
    ));
    has(&text, 1, 1);
}

#[test]
fn a_loop_over_views_copies_nothing() {
    let text = placed(
        r"fun transposed (n_1: i64) (k_2: i64) (a_3: [n_1][n_1]i32) : (i32) = {
  let r_4: [n_1][n_1]i32 = loop (p_5: [n_1][n_1]i32 = a_3) for i_6: i64 < k_2 {
    let t_7: [n_1][n_1]i32 = rearrange (1, 0) p_5
    in t_7
  }
  let s_8: i32 = par (i_9 < n_1) reduce (0i32) \(x_10: i32, y_11: i32) -> { let z_12: i32 = add x_10 y_11 in z_12 } {
    let e_13: i32 = index r_4[i_9, 0]
    in e_13
  }
  in s_8
}
",
    );
    has(&text, 0, 0);
}

#[test]
fn a_loop_that_starts_with_what_is_not_its_own_has_two_other_blocks() {
    let text = placed(
        r"fun steps (n_1: i64) (k_2: i64) (a_3: [n_1]i32) : ([n_1]i32) = {
  let r_4: [n_1]i32 = loop (p_5: [n_1]i32 = a_3) for i_6: i64 < k_2 {
    let q_7: [n_1]i32 = par (j_8 < n_1) own {
      let x_9: i32 = index p_5[j_8]
      let y_10: i32 = add x_9 1i32
      in y_10
    }
    in q_7
  }
  in r_4
}
",
    );
    // The array it starts with is only read.
    has(&text, 2, 0);
    let body = &text[text.find("loop").unwrap_or_default()..];
    assert!(!body.contains("alloc"), "{text}");
}
