//! What may not be built in place, on programs of the parallel stage in text. Each is run by value before places are
//! given, and as loops and blocks afterwards, where reading what was never written, writing out of a block, and blocks
//! that are left over are faults.

use crate::common::{by_block, by_value, in_chunks};
use kenaz_ir::metrics::Metrics;
use kenaz_ir::{DecisionKind, Log, Ownership, PassCx, Prog, parse};

/// Places the arrays of a program whose entry point `main` takes a number; it gives the same for some numbers as
/// before.
#[track_caller]
fn placed(text: &str) -> (Prog, Log) {
    let before = parse::prog(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    kenaz_ir::check::parallel(&before).unwrap_or_else(|error| panic!("{error}\n{before}"));
    let mut after = before.clone();
    let mut cx = PassCx::default();
    for pass in kenaz_place::PASSES {
        (pass.run)(&mut after, &mut cx);
    }
    kenaz_plan::plan(&mut after, &kenaz_ir::target::C);
    kenaz_ir::check::memory(&after, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{after}"));
    let lowered = kenaz_imp::lower(&after, &kenaz_ir::target::C);
    kenaz_imp::check(&lowered).unwrap_or_else(|error| panic!("{error}\n{after}"));
    for n in [0, 1, 2, 5] {
        assert_eq!(by_block(&lowered, n), by_value(&before, n), "main {n}\n{after}");
    }
    in_chunks(&before);
    (after, cx.log)
}

/// So many blocks and copies, and why the copies.
#[track_caller]
fn costs(text: &str, allocations: usize, copies: &[&str]) -> Prog {
    let (prog, log) = placed(text);
    let metrics = Metrics::of(&prog);
    assert_eq!((metrics.count("alloc"), metrics.count("copy")), (allocations, copies.len()), "{prog}");
    let mut reasons: Vec<&str> =
        log.decisions().iter().filter(|d| d.kind == DecisionKind::Copy).map(|d| d.reason.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let mut expected = copies.to_vec();
    expected.dedup();
    assert_eq!(reasons, expected, "{prog}");
    prog
}

const UPDATE: &str = "let k_9: i64 = add n_1 n_1
  let a_2: [k_9]i64 = iota k_9 : i64";

/// The value of an update is made in its slice when nothing is in the way.
#[test]
fn a_value_is_made_in_its_slice() {
    let text = format!(
        "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {{
  {UPDATE}
  let v_3: [n_1]i64 = par (i_4 < n_1) own {{ let x_5: i64 = mul i_4 3 in x_5 }}
  let b_6: [k_9]i64 = update a_2[0 :+ n_1 * 1] = v_3
  in k_9, b_6
}}"
    );
    costs(&text, 1, &[]);
}

#[test]
fn a_value_that_is_used_after_its_update_stays() {
    let text = format!(
        "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (m_8: i64) ([m_8]i64) = {{
  {UPDATE}
  let v_3: [n_1]i64 = par (i_4 < n_1) own {{ let x_5: i64 = mul i_4 3 in x_5 }}
  let b_6: [k_9]i64 = update a_2[0 :+ n_1 * 1] = v_3
  let c_10: [n_1]i64 = par (i_11 < n_1) own {{
    let x_12: i64 = index v_3[i_11]
    let y_13: i64 = index b_6[i_11]
    let z_14: i64 = add x_12 y_13
    in z_14
  }}
  in k_9, b_6, n_1, c_10
}}"
    );
    // The sums take the place of the value, each element of which is read for the last time when they are made.
    costs(&text, 2, &["`v`: it is used after the update"]);
}

#[test]
fn a_slice_that_is_read_meanwhile_stays() {
    let text = format!(
        "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {{
  {UPDATE}
  let l_15: i64 = sub n_1 1
  let v_3: [n_1]i64 = par (i_4 < n_1) own {{
    let j_16: i64 = sub l_15 i_4
    let x_5: i64 = index a_2[j_16]
    in x_5
  }}
  let b_6: [k_9]i64 = update a_2[0 :+ n_1 * 1] = v_3
  in k_9, b_6
}}"
    );
    costs(&text, 2, &["`v`: the slice is used while its new value is made"]);
}

/// Between the making of the value and the update, another update reads the slice.
#[test]
fn a_slice_that_is_read_in_between_stays() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (i64) = {
  let k_9: i64 = add n_1 1
  let a_2: [k_9]i64 = iota k_9 : i64
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  let old_10: i64 = index a_2[0]
  let b_6: [k_9]i64 = update a_2[0 :+ n_1 * 1] = v_3
  in k_9, b_6, old_10
}";
    costs(text, 2, &["`v`: the slice is used while its new value is made"]);
}

/// How long the whole is becomes known only from its parts.
#[test]
fn a_whole_of_unknown_size_comes_later() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  let s_10: i64 = par (i_11 < n_1) reduce (0) \\(x_12: i64, y_13: i64) -> { let z_14: i64 = add x_12 y_13 in z_14 } {
    let x_15: i64 = index v_3[i_11]
    in x_15
  }
  let w_16: [s_10]i64 = par (i_17 < s_10) own { in i_17 }
  let k_9: i64 = add n_1 s_10
  let c_18: [k_9]i64 = concat k_9 (v_3, w_16)
  in k_9, c_18
}";
    costs(text, 2, &["`v`: it exists already, or could not be made where it is needed"]);
}

