//! The interpreter by heap on programs that use memory as they should.

mod common;

use common::heap::{args, heap, results, with};
use kenaz_interp::Kind;
use kenaz_interp::heap::{Options, RaceCheck};

#[test]
fn branches_bring_their_blocks() {
    // [mem] fig. 7
    let text =
        "entry main (c_1: bool) (n_2: i64) (k_3: i64) : (z_4: i64) (zm_5: mem) ([z_4]i64 @ zm_5 -> 0 + {(z_4 : 1)}) = {
  let z_6: i64, zm_7: mem, r_8: [z_6]i64 @ zm_7 -> 0 + {(z_6 : 1)} = if c_1 then {
    let b_9: i64 = mul n_2 8
    let xm_10: mem = alloc host b_9
    let x_11: [n_2]i64 @ xm_10 -> 0 + {(n_2 : 1)} = iota n_2 : i64
    in n_2, xm_10, x_11
  } else {
    let b_12: i64 = mul k_3 8
    let ym_13: mem = alloc host b_12
    let y_14: [k_3]i64 @ ym_13 -> 0 + {(k_3 : 1)} = iota k_3 : i64
    in k_3, ym_13, y_14
  }
  in z_6, zm_7, r_8
}";
    assert_eq!(results(text, "true 3i64 2i64"), "[0i64, 1i64, 2i64]");
    assert_eq!(results(text, "false 3i64 2i64"), "[0i64, 1i64]");
}

/// The example of the design: three parts of each row are written to where they are in the result.
fn pad(level: &str) -> String {
    format!(
        "entry main (n_1: i64) (m_2: i64) (am_19: mem) (a_3: [n_1][m_2]f32 @ am_19 -> 0 + {{(n_1 : m_2) (m_2 : 1)}}) :
    (k_30: i64) (rm_31: mem) ([n_1][k_30]f32 @ rm_31 -> 0 + {{(n_1 : k_30) (k_30 : 1)}}) = {{
  let k_4: i64 = add 2 m_2
  let l_5: i64 = sub m_2 1
  let s_21: i64 = mul n_1 k_4
  let s_22: i64 = mul s_21 4
  let bm_20: mem = alloc host s_22
  let b_7: [n_1][k_4]f32 @ bm_20 -> 0 + {{(n_1 : k_4) (k_4 : 1)}} = par {level} (i_17 < n_1) own {{
    let r_8: [m_2]f32 @ am_19 -> i_17*m_2 + {{(m_2 : 1)}} = index a_3[i_17]
    let x_9: f32 = index r_8[0]
    let h_10: [1]f32 @ bm_20 -> i_17*k_4 + {{(1 : 1)}} = array [x_9] : f32
    let d_11: [m_2]f32 @ bm_20 -> i_17*k_4 + 1 + {{(m_2 : 1)}} = par (j_18 < m_2) own {{
      let y_12: f32 = index r_8[j_18]
      let z_13: f32 = mul y_12 2.0f32
      in z_13
    }}
    let w_14: f32 = index r_8[l_5]
    let t_15: [1]f32 @ bm_20 -> i_17*k_4 + 1 + m_2 + {{(1 : 1)}} = array [w_14] : f32
    let o_16: [k_4]f32 @ bm_20 -> i_17*k_4 + {{(k_4 : 1)}} = concat k_4 (h_10, d_11, t_15)
    in o_16
  }}
  in k_4, bm_20, b_7
}}"
    )
}

#[test]
fn rows_are_built_in_place() {
    let expected =
        "[[1.0f32, 2.0f32, 4.0f32, 2.0f32], [3.0f32, 6.0f32, 8.0f32, 4.0f32], [5.0f32, 10.0f32, 12.0f32, 6.0f32]]";
    let input = "[[1f32, 2f32], [3f32, 4f32], [5f32, 6f32]]";
    for level in ["", "core", "grid"] {
        assert_eq!(results(&pad(level), input), expected, "{level}");
    }
    let always = Options { races: RaceCheck::Always, workers: 2, ..Options::default() };
    assert_eq!(with(&pad("core"), input, always).unwrap(), expected);
    assert_eq!(results(&pad("core"), "empty([0][2]f32)"), "empty([0][4]f32)");
}

