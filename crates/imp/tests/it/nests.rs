//! Reductions in nests of loops, which become strips and lanes: what they compute, on sizes around those of a strip and
//! of a round of lanes, against the same by hand.

use kenaz_base::Prim;
use kenaz_imp::eval::{Value, run};
use kenaz_ir::Scalar;

/// What `main` of a program in text yields, and the program lowered, as text.
fn results(text: &str, args: &[Value]) -> (Vec<Value>, String) {
    let mut prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    kenaz_plan::plan(&mut prog, &kenaz_ir::target::C);
    let prog = kenaz_imp::lower(&prog, &kenaz_ir::target::C);
    let printed = kenaz_imp::print::prog(&prog);
    kenaz_imp::check(&prog).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    let outcome = run(&prog, "main", args).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
    (outcome.results, printed)
}

fn int(x: usize) -> Value {
    Value::Scalar(Scalar::I64(x.try_into().unwrap()))
}

fn i64s(xs: &[i64]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::I64(*x)).collect::<Vec<_>>())
}

fn f32s(xs: &[f32]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::F32(*x)).collect::<Vec<_>>())
}

/// The first so many elements of a block.
fn elems(value: &Value, count: usize) -> Vec<i64> {
    value.elems(Prim::I64).iter().filter_map(|x| x.as_i64()).take(count).collect()
}

/// Numbers that look random, from -9 to 9.
fn numbers(count: usize) -> Vec<i64> {
    let mut state = 12345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i64::from(state >> 16) % 19 - 9
    };
    (0..count).map(|_| next()).collect()
}

/// Linear functions one after the other: `(a, b)` is `x -> a*x + b`. Associative, but the order matters.
const LINEAR: &str = "\\(a_901: i64, b_902: i64, c_903: i64, d_904: i64) -> {
      let e_905: i64 = mul a_901 c_903
      let f_906: i64 = mul b_902 c_903
      let g_907: i64 = add f_906 d_904
      in e_905, g_907
    }";

fn after((a, b): (i64, i64), (c, d): (i64, i64)) -> (i64, i64) {
    (a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d))
}

#[test]
fn operands_of_a_strip_come_in_order() {
    let text = format!(
        "fun main (n_1: i64) (m_2: i64) (am_3: mem) (a_4: [n_1][m_2]i64 @ am_3 -> 0 + {{(n_1 : m_2) (m_2 : 1)}}) : (r_5: mem) (s_6: mem) = {{
  let z_7: i64 = size_mul i64 (8, m_2)
  let rm_8: mem = alloc host z_7
  let sm_9: mem = alloc host z_7
  let r_10: [m_2]i64 @ rm_8 -> 0 + {{(m_2 : 1)}}, s_11: [m_2]i64 @ sm_9 -> 0 + {{(m_2 : 1)}} = par (j_12 < m_2) own own {{
    let p_13: i64, q_14: i64 = par (k_15 < n_1) reduce (1, 0) {LINEAR} {{
      let x_16: i64 = index a_4[k_15, j_12]
      in x_16, k_15
    }}
    let t_17: i64 = sub q_14 j_12
    in p_13, t_17
  }}
  in rm_8, sm_9
}}"
    );
    // A strip of two numbers of 8 bytes has 512 of each.
    for (n, m) in [(0, 3), (1, 1), (3, 511), (4, 512), (5, 513), (9, 1025), (2, 0)] {
        let a = numbers(n * m);
        let (found, printed) = results(&text, &[int(n), int(m), i64s(&a)]);
        let of_column = |j: usize| (0..n).fold((1, 0), |f, k| after(f, (a[k * m + j], k.try_into().unwrap())));
        let (r, s): (Vec<i64>, Vec<i64>) = (0..m).map(of_column).unzip();
        let s: Vec<i64> = (0..).zip(s).map(|(j, q)| q - j).collect();
        assert_eq!((elems(&found[0], m), elems(&found[1], m)), (r, s), "{n} by {m}\n{printed}");
        assert!(printed.contains("i64[512]"), "{printed}");
    }
}

