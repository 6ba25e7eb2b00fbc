//! Reductions inside two maps in tiles: each program gives the same as by value, in sequence and in chunks, with whole
//! tiles and with too little for one.

use crate::common::{by_block, by_value, in_chunks};
use kenaz_ir::{Ownership, PassCx, parse};

/// A nest over matrices that are read by these indices, and what is done with the sum `s_30`; it gives the sums of the
/// rows of the result, each element with another factor.
fn program(a: &str, b: &str, combine: &str, op: &str, neutral: i64, after: &str) -> String {
    format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let r_2: i64 = add n_1 6
  let m3_3: i64 = mul n_1 3
  let m_4: i64 = add m3_3 13
  let l_5: i64 = add n_1 7
  let a_6: [{a_rows}][{a_columns}]i64 = par (i_7 < {a_rows}, j_9 < {a_columns}) own {{
    let x_10: i64 = mul i_7 3
    let y_11: i64 = sub x_10 j_9
    in y_11
  }}
  let b_12: [{b_rows}][{b_columns}]i64 = par (i_13 < {b_rows}, j_14 < {b_columns}) own {{
    let x_15: i64 = mul j_14 5
    let y_16: i64 = sub i_13 x_15
    in y_16
  }}
  let c_17: [r_2][m_4]i64 = par (i_18 < r_2) own {{
    let row_19: [m_4]i64 = par (j_20 < m_4) own {{
      let s_30: i64 = par (k_21 < l_5) reduce ({neutral}) \\(x_22: i64, y_23: i64) -> {{ let z_24: i64 = {op} x_22 y_23 in z_24 }} {{
        let x_25: i64 = index a_6[{a_index}]
        let y_26: i64 = index b_12[{b_index}]
        let z_27: i64 = {combine} x_25 y_26
        in z_27
      }}
      {after}
    }}
    in row_19
  }}
  let t_40: [r_2]i64 = par (i_41 < r_2) own {{
    let u_42: i64 = par (j_43 < m_4) reduce (0) \\(x_44: i64, y_45: i64) -> {{ let z_46: i64 = add x_44 y_45 in z_46 }} {{
      let x_47: i64 = index c_17[i_41, j_43]
      let y_48: i64 = add j_43 1
      let z_49: i64 = mul x_47 y_48
      in z_49
    }}
    in u_42
  }}
  in r_2, t_40
}}",
        a_rows = if a == "ik" { "r_2" } else { "l_5" },
        a_columns = if a == "ik" { "l_5" } else { "r_2" },
        b_rows = if b == "kj" { "l_5" } else { "m_4" },
        b_columns = if b == "kj" { "m_4" } else { "l_5" },
        a_index = if a == "ik" { "i_18, k_21" } else { "k_21, i_18" },
        b_index = if b == "kj" { "k_21, j_20" } else { "j_20, k_21" },
    )
}

#[track_caller]
fn same(text: &str) -> String {
    let before = parse::prog(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    in_chunks(&before);
    let mut after = before.clone();
    for pass in kenaz_place::PASSES {
        (pass.run)(&mut after, &mut PassCx::default());
    }
    kenaz_plan::plan(&mut after, &kenaz_ir::target::C);
    kenaz_ir::check::memory(&after, Ownership::Settled).unwrap_or_else(|error| panic!("{error}\n{after}"));
    let lowered = kenaz_imp::lower(&after, &kenaz_ir::target::C);
    let printed = kenaz_imp::print::prog(&lowered);
    kenaz_imp::check(&lowered).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert!(printed.contains("strips"), "there are no tiles\n{printed}");
    for n in [0, 1, 2, 5, 11] {
        assert_eq!(by_block(&lowered, n), by_value(&before, n), "main {n}\n{printed}");
    }
    printed
}

const PLAIN: &str = "in s_30";

#[test]
fn a_product() {
    same(&program("ik", "kj", "mul", "add", 0, PLAIN));
}

#[test]
fn transposed_operands() {
    same(&program("ki", "kj", "mul", "add", 0, PLAIN));
    same(&program("ik", "jk", "mul", "add", 0, PLAIN));
    same(&program("ki", "jk", "mul", "add", 0, PLAIN));
}

#[test]
fn another_operator() {
    same(&program("ik", "kj", "add", "min", i64::MAX, PLAIN));
}

#[test]
fn something_to_do_with_the_sum() {
    let after = "let x_31: i64 = index a_6[i_18, 0]
      let y_32: i64 = index b_12[0, j_20]
      let z_33: i64 = mul x_31 y_32
      let v_34: i64 = add s_30 z_33
      in v_34";
    same(&program("ik", "kj", "mul", "add", 0, after));
}

/// An operator that uses what an iteration has computed stays in its loop.
#[test]
fn an_operator_that_belongs_to_an_iteration() {
    let text = program("ik", "kj", "mul", "add", 0, PLAIN)
        .replace("let s_30: i64", "let w_50: i64 = mul j_20 2\n      let s_30: i64")
        .replace(
            "let z_24: i64 = add x_22 y_23 in z_24",
            "let v_51: i64 = max x_22 y_23 let z_24: i64 = max v_51 w_50 in z_24",
        );
    let before = parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut after = before.clone();
    for pass in kenaz_place::PASSES {
        (pass.run)(&mut after, &mut PassCx::default());
    }
    kenaz_plan::plan(&mut after, &kenaz_ir::target::C);
    let lowered = kenaz_imp::lower(&after, &kenaz_ir::target::C);
    kenaz_imp::check(&lowered).unwrap_or_else(|error| panic!("{error}"));
    for n in [0, 1, 5, 11] {
        assert_eq!(by_block(&lowered, n), by_value(&before, n), "main {n}\n{}", kenaz_imp::print::prog(&lowered));
    }
}

/// What only comes after the sum is not copied for the tiles, although it stands before the reduction.
#[test]
fn only_what_the_reduction_needs_is_copied() {
    let text = program("ik", "kj", "mul", "add", 0, "let e_61: i64 = add s_30 d_60 in e_61");
    let text = text.replace("let s_30: i64 = par", "let d_60: i64 = index b_12[0, j_20]\n      let s_30: i64 = par");
    let after = same(&text);
    assert!(after.contains("alloc y_") && !after.contains("alloc d_"), "{after}");
}