#[test]
fn loops_alternate_between_blocks() {
    // Each iteration reads the neighbours of the last one.
    let text = "entry main (k_1: i64) (n_2: i64) (xm_3: mem) (x_4: [n_2]i32 @ xm_3 -> 0 + {(n_2 : 1)}) : (rm_40: mem) ([n_2]i32 @ rm_40 -> 0 + {(n_2 : 1)}) = {
  let b_5: i64 = mul n_2 4
  let l_6: i64 = sub n_2 1
  let m_7: mem = alloc host b_5
  let c_8: [n_2]i32 @ m_7 -> 0 + {(n_2 : 1)} = copy x_4
  let s_9: mem = alloc host b_5
  let ym_10: mem, yr_11: mem, y_12: [n_2]i32 @ ym_10 -> 0 + {(n_2 : 1)} = loop (pm_13: mem = m_7, sp_14: mem = s_9, p_15: [n_2]i32 @ pm_13 -> 0 + {(n_2 : 1)} = c_8) for i_16: i64 < k_1 {
    let r_17: [n_2]i32 @ sp_14 -> 0 + {(n_2 : 1)} = par (j_18 < n_2) own {
      let j_19: i64 = sub l_6 j_18
      let a_20: i32 = index p_15[j_19]
      let b_21: i32 = index p_15[j_18]
      let c_22: i32 = sub a_20 b_21
      in c_22
    }
    in sp_14, pm_13, r_17
  }
  let () = free yr_11
  in ym_10, y_12
}";
    assert_eq!(results(text, "0i64 [1i32, 2i32, 5i32]"), "[1i32, 2i32, 5i32]");
    assert_eq!(results(text, "1i64 [1i32, 2i32, 5i32]"), "[4i32, 0i32, -4i32]");
    assert_eq!(results(text, "2i64 [1i32, 2i32, 5i32]"), "[-8i32, 0i32, 8i32]");
}

#[test]
fn functions_take_arrays_at_an_offset() {
    let text = "fun double (n_1: i64) (m_2: mem) (o_3: i64) (a_4: [n_1]i8 @ m_2 -> o_3 + {(n_1 : 1)}) : (rm_5: mem) (ro_6: i64) ([n_1]i8 @ rm_5 -> ro_6 + {(n_1 : 1)}) = {
  let m_7: mem = alloc host n_1
  let r_8: [n_1]i8 @ m_7 -> 0 + {(n_1 : 1)} = par (i_9 < n_1) own {
    let x_10: i8 = index a_4[i_9]
    let y_11: i8 = add x_10 x_10
    in y_11
  }
  in m_7, 0, r_8
}
entry main (n_20: i64) (m_21: mem) (a_22: [n_20][3]i8 @ m_21 -> 0 + {(n_20 : 3) (3 : 1)}) : (rm_23: mem) ([3]i8 @ rm_23 -> 0 + {(3 : 1)}) = {
  let r_24: [3]i8 @ m_21 -> 3 + {(3 : 1)} = index a_22[1]
  let dm_25: mem, do_26: i64, d_27: [3]i8 @ dm_25 -> do_26 + {(3 : 1)} = call double (3, m_21, 3, r_24)
  let e_28: [3]i8 @ dm_25 -> 0 + {(3 : 1)} = resize [3] d_27
  in dm_25, e_28
}";
    assert_eq!(results(text, "[[1i8, 2i8, 3i8], [4i8, 5i8, 6i8]]"), "[8i8, 10i8, 12i8]");
    // A function that is no entry point is called as it is.
    let called = heap(text, "double", "3i64 [1i8, 2i8, 3i8]", Options::default());
    assert_eq!(called.unwrap(), "[2i8, 4i8, 6i8]");
}