/// For each column its mean, by way of a scalar before that is expensive, and the sum of the squares of the differences
/// from it, then what another array has at the index.
#[test]
fn reductions_follow_one_another_in_a_strip() {
    let text = "fun main (n_1: i64) (m_2: i64) (am_3: mem) (a_4: [n_1][m_2]i64 @ am_3 -> 0 + {(n_1 : m_2) (m_2 : 1)}) (bm_5: mem) (b_6: [m_2][3]i64 @ bm_5 -> 0 + {(m_2 : 3) (3 : 1)}) : (r_7: mem) = {
  let z_8: i64 = size_mul i64 (8, m_2)
  let rm_9: mem = alloc host z_8
  let r_10: [m_2]i64 @ rm_9 -> 0 + {(m_2 : 1)} = par (j_11 < m_2) own {
    let w_12: i64 = index b_6[j_11, 1]
    let v_13: i64 = rem w_12 5
    let u_14: i64 = index b_6[j_11, 2]
    let s_15: i64 = par (k_16 < n_1) reduce (0) \\(x_17: i64, y_18: i64) -> { let z_19: i64 = add x_17 y_18 in z_19 } {
      let x_20: i64 = index a_4[k_16, j_11]
      let y_21: i64 = mul x_20 v_13
      in y_21
    }
    let d_22: i64 = max n_1 1
    let e_23: i64 = quot s_15 d_22
    let t_24: i64 = par (k_25 < n_1) reduce (0) \\(x_26: i64, y_27: i64) -> { let z_28: i64 = add x_26 y_27 in z_28 } {
      let x_29: i64 = index a_4[k_25, j_11]
      let y_30: i64 = sub x_29 e_23
      let z_31: i64 = mul y_30 y_30
      in z_31
    }
    let f_32: i64 = mul t_24 v_13
    let g_33: i64 = add f_32 u_14
    in g_33
  }
  in rm_9
}";
    for (n, m) in [(0, 2), (1, 256), (6, 257), (7, 700)] {
        let (a, b) = (numbers(n * m), numbers(3 * m));
        let (found, printed) = results(text, &[int(n), int(m), i64s(&a), i64s(&b)]);
        let of_column = |j: usize| {
            let v = b[3 * j + 1] % 5;
            let s: i64 = (0..n).map(|k| a[k * m + j] * v).sum();
            let mean = s / i64::try_from(n).unwrap().max(1);
            let t: i64 = (0..n).map(|k| (a[k * m + j] - mean) * (a[k * m + j] - mean)).sum();
            t * v + b[3 * j + 2]
        };
        let expected: Vec<i64> = (0..m).map(of_column).collect();
        assert_eq!(elems(&found[0], m), expected, "{n} by {m}\n{printed}");
        assert_eq!(printed.matches("local ").count(), 4, "two sums and two scalars are kept\n{printed}");
    }
}

/// The columns, each reduced, are composed in their order, and so far after each of them.
#[test]
fn what_becomes_of_a_strip_comes_in_order() {
    let text = format!(
        "fun main (n_1: i64) (m_2: i64) (am_3: mem) (a_4: [n_1][m_2]i64 @ am_3 -> 0 + {{(n_1 : m_2) (m_2 : 1)}}) : (r_5: i64) (s_6: i64) (o_7: mem) = {{
  let z_8: i64 = size_mul i64 (8, m_2)
  let om_9: mem = alloc host z_8
  let r_10: i64, s_11: i64, o_12: [m_2]i64 @ om_9 -> 0 + {{(m_2 : 1)}} = par (j_13 < m_2) reduce (1, 0) {LINEAR} own {{
    let p_14: i64 = par (k_15 < n_1) reduce (0) \\(x_16: i64, y_17: i64) -> {{ let z_18: i64 = add x_16 y_17 in z_18 }} {{
      let x_19: i64 = index a_4[k_15, j_13]
      in x_19
    }}
    in p_14, j_13, p_14
  }}
  in r_10, s_11, om_9
}}"
    );
    for (n, m) in [(0, 2), (3, 1), (5, 1100)] {
        let a = numbers(n * m);
        let (found, printed) = results(&text, &[int(n), int(m), i64s(&a)]);
        let sums: Vec<i64> = (0..m).map(|j| (0..n).map(|k| a[k * m + j]).sum()).collect();
        let (r, s) = (0..).zip(&sums).fold((1, 0), |f, (j, sum)| after(f, (*sum, j)));
        assert_eq!(found[..2], [Value::Scalar(Scalar::I64(r)), Value::Scalar(Scalar::I64(s))], "{n} by {m}\n{printed}");
        assert_eq!(elems(&found[2], m), sums, "{n} by {m}\n{printed}");
        assert!(printed.contains("i64[1024]"), "{printed}");
    }
}

