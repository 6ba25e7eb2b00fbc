//! Arrays with random layouts: filled, copied, sliced, updated and read, against the same on plain vectors.

use kenaz_base::{Prim, Rng};
use kenaz_imp::eval::{Value, run};
use kenaz_ir::Scalar;

/// The layout of an array of three dimensions `n_1`, `n_2`, `n_3` with its dimensions in a random order, some reversed,
/// and the outermost perhaps as a nest of `(2 : …)` and `(h_4 : …)`, where `n_1 = 2*h_4`.
fn layout(random: &mut Rng) -> String {
    let mut order = vec![0, 1, 2];
    for i in 0..3 {
        order.swap(i, random.below(3));
    }
    let names = ["n_1", "n_2", "n_3"];
    let mut strides = [const { String::new() }; 3];
    let mut stride = "1".to_string();
    for dim in order {
        strides[dim].clone_from(&stride);
        stride = format!("{}*{stride}", names[dim]);
    }
    let mut offset = "7".to_string();
    let mut dims = Vec::new();
    for (dim, name) in names.iter().enumerate() {
        let mut stride = strides[dim].clone();
        if random.below(3) == 0 {
            offset = format!("{offset} + {name}*{stride} + -1*{stride}");
            stride = format!("-1*{stride}");
        }
        dims.push(match random.below(3) {
            // The halves change places with what is in them.
            0 if dim == 0 && !stride.starts_with('-') => format!("((2 : {stride})(h_4 : 2*{stride}))"),
            _ => format!("({name} : {stride})"),
        });
    }
    format!("{offset} + {{{}}}", dims.join(" "))
}

#[test]
fn copies_and_updates_reach_the_right_elements() {
    for seed in 0..200 {
        let mut random = Rng::new(seed);
        let half = 1 + random.below(2);
        let sizes = [2 * half, 1 + random.below(3), 1 + random.below(4)];
        let (start, fixed, cut) = (random.below(2), random.below(sizes[2]), random.below(sizes[1] + 1));
        let layouts: Vec<String> = (0..3).map(|_| layout(&mut random)).collect();
        let count: usize = sizes.iter().product();
        let bytes = 8 * (count + 8);
        let row = "{(l_20 : n_2*n_3) (n_2 : n_3) (n_3 : 1)}";
        let text = format!(
            "fun f (n_1: i64) (n_2: i64) (n_3: i64) (h_4: i64) (s_5: i64) (k_6: i64) (c_7: i64) : (r_8: mem) = {{
               let am_10: mem = alloc host {bytes}
               let a_11: [n_1][n_2][n_3]i64 @ am_10 -> {a} = par (i_12 < n_1, j_13 < n_2, k_14 < n_3) own {{
                 let x_15: i64 = mul i_12 100
                 let x_16: i64 = mul j_13 10
                 let x_17: i64 = add x_15 x_16
                 let x_18: i64 = add x_17 k_14
                 in x_18
               }}
               let bm_19: mem = alloc host {bytes}
               let b_21: [n_1][n_2][n_3]i64 @ bm_19 -> {b} = copy a_11
               let v_22: mem = alloc host {bytes}
               let v_23: [h_4][c_7]i64 @ v_22 -> 0 + {{(h_4 : 1) (c_7 : h_4)}} = replicate [h_4, c_7] -1
               let b_24: [n_1][n_2][n_3]i64 @ bm_19 -> {b} = update b_21[s_5 :+ h_4 * 2, 0 :+ c_7 * 1, k_6] = v_23
               let cm_25: mem = alloc host {bytes}
               let c_26: [n_1][n_2][n_3]i64 @ cm_25 -> {c} = copy b_24
               let l_20: i64 = add n_1 n_1
               let om_27: mem = alloc host {out}
               let o_28: [l_20][n_2][n_3]i64 @ om_27 -> 0 + {row} = concat l_20 (b_24, c_26)
               let () = free am_10
               let () = free bm_19
               let () = free v_22
               let () = free cm_25
               in om_27
             }}",
            a = layouts[0],
            b = layouts[1],
            c = layouts[2],
            out = 16 * count,
        );
        let mut prog = kenaz_ir::parse::prog(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        kenaz_plan::plan(&mut prog, &kenaz_ir::target::C);
        let prog = kenaz_imp::lower(&prog, &kenaz_ir::target::C);
        let shown = kenaz_imp::print::prog(&prog);
        kenaz_imp::check(&prog).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{shown}"));
        let args = [sizes[0], sizes[1], sizes[2], half, start, fixed, cut];
        let args = args.map(|n| Value::Scalar(Scalar::I64(i64::try_from(n).unwrap())));
        let outcome = run(&prog, "f", &args).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{shown}"));
        let mut expected = Vec::new();
        for i in 0..sizes[0] {
            for j in 0..sizes[1] {
                for k in 0..sizes[2] {
                    let is_updated = i % 2 == start && j < cut && k == fixed;
                    let value = i64::try_from(i * 100 + j * 10 + k).unwrap();
                    expected.push(Scalar::I64(if is_updated { -1 } else { value }));
                }
            }
        }
        let expected = [&expected[..], &expected[..]].concat();
        assert_eq!(outcome.results[0].elems(Prim::I64), expected, "seed {seed}\n{text}\n{shown}");
    }
}