#[test]
fn layouts_say_how_arrays_lie() {
    // A transposed result, read through reshapes, reversals, flat views and slices.
    let text = "entry main : (m_1: mem) ([6]i32 @ m_1 -> 0 + {(6 : 1)}) (m_2: mem) ([2][2]i32 @ m_2 -> 0 + {(2 : 2) (2 : 1)}) = {
  let m_3: mem = alloc host 24
  let a_4: [2][3]i32 @ m_3 -> 0 + {(2 : 1) (3 : 2)} = par (i_5 < 2, j_6 < 3) own {
    let x_7: i64 = mul i_5 10
    let y_8: i64 = add x_7 j_6
    let z_9: i32 = conv i32 y_8
    in z_9
  }
  let t_10: [3][2]i32 @ m_3 -> 0 + {(3 : 2) (2 : 1)} = rearrange (1, 0) a_4
  let f_11: [6]i32 @ m_3 -> 0 + {(6 : 1)} = reshape [6] t_10
  let b_12: [6]i32 @ m_3 -> 5 + {(6 : -1)} = slice f_11[5 :+ 6 * -1]
  let g_13: [6]i32 @ m_3 -> 0 + {((2 : 1)(3 : 2))} = reshape [6] a_4
  let m_14: mem = alloc host 24
  let c_15: [6]i32 @ m_14 -> 0 + {(6 : 1)} = copy g_13
  let m_16: mem = alloc host 16
  let h_17: [2][2]i32 @ m_3 -> 4 + {(2 : -1) (2 : -2)} = flat b_12 1 [(2, 1), (2, 2)]
  let d_18: [2][2]i32 @ m_16 -> 0 + {(2 : 2) (2 : 1)} = copy h_17
  let () = free m_3
  in m_14, c_15, m_16, d_18
}";
    assert_eq!(results(text, ""), "[0i32, 1i32, 2i32, 10i32, 11i32, 12i32] [[2i32, 1i32], [11i32, 10i32]]");
}

#[test]
fn updates_and_forms_write_in_place() {
    let text = "entry main (n_1: i64) (m_2: mem) (d_3: *[n_1]i32 @ m_2 -> 0 + {(n_1 : 1)}) : (m_4: mem) (*[n_1]i32 @ m_4 -> 0 + {(n_1 : 1)}) (i32) = {
  let e_5: [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)} = update d_3[0] = 7i32
  let w_6: [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)} = par core (i_7 < 4) write e_5 rank 1 {
    let j_8: i64 = mul i_7 2
    in j_8, 1i32
  }
  let a_9: [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)} = par core (i_10 < 9) acc (w_6) rank 1 (0i32) \\(x_11: i32, y_12: i32) -> {
    let z_13: i32 = add x_11 y_12
    in z_13
  } {
    let j_14: i64 = sub i_10 4
    in j_14, 10i32
  }
  let s_15: i32 = par core (i_16 < n_1) reduce (0i32) \\(x_17: i32, y_18: i32) -> {
    let z_19: i32 = mul x_17 2i32
    let u_20: i32 = add z_19 y_18
    in u_20
  } {
    let v_21: i32 = index a_9[i_16]
    in v_21
  }
  let r_22: mem = share m_2
  in r_22, a_9, s_15
}";
    for workers in [1, 2, 5] {
        let options = Options { workers, ..Options::default() };
        let found = with(text, "[0i32, 0i32, 0i32, 0i32, 5i32]", options).unwrap();
        assert_eq!(found, "[11i32, 10i32, 11i32, 10i32, 11i32] 331i32");
    }
}