/// A map makes each of them; what a loop makes is there only once.
#[test]
fn an_array_is_made_for_each_of_its_places_or_copied() {
    let text = |made: &str| {
        format!(
            "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {{
  let v_3: [n_1]i64 = {made}
  let k_9: i64 = add n_1 n_1
  let c_18: [k_9]i64 = concat k_9 (v_3, v_3)
  in k_9, c_18
}}"
        )
    };
    costs(&text("par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }"), 1, &[]);
    let by_loop = "loop (p_20: *[n_1]i64 = s_22) for i_4: i64 < n_1 {
    let x_5: i64 = mul i_4 3
    let q_21: [n_1]i64 = update p_20[i_4] = x_5
    in q_21
  }";
    let text = text(by_loop).replacen("  let v_3", "  let s_22: [n_1]i64 = replicate [n_1] 0\n  let v_3", 1);
    let prog = costs(&text, 1, &["`v`: it exists already, or could not be made where it is needed"]);
    assert!(prog.to_string().contains("concat"), "{prog}");
}

/// What a function is given is read-only unless it is unique. What it makes begins at the start of its block, so the
/// caller need not copy it.
#[test]
fn a_parameter_is_copied_before_it_is_changed() {
    let text = "
fun f (n_1: i64) (a_2: [n_1]i64) : (*[n_1]i64) = {
  let c_3: [n_1]i64 = copy a_2
  let b_4: [n_1]i64 = par (i_5 < n_1) write c_3 rank 1 { in i_5, 7 }
  in b_4
}
entry main (n_11: i64) : (k_12: i64) ([k_12]i64) (k_13: i64) ([k_13]i64) = {
  let a_14: [n_11]i64 = iota n_11 : i64
  let b_15: [n_11]i64 = call f (n_11, a_14)
  in n_11, a_14, n_11, b_15
}";
    costs(text, 2, &["`a`: the program asks for it, and both are needed"]);
}

/// The program must fail by its check, not by writing where there is nothing.
#[test]
fn a_slot_is_checked_before_it_is_used() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {
  let a_2: [3]i64 = iota 3 : i64
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  let fits_10: bool = le n_1 3
  let c_11: cert = assert fits_10 \"too many\"
  let b_6: [3]i64 = <c_11> update a_2[0 :+ n_1 * 1] = v_3
  in 3, b_6
}";
    let text = costs(text, 1, &[]).to_string();
    assert!(text.find("assert") < text.find("par ("), "the check comes first\n{text}");
}

#[test]
fn a_size_is_checked_before_it_is_relied_on() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) = {
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  let same_10: bool = eq n_1 2
  let c_11: cert = assert same_10 \"not two\"
  let w_6: [2]i64 = <c_11> resize [2] v_3
  in 2, w_6
}";
    let (prog, _) = placed(text);
    let text = prog.to_string();
    let is_as_large = text.contains("size_mul i64 (8, n_1)");
    assert!(
        is_as_large || text.find("assert") < text.find("par ("),
        "the block is as large as what is written\n{text}"
    );
    assert_eq!(Metrics::of(&prog).count("copy"), 0, "{text}");
}

/// A branch that yields what exists does not copy it, if nothing says where to.
#[test]
fn a_branch_may_return_what_exists() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (i64) = {
  let a_2: [n_1]i64 = iota n_1 : i64
  let few_3: bool = lt n_1 2
  let b_4: [n_1]i64 = if few_3 then { in a_2 } else {
    let v_5: [n_1]i64 = par (i_6 < n_1) own { let x_8: i64 = mul i_6 3 in x_8 }
    in v_5
  }
  let s_10: i64 = par (i_11 < n_1) reduce (0) \\(x_12: i64, y_13: i64) -> { let z_14: i64 = add x_12 y_13 in z_14 } {
    let x_15: i64 = index a_2[i_11]
    in x_15
  }
  in n_1, b_4, s_10
}";
    let prog = costs(text, 2, &[]);
    assert_eq!(Metrics::of(&prog).count("share"), 1, "{prog}");
}

/// The same array twice: one block with two owners.
#[test]
fn two_results_may_share_a_block() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (k_8: i64) ([k_8]i64) = {
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  in n_1, v_3, n_1, v_3
}";
    let prog = costs(text, 1, &[]);
    assert_eq!(Metrics::of(&prog).count("share"), 1, "{prog}");
}

/// A part of a whole that is a result as well lies at the beginning of its block, or is copied.
#[test]
fn a_result_that_is_part_of_another_is_both() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (k_8: i64) ([k_8]i64) = {
  let u_2: [2]i64 = array [4, 5] : i64
  let v_3: [n_1]i64 = par (i_4 < n_1) own { let x_5: i64 = mul i_4 3 in x_5 }
  let k_9: i64 = add n_1 2
  let c_18: [k_9]i64 = concat k_9 (u_2, v_3)
  in n_1, v_3, k_9, c_18
}";
    costs(text, 2, &["`v`: it exists already, or could not be made where it is needed"]);
}

/// The old array is needed after the loop that starts from it, so there are two other blocks.
#[test]
fn a_loop_does_not_overwrite_what_is_needed() {
    let text = "entry main (n_1: i64) : (k_7: i64) ([k_7]i64) (k_8: i64) ([k_8]i64) = {
  let a_2: [n_1]i64 = iota n_1 : i64
  let b_3: [n_1]i64 = loop (p_4: [n_1]i64 = a_2) for j_5: i64 < 3 {
    let q_6: [n_1]i64 = par (i_10 < n_1) own {
      let l_11: i64 = sub n_1 1
      let m_12: i64 = sub l_11 i_10
      let x_13: i64 = index p_4[m_12]
      let y_14: i64 = add x_13 j_5
      in y_14
    }
    in q_6
  }
  in n_1, a_2, n_1, b_3
}";
    costs(text, 3, &[]);
}
