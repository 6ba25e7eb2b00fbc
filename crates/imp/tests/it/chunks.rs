//! Iterations in chunks: each program gives the same when all of them run in chunks, which come in another order, as by
//! value. There are three chunks, and three threads, so that fewer iterations run what is inside of them in chunks.

use crate::common::in_chunks;
use kenaz_ir::parse;

#[track_caller]
fn same(text: &str) -> String {
    let prog = parse::prog(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    kenaz_imp::print::prog(&in_chunks(&prog))
}

const ADD: &str = r"\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";

/// The composition of `x ↦ a*x + b`, which does not commute.
const COMPOSE: &str = r"\(a_80: i64, b_81: i64, c_82: i64, d_83: i64) -> {
    let e_84: i64 = mul a_80 c_82
    let f_85: i64 = mul b_81 c_82
    let g_86: i64 = add f_85 d_83
    in e_84, g_86
  }";

#[test]
fn reductions_are_combined_in_order() {
    same(&format!(
        "entry main (n_1: i64) : (i64) (i64) (i64) = {{
  let s_2: i64, p_3: i64, q_4: i64 = par (i_5 < n_1) reduce (0) {ADD} reduce (1, 0) {COMPOSE} {{
    let a_6: i64 = add i_5 2
    let b_7: i64 = mul i_5 i_5
    in b_7, a_6, i_5
  }}
  in s_2, p_3, q_4
}}"
    ));
}

#[test]
fn a_reduction_beside_a_map() {
    same(&format!(
        "entry main (n_1: i64) : (i64) (k_8: i64) ([k_8]i64) = {{
  let s_2: i64, a_3: [n_1]i64 = par (i_5 < n_1) reduce (0) {ADD} own {{
    let b_7: i64 = mul i_5 i_5
    in b_7, i_5
  }}
  in s_2, n_1, a_3
}}"
    ));
}

#[test]
fn scans_go_on_where_the_chunks_before_end() {
    same(&format!(
        "entry main (n_1: i64) : (i64) (k_8: i64) ([k_8]i64) (l_9: i64) ([l_9]i64) (m_10: i64) ([m_10]i64) = {{
  let s_2: i64, a_3: [n_1]i64, b_4: [n_1]i64, c_11: [n_1]i64 = par (i_5 < n_1) scan (1, 0) {COMPOSE} reduce (0) {ADD} own own own {{
    let a_6: i64 = add i_5 2
    in a_6, i_5, i_5
  }} post (x_12: i64, y_13: i64) {{
    let z_14: i64 = sub x_12 i_5
    in x_12, y_13, z_14
  }}
  in s_2, n_1, a_3, n_1, b_4, n_1, c_11
}}"
    ));
}

/// Where the reduction costs as much as the scan, the first and the last chunk are done only once.
#[test]
fn costly_scans_run_in_rounds() {
    let scan = |neutral: &str, op: &str, values: &str, params: &str| {
        let text = same(&format!(
            "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let a_3: [n_1]i64 = par (i_5 < n_1) scan {neutral} {op} own {{ in {values} }} post {params} {{ in x_12 }}
  in n_1, a_3
}}"
        ));
        (text.lines().filter(|line| line.starts_with("region")).count(), text.contains("for round"))
    };
    assert_eq!(scan("(0)", ADD, "i_5", "(x_12: i64)"), (2, false));
    assert_eq!(scan("(1, 0)", COMPOSE, "2, i_5", "(y_13: i64, x_12: i64)"), (1, true));
}

#[test]
fn a_reduction_over_arrays_has_one_for_each_chunk() {
    same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let a_10: [n_1][3]i64 = par (i_11 < n_1) own {{
    let r_6: [3]i64 = par (j_7 < 3) own {{
      let x_9: i64 = mul i_11 j_7
      in x_9
    }}
    in r_6
  }}
  let s_2: [3]i64 = par (i_5 < n_1) reduce (0) [3] {ADD} {{
    let r_12: [3]i64 = index a_10[i_5]
    in r_12
  }}
  in 3, s_2
}}"
    ));
}

#[test]
fn a_histogram_has_one_for_each_chunk() {
    same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let d_2: [3]i64 = replicate [3] 7
  let h_3: [3]i64 = par (i_5 < n_1) acc (d_2) rank 1 (0) {ADD} {{
    let x_9: i64 = mod i_5 4
    in x_9, i_5
  }}
  in 3, h_3
}}"
    ));
}

#[test]
fn writes_may_go_anywhere() {
    same(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {
  let m_4: i64 = add n_1 n_1
  let d_2: [m_4]i64 = replicate [m_4] 7
  let h_3: [m_4]i64 = par (i_5 < n_1) write d_2 rank 1 {
    let x_9: i64 = mul i_5 3
    in x_9, i_5
  }
  in m_4, h_3
}",
    );
}

