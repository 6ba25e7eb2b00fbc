//! Where arrays are placed, on programs in IR text.

use kenaz_ir::{PassCx, parse, print};
use kenaz_place::{buffer, hoist, place, release};

/// The program after the passes of this crate.
fn placed(text: &str) -> String {
    let mut prog = parse::prog(text).unwrap_or_else(|error| panic!("{error}"));
    let mut cx = PassCx::default();
    for pass in [place::PASS, buffer::PASS, hoist::PASS, release::PASS] {
        (pass.run)(&mut prog, &mut cx);
    }
    let text = print::prog(&prog);
    let again = print::prog(&parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    assert_eq!(text, again);
    text
}

#[test]
fn the_example_of_the_design() {
    let text = placed(
        r#"entry pad (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]f32) : (k_30: i64) ([n_1][k_30]f32) = {
  let k_4: i64 = add 2 m_2
  let l_5: i64 = sub m_2 1
  let b_7: [n_1][k_4]f32 = par (i_17 < n_1) own {
    let r_8: [m_2]f32 = index a_3[i_17]
    let x_9: f32 = index r_8[0]
    let h_10: [1]f32 = array [x_9] : f32
    let d_11: [m_2]f32 = par (j_18 < m_2) own {
      let y_12: f32 = index r_8[j_18]
      let z_13: f32 = mul y_12 2.0f32
      in z_13
    }
    let w_14: f32 = index r_8[l_5]
    let t_15: [1]f32 = array [w_14] : f32
    let o_16: [k_4]f32 = concat k_4 (h_10, d_11, t_15)
    in o_16
  }
  in k_4, b_7
}
"#,
    );
    println!("{text}");
    assert_eq!(text.matches("alloc").count(), 1, "{text}");
    assert_eq!(text.matches("copy").count(), 0, "{text}");
}