/// The sums of the rows of each of some matrices that are stored column by column: the strip is along the first
/// dimension of the nest, and the result is not.
#[test]
fn a_strip_goes_along_the_best_dimension() {
    let text = "fun main (n_1: i64) (m_2: i64) (l_3: i64) (am_4: mem) (a_5: [n_1][m_2][l_3]i64 @ am_4 -> 0 + {(n_1 : 1) (m_2 : n_1*l_3) (l_3 : n_1)}) : (r_6: mem) = {
  let z_7: i64 = size_mul i64 (8, m_2)
  let z_8: i64 = size_mul i64 (z_7, n_1)
  let rm_9: mem = alloc host z_8
  let r_10: [n_1][m_2]i64 @ rm_9 -> 0 + {(n_1 : m_2) (m_2 : 1)} = par (i_11 < n_1, j_12 < m_2) own {
    let v_13: [l_3]i64 @ am_4 -> i_11 + j_12*n_1*l_3 + {(l_3 : n_1)} = index a_5[i_11, j_12]
    let s_14: i64 = par (k_15 < l_3) reduce (0) \\(x_16: i64, y_17: i64) -> { let z_18: i64 = add x_16 y_17 in z_18 } {
      let x_19: i64 = index v_13[k_15]
      in x_19
    }
    in s_14
  }
  in rm_9
}";
    for (n, m, l) in [(1, 1, 1), (3, 2, 5), (1030, 2, 6)] {
        let a = numbers(n * m * l);
        let (found, printed) = results(text, &[int(n), int(m), int(l), i64s(&a)]);
        let at = |i: usize, j: usize| (0..l).map(|k| a[i + j * n * l + k * n]).sum::<i64>();
        let expected: Vec<i64> = (0..n).flat_map(|i| (0..m).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect();
        assert_eq!(elems(&found[0], n * m), expected, "{n} by {m} by {l}\n{printed}");
        assert!(printed.contains("(n_1 + 1023) / 1024"), "{printed}");
    }
}

/// Numbers whose sums are exact in any order.
#[test]
fn lanes_take_every_operand_once() {
    let text = "fun main (n_1: i64) (o_2: i64) (am_3: mem) (a_4: [n_1]f32 @ am_3 -> o_2 + {(n_1 : 1)}) : (r_5: f32) (i_6: i64) (x_7: f32) (b_8: mem) = {
  let z_9: i64 = size_mul i64 (4, n_1)
  let bm_10: mem = alloc host z_9
  let s_11: f32, i_12: i64, x_13: f32, b_14: [n_1]f32 @ bm_10 -> 0 + {(n_1 : 1)} = par (j_15 < n_1) reduce (0.0f32) \\(x_16: f32, y_17: f32) -> { let z_18: f32 = add x_16 y_17 in z_18 } reduce_comm (-1, -f32.inf) \\(i_19: i64, x_20: f32, j_21: i64, y_22: f32) -> {
    let c_23: bool = lt x_20 y_22
    let k_24: i64, z_25: f32 = if c_23 then { in j_21, y_22 } else { in i_19, x_20 }
    in k_24, z_25
  } own {
    let v_26: f32 = index a_4[j_15]
    let w_27: f32 = mul v_26 2.0f32
    in v_26, j_15, v_26, w_27
  }
  in s_11, i_12, x_13, bm_10
}";
    for n in [0usize, 1, 7, 8, 15, 16, 17, 23, 24, 31, 32, 33, 39, 40, 47, 64, 71, 100] {
        let offset = 3;
        // All are different, so that there is one greatest.
        let all: Vec<f32> = (0..n + offset).map(|i| f32::from(u16::try_from(i * 37 % 101).unwrap()) + 0.5).collect();
        let a = &all[offset..];
        let (found, printed) = results(text, &[int(n), int(offset), f32s(&all)]);
        let greatest = (0..n).max_by(|i, j| a[*i].total_cmp(&a[*j]));
        let expected = [
            Value::Scalar(Scalar::F32(a.iter().fold(0.0, |sum, x| sum + x))),
            Value::Scalar(Scalar::I64(greatest.map_or(-1, |i| i.try_into().unwrap()))),
            Value::Scalar(Scalar::F32(greatest.map_or(f32::NEG_INFINITY, |i| a[i]))),
        ];
        assert_eq!(found[..3], expected, "{n}\n{printed}");
        let doubled: Vec<Scalar> = a.iter().map(|x| Scalar::F32(2.0 * x)).collect();
        assert_eq!(found[3].elems(Prim::F32)[..n], doubled[..], "{n}\n{printed}");
        assert!(printed.contains("independent lanes"), "{printed}");
    }
}

