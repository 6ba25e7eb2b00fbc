//! Histograms on a device: the same as by value, with few iterations for each bin, with just enough for the memory of a
//! block, and with many.

use crate::common::on_device;
use kenaz_ir::parse;

/// So many iterations there are. For one bin 32 are enough, for three bins 96.
const SIZES: [i64; 8] = [0, 1, 31, 32, 95, 96, 97, 200];

#[track_caller]
fn same(text: &str) -> String {
    let prog = parse::prog(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    kenaz_imp::print::prog(&on_device(&prog, &SIZES))
}

const ADD: &str = r"\(x_90: i64, y_91: i64) -> { let z_92: i64 = add x_90 y_91 in z_92 }";

/// A sum and the greatest number.
const BOTH: &str = r"\(x_80: i64, a_81: i64, y_82: i64, b_83: i64) -> {
    let z_84: i64 = add x_80 y_82
    let c_85: i64 = max a_81 b_83
    in z_84, c_85
  }";

/// A histogram of `bins` bins, which begin with 7.
fn sums(bins: usize) -> String {
    format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let d_2: [{bins}]i64 = replicate [{bins}] 7
  let h_3: [{bins}]i64 = par (i_5 < n_1) acc (d_2) rank 1 (0) {ADD} {{
    let x_9: i64 = mod i_5 4
    let y_10: i64 = sub x_9 1
    in y_10, i_5
  }}
  in {bins}, h_3
}}"
    )
}

#[test]
fn sums_are_made_on_chip_and_in_device_memory() {
    for bins in [0, 1, 3] {
        let text = same(&sums(bins));
        // In shared memory, from there to the destination, and in device memory.
        assert_eq!(text.matches("update ").count(), 3, "{text}");
        assert_eq!(text.matches("shared bins").count(), 1, "{text}");
        assert!(!text.contains("holding"), "{text}");
    }
}

#[test]
fn what_does_not_fit_on_chip_is_in_device_memory() {
    let text = same(&sums(10_000));
    assert!(text.contains("if and(le("), "{text}");
    assert!(text.contains("tunable"), "{text}");
}

#[test]
fn several_values_are_combined_under_a_lock() {
    let text = same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) (l_18: i64) ([l_18]i64) = {{
  let d_2: [3]i64 = replicate [3] 7
  let e_12: [3]i64 = replicate [3] 40
  let h_3: [3]i64, g_13: [3]i64 = par (i_5 < n_1) acc (d_2, e_12) rank 1 (0, -1) {BOTH} {{
    let x_9: i64 = mod i_5 4
    in x_9, i_5, i_5
  }}
  in 3, h_3, 3, g_13
}}"
    ));
    assert_eq!(text.matches(" holding locks").count(), 3, "{text}");
    assert_eq!(text.matches("shared bins").count(), 2, "{text}");
    assert_eq!(text.matches("shared locks").count(), 1, "{text}");
}

#[test]
fn rows_are_combined_element_by_element() {
    let text = same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) = {{
  let d_2: [2][3]i64 = replicate [2, 3] 7
  let v_4: [3]i64 = iota 3 : i64
  let h_3: [2][3]i64 = par (i_5 < n_1) acc (d_2) rank 1 (0) {ADD} {{
    let x_9: i64 = mod i_5 3
    in x_9, v_4
  }}
  let f_6: [6]i64 = reshape [6] h_3
  in 6, f_6
}}"
    ));
    assert_eq!(text.matches("update ").count(), 3, "{text}");
}

#[test]
fn a_histogram_beside_a_map() {
    same(&format!(
        "entry main (n_1: i64) : (k_8: i64) ([k_8]i64) (l_18: i64) ([l_18]i64) = {{
  let d_2: [3]i64 = replicate [3] 7
  let h_3: [3]i64, b_4: [n_1]i64 = par (i_5 < n_1) acc (d_2) rank 1 (0) {ADD} own {{
    let x_9: i64 = mod i_5 4
    let y_10: i64 = mul i_5 x_9
    in x_9, i_5, y_10
  }}
  in 3, h_3, n_1, b_4
}}"
    ));
}