#[test]
fn scans_and_tiles() {
    let text = "entry main (n_1: i64) (m_2: mem) (a_3: [n_1]i64 @ m_2 -> 0 + {(n_1 : 1)}) : (m_4: mem) ([n_1]i64 @ m_4 -> 0 + {(n_1 : 1)}) (m_5: mem) ([2]i64 @ m_5 -> 0 + {(2 : 1)}) (m_6: mem) ([4][2]i64 @ m_6 -> 0 + {(4 : 2) (2 : 1)}) = {
  let b_7: i64 = mul n_1 8
  let m_8: mem = alloc host b_7
  let s_9: [n_1]i64 @ m_8 -> 0 + {(n_1 : 1)} = par (i_10 < n_1) scan (0) \\(x_11: i64, y_12: i64) -> {
    let z_13: i64 = add x_11 y_12
    in z_13
  } own {
    let x_14: i64 = index a_3[i_10]
    in x_14
  } post (p_15: i64) {
    let q_16: i64 = mul p_15 x_14
    in q_16
  }
  let m_17: mem = alloc host 16
  let m_18: mem = alloc host 16
  let v_19: [2]i64 @ m_17 -> 0 + {(2 : 1)} = par (i_20 < n_1) reduce (0) [2] \\(x_21: i64, y_22: i64) -> {
    let z_23: i64 = max x_21 y_22
    in z_23
  } {
    let x_24: i64 = index a_3[i_20]
    let r_25: [2]i64 @ m_18 -> 0 + {(2 : 1)} = array [x_24, i_20] : i64
    in r_25
  }
  let () = free m_18
  let m_26: mem = alloc host 64
  let t_27: [4][2]i64 @ m_26 -> 0 + {(4 : 2) (2 : 1)} = par core (i_28 < 2, j_29 < 1) tile [2, 2] {
    let m_30: mem = alloc host 32
    let k_31: [2][2]i64 @ m_30 -> 0 + {(2 : 2) (2 : 1)} = replicate [2, 2] i_28
    let k_32: [2][2]i64 @ m_26 -> 4*i_28 + {(2 : 2) (2 : 1)} = copy k_31
    let () = free m_30
    in k_32
  }
  in m_8, s_9, m_17, v_19, m_26, t_27
}";
    // 3*3, 1*4, 5*9
    let expected = "[9i64, 4i64, 45i64] [5i64, 2i64] [[0i64, 0i64], [0i64, 0i64], [1i64, 1i64], [1i64, 1i64]]";
    assert_eq!(results(text, "[3i64, 1i64, 5i64]"), expected);
}

#[test]
fn checks_fail_as_by_value() {
    let text = "fun f (x_1: i64) : (i64) = {
  let c_2: bool = lt x_1 3
  let c_3: cert = assert c_2 \"{x_1} is too large.\" at a.fut:1:2-3
  let y_4: i64 = <c_3> add x_1 1
  in y_4
}
entry main (x_5: i64) : (i64) = {
  let m_6: mem = alloc host 8
  let y_7: i64 = call f (x_5) at a.fut:9:1-5
  let () = free m_6
  in y_7
}";
    assert_eq!(results(text, "2i64"), "3i64");
    let error = with(text, "5i64", Options::default()).unwrap_err();
    assert_eq!((error.kind, &error.message[..]), (Kind::Assertion, "5 is too large."));
    let trace: Vec<&str> = error.trace.iter().map(|place| place.as_str()).collect();
    assert_eq!(trace, ["a.fut:1:2-3", "a.fut:9:1-5"]);
    let compiled = kenaz_interp::compile(&kenaz_ir::parse::prog(text).unwrap(), kenaz_interp::Options::default());
    // By value it is not run, as memory has no values; but its function is.
    assert_eq!(compiled.run("f", args("5i64")).unwrap_err().message, error.message);
    assert_eq!(with(text, "", Options::default()).unwrap_err().kind, Kind::Arguments);
}

#[test]
fn without_places_arrays_get_blocks_of_their_own() {
    let text = "entry main (n_1: i64) (a_2: [n_1][n_1]i32) : ([n_1]i32) = {
  let s_9: i64 = mul n_1 n_1
  let t_3: [n_1][n_1]i32 = rearrange (1, 0) a_2
  let f_4: [s_9]i32 = reshape [s_9] t_3
  let r_5: [n_1]i32 = par (i_6 < n_1) own {
    let x_7: i32 = index f_4[i_6]
    in x_7
  }
  in r_5
}";
    assert_eq!(results(text, "[[1i32, 2i32], [3i32, 4i32]]"), "[1i32, 3i32]");
}