#[test]
fn rows_and_what_is_inside_of_few() {
    let other = ADD.replace("_9", "_7");
    same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let a_2: [n_1][n_1]i64 = par (i_5 < n_1) own {{
    let m_20: i64 = add i_5 4
    let r_6: [n_1]i64 = par (j_7 < n_1) own {{
      let s_10: i64 = par (k_11 < m_20) reduce (0) {ADD} {{ let p_12: i64 = mul k_11 j_7 in p_12 }}
      let x_9: i64 = add s_10 i_5
      in x_9
    }}
    in r_6
  }}
  let s_15: [n_1]i64 = par (i_16 < n_1) own {{
    let t_17: i64 = par (j_18 < n_1) reduce (0) {other} {{ let v_19: i64 = index a_2[i_16, j_18] in v_19 }}
    in t_17
  }}
  in n_1, s_15
}}"
    ));
}

/// A block that an iteration needs for itself is allocated once for each chunk.
#[test]
fn scratch_space_belongs_to_a_chunk() {
    same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let m_20: i64 = add n_1 40
  let s_15: [n_1]i64 = par (i_5 < n_1) own {{
    let r_6: [m_20]i64 = par (j_7 < m_20) own {{
      let x_9: i64 = mul i_5 j_7
      in x_9
    }}
    let q_21: [m_20]i64 = par (j_22 < m_20) own {{
      let l_23: i64 = sub m_20 j_22
      let l_24: i64 = sub l_23 1
      let x_25: i64 = index r_6[l_24]
      let y_26: i64 = index r_6[j_22]
      let z_27: i64 = sub x_25 y_26
      in z_27
    }}
    let t_17: i64 = par (j_18 < m_20) reduce (0) {ADD} {{
      let v_19: i64 = index q_21[j_18]
      let w_28: i64 = mul v_19 j_18
      in w_28
    }}
    in t_17
  }}
  in n_1, s_15
}}"
    ));
}

#[test]
fn tiles() {
    same(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {
  let m_4: i64 = mul n_1 2
  let a_2: [m_4]i64 = par (i_5 < n_1) tile [2] {
    let t_6: [2]i64 = par (j_7 < 2) own {
      let x_9: i64 = mul i_5 10
      let y_10: i64 = add x_9 j_7
      in y_10
    }
    in t_6
  }
  in m_4, a_2
}",
    );
}

/// The array that an iteration makes for itself, whose size is known before the loop, is allocated once for each chunk.
#[test]
fn a_chunk_has_one_block_for_all_its_iterations() {
    let after = same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let a_2: [n_1]i64 = par (i_3 < n_1) own {{
    let r_4: i64, b_5: [n_1]i64 = par (j_6 < n_1) reduce (0) {ADD} own {{
      let x_7: i64 = mul i_3 j_6
      in x_7, x_7
    }}
    let s_10: i64 = par (j_11 < n_1) reduce (0) \\(x_14: i64, y_15: i64) -> {{ let w_16: i64 = add x_14 y_15 in w_16 }} {{
      let y_12: i64 = index b_5[j_11]
      let z_13: i64 = mul y_12 r_4
      in z_13
    }}
    in s_10
  }}
  in n_1, a_2
}}"
    ));
    let chunk = after.rsplit("region ").next().unwrap_or_default();
    let chunk = chunk.split_inclusive("\n}\n").next().unwrap_or_default();
    let at = |what: &str| chunk.find(what).unwrap_or_else(|| panic!("no `{what}` in\n{after}"));
    assert!(at("alloc b_mem") < at("for i_"), "{after}");
    assert!(chunk.rfind('}').is_some_and(|end| at("free b_mem") < end), "{after}");
    assert_eq!(chunk.matches("alloc").count(), 1, "{after}");
}

/// A result that is large is written in whole lines, wherever it begins; three hundred elements of a chunk have some
/// before the first line and some behind the last one.
#[test]
fn large_results_are_streamed() {
    let after = same(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {
  let m_2: i64 = mul n_1 100
  let l_3: i64 = add m_2 1
  let a_4: [l_3]i64 = par (i_5 < l_3) own {
    let x_6: i64 = mul i_5 i_5
    let y_7: i64 = add x_6 n_1
    in y_7
  }
  let b_9: [m_2]i64 = par (i_10 < m_2) own {
    let j_11: i64 = add i_10 1
    let x_12: i64 = index a_4[i_10]
    let y_13: i64 = index a_4[j_11]
    let z_14: i64 = sub y_13 x_12
    in z_14
  }
  in m_2, b_9
}",
    );
    assert_eq!(after.matches("stream b_mem").count(), 1, "{after}");
}