/// A function that is called is not in vectors.
#[test]
fn calls_stay_out_of_lanes() {
    let text = |f: &str| {
        format!(
            "fun main (n_1: i64) (am_2: mem) (a_3: [n_1]f64 @ am_2 -> 0 + {{(n_1 : 1)}}) : (f64) = {{
  let s_4: f64 = par (i_5 < n_1) reduce (0.0f64) \\(x_6: f64, y_7: f64) -> {{ let z_8: f64 = add x_6 y_7 in z_8 }} {{
    let x_9: f64 = index a_3[i_5]
    let y_10: f64 = {f} f64 (x_9)
    in y_10
  }}
  in s_4
}}"
        )
    };
    let arg = Value::block(&vec![Scalar::F64(0.0); 40]);
    for (f, sum, has_lanes) in [("exp", 40.0, false), ("sqrt", 0.0, true)] {
        let (found, printed) = results(&text(f), &[int(40), arg.clone()]);
        assert_eq!(found, [Value::Scalar(Scalar::F64(sum))], "{printed}");
        assert_eq!(printed.contains("lanes"), has_lanes, "{printed}");
    }
}

/// A map of maps that reads one array row by row and one column by column, on sizes around those of a square.
#[test]
fn squares_reach_every_element_once() {
    let text = "fun main (n_1: i64) (m_2: i64) (am_3: mem) (a_4: [n_1][m_2]i64 @ am_3 -> 0 + {(n_1 : m_2) (m_2 : 1)}) (bm_5: mem) (b_6: [n_1][m_2]i64 @ bm_5 -> 0 + {(n_1 : 1) (m_2 : n_1)}) : (r_7: mem) = {
  let z_8: i64 = size_mul i64 (8, n_1)
  let z_9: i64 = size_mul i64 (z_8, m_2)
  let rm_10: mem = alloc host z_9
  let r_11: [n_1][m_2]i64 @ rm_10 -> 0 + {(n_1 : m_2) (m_2 : 1)} = par (i_12 < n_1) own {
    let c_13: [m_2]i64 @ rm_10 -> i_12*m_2 + {(m_2 : 1)} = par (j_14 < m_2) own {
      let x_15: i64 = index a_4[i_12, j_14]
      let y_16: i64 = index b_6[i_12, j_14]
      let z_17: i64 = mul x_15 100
      let w_18: i64 = add z_17 y_16
      let v_19: i64 = mul i_12 10000
      let u_20: i64 = add v_19 w_18
      in u_20
    }
    in c_13
  }
  in rm_10
}";
    for (n, m) in [(0, 0), (0, 5), (1, 1), (15, 16), (17, 31), (33, 2), (16, 48)] {
        let (a, b) = (numbers(n * m), numbers(n * m));
        let (found, printed) = results(text, &[int(n), int(m), i64s(&a), i64s(&b)]);
        let at = |k: usize| {
            let (i, j) = (k / m, k % m);
            i64::try_from(i).unwrap() * 10000 + a[k] * 100 + b[j * n + i]
        };
        let expected: Vec<i64> = (0..n * m).map(at).collect();
        assert_eq!(elems(&found[0], n * m), expected, "{n} by {m}\n{printed}");
        assert!(printed.contains("(m_2 + 15) / 16"), "{printed}");
    }
}

/// An operator that uses what the iteration has computed, and one that uses what was computed before.
#[test]
fn operators_use_what_is_around() {
    let text = |scale: &str| {
        format!(
            "fun main (n_1: i64) (m_2: i64) (s_3: i64) (am_4: mem) (a_5: [n_1][m_2]i64 @ am_4 -> 0 + {{(n_1 : m_2) (m_2 : 1)}}) : (r_6: mem) = {{
  let z_7: i64 = size_mul i64 (8, m_2)
  let rm_8: mem = alloc host z_7
  let r_9: [m_2]i64 @ rm_8 -> 0 + {{(m_2 : 1)}} = par (j_10 < m_2) own {{
    let t_11: i64 = add j_10 s_3
    let q_12: i64 = par (k_13 < n_1) reduce (0) \\(x_14: i64, y_15: i64) -> {{
      let z_16: i64 = add x_14 y_15
      let w_17: i64 = min z_16 {scale}
      in w_17
    }} {{
      let x_18: i64 = index a_5[k_13, j_10]
      in x_18
    }}
    in q_12
  }}
  in rm_8
}}"
        )
    };
    for (scale, has_strips) in [("t_11", false), ("s_3", true)] {
        let (n, m) = (6, 20);
        let a = numbers(n * m);
        let (found, printed) = results(&text(scale), &[int(n), int(m), int(4), i64s(&a)]);
        let most = |j: usize| if has_strips { 4 } else { i64::try_from(j).unwrap() + 4 };
        let of_column = |j: usize| (0..n).fold(0, |sum, k| (sum + a[k * m + j]).min(most(j)));
        let expected: Vec<i64> = (0..m).map(of_column).collect();
        assert_eq!(elems(&found[0], m), expected, "{printed}");
        assert_eq!(printed.contains("local "), has_strips, "{printed}");
    }
}
