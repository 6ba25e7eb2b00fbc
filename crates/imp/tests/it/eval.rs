//! What lowered programs compute: the programs in `lower/` on inputs small enough to be worked out by hand.

use kenaz_base::Prim;
use kenaz_imp::eval::{Fault, Outcome, Value, run};
use kenaz_ir::Scalar;

fn lowered(text: &str) -> kenaz_imp::Prog {
    let mut prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}"));
    kenaz_plan::plan(&mut prog, &kenaz_ir::target::C);
    let prog = kenaz_imp::lower(&prog, &kenaz_ir::target::C);
    kenaz_imp::check(&prog).unwrap_or_else(|e| panic!("{e}\n{}", kenaz_imp::print::prog(&prog)));
    prog
}

/// The blocks of arguments do not come back, so a function that writes to one is called by another that yields it.
fn call(text: &str, fun: &str, args: &[Value]) -> Outcome {
    let prog = lowered(text);
    run(&prog, fun, args).unwrap_or_else(|e| panic!("{fun}: {e:?}\n{}", kenaz_imp::print::prog(&prog)))
}

fn i64s(xs: &[i64]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::I64(*x)).collect::<Vec<_>>())
}

fn i32s(xs: &[i32]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::I32(*x)).collect::<Vec<_>>())
}

fn f32s(xs: &[f32]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::F32(*x)).collect::<Vec<_>>())
}

fn f64s(xs: &[f64]) -> Value {
    Value::block(&xs.iter().map(|x| Scalar::F64(*x)).collect::<Vec<_>>())
}

fn int(x: i64) -> Value {
    Value::Scalar(Scalar::I64(x))
}

/// A function `f` of the text that fills the block it gets last, with what comes before it, called with a block of so
/// many bytes, which is yielded.
fn filled(text: &str, f: &str, params: &str, args: &str, bytes: i64, values: &[Value]) -> Value {
    let text = format!(
        "{text}\nfun main {params} : (r_1000: mem) = {{\n  let m_1001: mem = alloc host {bytes}\n  \
         let () = call {f} ({args}m_1001)\n  in m_1001\n}}\n"
    );
    call(&text, "main", values).results.remove(0)
}

#[test]
fn rows_are_padded_in_place() {
    let a = f32s(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let outcome = call(include_str!("../lower/pad.ir"), "pad", &[int(2), int(3), a]);
    let expected = f32s(&[1.0, 2.0, 4.0, 6.0, 3.0, 4.0, 8.0, 10.0, 12.0, 6.0]);
    assert_eq!(outcome.results, [int(5), expected]);
    let empty = call(include_str!("../lower/pad.ir"), "pad", &[int(0), int(0), f32s(&[])]);
    assert_eq!(empty.results, [int(2), f32s(&[])]);
    let failed = run(&lowered(include_str!("../lower/pad.ir")), "pad", &[int(1), int(0), f32s(&[])]);
    assert_eq!(failed, Err(Fault::Failed("Index [0] out of bounds for array of shape [0].".to_string())));
}

#[test]
fn a_dot_product_in_lanes_is_one_for_all_lengths() {
    for n in [0, 1, 31, 32, 33, 64, 100] {
        let a: Vec<f32> = (0..n + 2).map(|i| i as f32).collect();
        let b: Vec<f32> = (0..n).map(|i| (i % 3) as f32).collect();
        let expected: f32 = (0..n).map(|i| a[i + 2] * b[i]).fold(0.0, |x, y| x + y);
        let length = int(i64::try_from(n).unwrap());
        let outcome = call(include_str!("../lower/lanes.ir"), "dot", &[length, f32s(&a), int(2), f32s(&b)]);
        assert_eq!(outcome.results, [Value::Scalar(Scalar::F32(expected))], "{n}");
    }
}

#[test]
fn the_greatest_element_is_found_in_any_lane() {
    for at in [0, 3, 16, 39, 40, 44] {
        let mut xs: Vec<f64> = (0..45).map(|i| f64::from(i % 7)).collect();
        xs[at] = 9.5;
        let outcome = call(include_str!("../lower/lanes.ir"), "argmax", &[int(45), f64s(&xs)]);
        let index = int(i64::try_from(at).unwrap());
        assert_eq!(outcome.results, [index, Value::Scalar(Scalar::F64(9.5))]);
    }
}

#[test]
fn views_reach_their_elements() {
    let text = include_str!("../lower/views.ir");
    let a = f32s(&[-1.0, 0.0, 1.0, 2.0, 3.0, 10.0, 11.0, 12.0, 13.0, 20.0, 21.0, 22.0, 23.0]);
    let outcome = call(text, "views", &[int(3), int(4), a, int(1)]);
    let expected = [21.0, 3.0, 1.0].map(|x| Value::Scalar(Scalar::F32(x)));
    assert_eq!(outcome.results, expected);
    // Six rows, of which each is a column of a table of 2 by 6: element (d*3 + e, c) is at c*6 + e*2 + d.
    for i in 0..6 {
        let elems: Vec<i32> = (0..12).collect();
        let outcome = call(text, "nested", &[i32s(&elems), int(2), int(i)]);
        let at = i32::try_from(6 + i % 3 * 2 + i / 3).unwrap();
        assert_eq!(outcome.results, [at, 5].map(|x| Value::Scalar(Scalar::I32(x))));
    }
}

#[test]
fn a_stencil_reads_its_neighbours() {
    let a: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let outcome = call(include_str!("../lower/views.ir"), "stencil", &[int(3), int(4), f32s(&a)]);
    let elems = outcome.results[0].elems(Prim::F32);
    // Row 1 of 3: left, right, above.
    assert_eq!(elems[5..7], [4.0 + 6.0 + 1.0, 5.0 + 7.0 + 2.0].map(Scalar::F32));
}

#[test]
fn blocks_change_places() {
    let text = include_str!("../lower/control.ir");
    for (k, expected) in [(0, 1), (1, 2), (4, 16)] {
        let outcome = call(text, "swap", &[int(3), int(k)]);
        assert_eq!(outcome.results, [i32s(&[expected; 3])]);
    }
    // Eight from the loop in `swap`, two from that in `while`.
    assert_eq!(call(text, "calls", &[int(4)]).results, [int(8 + 1)]);
    let cases = [(0, 1), (-1, 14), (5, 7)];
    for (x, expected) in cases {
        let outcome = call(text, "cases", &[Value::Scalar(Scalar::I32(x)), int(7)]);
        assert_eq!(outcome.results, [int(expected)]);
    }
}

#[test]
fn a_branch_yields_its_block() {
    let text = include_str!("../lower/control.ir");
    let flag = |b| Value::Scalar(Scalar::Bool(b));
    let a = i32s(&[4, 5]);
    let shared = call(text, "branch", &[flag(true), int(2), a.clone()]);
    assert_eq!(shared.results, [a.clone(), int(0)]);
    let fresh = call(text, "branch", &[flag(false), int(2), a]);
    assert_eq!(fresh.results[1], int(2));
    assert_eq!(fresh.results[0].elems(Prim::I32)[2..], [Scalar::I32(1); 2]);
}

#[test]
fn tiles_scatters_and_histograms() {
    let text = include_str!("../lower/par.ir");
    let tiles = filled(text, "tile", "(n_1002: i64)", "n_1002, ", 64, &[int(2)]);
    assert_eq!(tiles, i64s(&[0, 1, 2, 3, 0, 1, 2, 3]));
    let init = |body: &str| {
        format!(
            "{text}\nfun main (n_1002: i64) (im_1003: mem) (is_1004: [n_1002]i64 @ im_1003 -> 0 + {{(n_1002 : 1)}}) : \
             (r_1000: mem) = {{\n  let m_1001: mem = alloc host 16\n  \
             let z_1005: [4]i32 @ m_1001 -> 0 + {{(4 : 1)}} = replicate [4] 0i32\n  \
             let () = call {body} (n_1002, 4, im_1003, is_1004, m_1001, z_1005)\n  in m_1001\n}}\n"
        )
    };
    let indices = i64s(&[1, -1, 3, 1, 4, 1]);
    let scattered = call(&init("scatter"), "main", &[int(6), indices.clone()]);
    assert_eq!(scattered.results, [i32s(&[0, 5, 0, 5])]);
    let counted = call(&init("hist"), "main", &[int(6), indices]);
    assert_eq!(counted.results, [i32s(&[0, 3, 0, 1])]);
}

#[test]
fn scans_and_sums_of_columns() {
    let text = include_str!("../lower/par.ir");
    let params = "(n_1002: i64) (am_1003: mem) (a_1004: [n_1002]i64 @ am_1003 -> 0 + {(n_1002 : 1)})";
    let text_with = format!(
        "{text}\nfun main {params} : (i64) (r_1000: mem) = {{\n  let m_1001: mem = alloc host 32\n  \
         let x_1005: i64 = call scan (n_1002, am_1003, a_1004, m_1001)\n  in x_1005, m_1001\n}}\n"
    );
    let outcome = call(&text_with, "main", &[int(4), i64s(&[3, 1, 4, 1])]);
    assert_eq!(outcome.results, [int(4), i64s(&[0, 3, 4, 8])]);
    let params = "(n_1002: i64) (k_1005: i64) (am_1003: mem)";
    let table = f32s(&[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
    let sums = filled(text, "columns", params, "n_1002, k_1005, am_1003, ", 12, &[int(2), int(3), table.clone()]);
    assert_eq!(sums, f32s(&[11.0, 22.0, 33.0]));
    let negated = filled(text, "interchange", params, "n_1002, k_1005, am_1003, ", 24, &[int(2), int(3), table]);
    assert_eq!(negated, f32s(&[-1.0, -2.0, -3.0, -10.0, -20.0, -30.0]));
    let flattened = filled(
        text,
        "flattened",
        "(n_1002: i64) (m_1003: i64) (k_1004: i64) (am_1005: mem)",
        "n_1002, m_1003, k_1004, am_1005, ",
        24,
        &[int(2), int(3), int(6), f32s(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])],
    );
    assert_eq!(flattened, f32s(&[6.0, 20.0, 8.0, 15.0, 6.0, 6.0]));
    let outcome = call(text, "in_order", &[int(3), f32s(&[1.0, 2.0, 4.0])]);
    assert_eq!(outcome.results, [Value::Scalar(Scalar::F32(-7.0))]);
}

#[test]
fn products_of_matrices() {
    let text = include_str!("../lower/exchange.ir");
    let params = "(n_1002: i64) (m_1003: i64) (l_1004: i64) (am_1005: mem) (bm_1006: mem)";
    let args = "n_1002, m_1003, l_1004, am_1005, bm_1006, ";
    let values = [int(2), int(2), int(3), f32s(&[1.0, 2.0, 3.0, 4.0]), f32s(&[5.0, 6.0, 7.0, 8.0, 9.0, 10.0])];
    let product = filled(text, "product", params, args, 24, &values);
    assert_eq!(product, f32s(&[21.0, 24.0, 27.0, 47.0, 54.0, 61.0]));
    let params = "(n_1002: i64) (m_1003: i64) (am_1005: mem) (bm_1006: mem)";
    let args = "n_1002, m_1003, am_1005, bm_1006, ";
    let values = [int(2), int(3), f32s(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), f32s(&[10.0, 100.0])];
    let scaled = filled(text, "scaled", params, args, 8, &values);
    assert_eq!(scaled, f32s(&[90.0, 1200.0]));
}

#[test]
fn nests_are_copied_element_by_element() {
    let text = include_str!("../lower/fresh.ir");
    let main = "(am_1003: mem)";
    let a: Vec<i32> = (0..12).collect();
    let copied = filled(text, "nests", main, "am_1003, ", 36 * 4, &[i32s(&a)]);
    let copied: Vec<i64> = copied.elems(Prim::I32).iter().map(|x| x.bits() as i64).collect();
    // Element d*4 + e of the source is at e*3 + d.
    let source: Vec<i64> = (0..12).map(|i| i % 4 * 3 + i / 4).collect();
    assert_eq!(copied[..12], source);
    assert_eq!(copied[12..24], source);
    // Element d*3 + e of the last copy is at e*4 + d; then every other element is one of the first six.
    for i in 0..12 {
        let expected = if i % 2 == 0 { source[i / 2] } else { source[i] };
        assert_eq!(copied[24 + i % 3 * 4 + i / 3], expected, "{i}");
    }
}

#[test]
fn stack_and_trace() {
    let text = include_str!("../lower/stack.ir");
    let outcome = call(text, "small", &[Value::Scalar(Scalar::F64(7.0)), int(2)]);
    assert_eq!(outcome.results, [Value::Scalar(Scalar::F64(2.0))]);
    let others = call(text, "others", &[Value::Scalar(Scalar::I32(7)), int(2)]);
    assert_eq!(others.results, [i32s(&[7])]);
    let traced = call(text, "traced", &[int(3), i32s(&[1, 2, 3, 4, 5, 6])]);
    assert_eq!(traced.traced, ["a: [1i32, 4i32, 2i32, 5i32, 3i32, 6i32]", "b: [1i32, 2i32, 3i32, 4i32, 5i32, 6i32]"]);
}

#[test]
fn scalars_keep_their_values() {
    let text = include_str!("../lower/scalars.ir");
    let i = |x| Value::Scalar(Scalar::I32(x));
    assert_eq!(call(text, "barrier", &[i32s(&[3, 4])]).results, [i(3), i(5)]);
    let flag = |b| Value::Scalar(Scalar::Bool(b));
    assert_eq!(call(text, "select", &[flag(true), i(7), i(2)]).results, [i(8), i(3)]);
    assert_eq!(call(text, "select", &[flag(false), i(7), i(0)]).results, [i(0), i(0)]);
    let expected = ((((((2 * 2 + 3) * 4 + 5) * 6 + 7) * 8) + 9) * 10 + 11) * 12 + 13;
    assert_eq!(call(text, "long", &[i(1)]).results, [i(expected)]);
    let outcome = call(text, "checked", &[int(2), i32s(&[3, 4]), int(1)]);
    assert_eq!((outcome.results, outcome.traced), (vec![i(4)], vec!["x: 4i32".to_string()]));
}

#[test]
fn nothing_is_taken_out_of_a_loop_that_changes_it() {
    let text = include_str!("../lower/hoist.ir");
    // Rows 0, 2 and 1 of 3, and then 0 again.
    let a = i64s(&[1, 2, 10, 20, 100, 200]);
    assert_eq!(call(text, "rows", &[int(3), int(2), a]).results, [int(333), int(3)]);
    for (n, expected) in [(0, [1, 2, 3, 0, 7]), (1, [2, 3, 1, 1, 7]), (2, [3, 1, 2, 2, 7]), (3, [1, 2, 3, 3, 7])] {
        assert_eq!(call(text, "round", &[int(n), int(1), int(2), int(3)]).results, expected.map(int), "{n}");
    }
}

#[test]
fn histograms_of_rows() {
    let text = format!(
        "{}\nfun main (n_1002: i64) (im_1003: mem) (vm_1004: mem) : (r_1000: mem) (r_1010: mem) = {{\n  \
         let m_1001: mem = alloc host 96\n  let k_1005: mem = alloc host 64\n  \
         let z_1006: [6]i64 @ m_1001 -> 0 + {{(6 : 1)}} = replicate [6] 0\n  \
         let z_1007: [6]i64 @ m_1001 -> 6 + {{(6 : 1)}} = replicate [6] 1\n  \
         let () = call histogram_of_rows (n_1002, im_1003, m_1001, vm_1004, k_1005)\n  in m_1001, k_1005\n}}\n",
        include_str!("../lower/hoist.ir")
    );
    let outcome = call(&text, "main", &[int(4), i64s(&[0, 2, 2, 5]), i64s(&[3, 4])]);
    let counts = i64s(&[3, 4, 0, 0, 6, 8, 3, 4, 1, 1, 9, 16]);
    assert_eq!(outcome.results, [counts, i64s(&[3, 3, 3, 3, 4, 4, 4, 4])]);
}

#[test]
fn faults_are_found() {
    let wrong = |text: &str, args: &[Value]| match run(&lowered(text), "f", args) {
        Err(Fault::Wrong(message)) => message,
        other => panic!("{other:?}"),
    };
    let unwritten = "fun f : (i32) = { let m_1: mem = alloc host 400 let a_2: [100]i32 @ m_1 -> 0 + {(100 : 1)} = \
                     scratch [100] i32 let x_3: i32 = index a_2[5] let () = free m_1 in x_3 }";
    assert_eq!(wrong(unwritten, &[]), "element 5 is read before it is written");
    let outside =
        "fun f (m_1: mem) (a_2: [2]i32 @ m_1 -> 0 + {(2 : 1)}) : (i32) = { let x_3: i32 = index a_2[2] in x_3 }";
    assert_eq!(wrong(outside, &[i32s(&[1, 2])]), "element 2 of a block of 8 bytes of i32");
    let gone = "fun f : (i32) = { let m_1: mem = alloc host 400 let () = free m_1 let a_2: [100]i32 @ m_1 -> 0 + \
                {(100 : 1)} = scratch [100] i32 let x_3: i32 = index a_2[5] in x_3 }";
    assert_eq!(wrong(gone, &[]), "a block is used after it is gone");
    let left = "fun f (n_2: i64) : = { let m_1: mem = alloc host n_2 in }";
    assert_eq!(wrong(left, &[int(3)]), "the block allocated as number 0 is left");
}

#[test]
fn depth_and_length_cost_no_stack() {
    let depth = 5_000;
    let text = format!(
        "fun f (x_1: bool) (m_3: mem) : = {{ {}{} in }}",
        "let () = if x_1 then { let a_2: [9]i32 @ m_3 -> 0 + {(9 : 1)} = replicate [9] 1i32 in } else { ".repeat(depth),
        "in } ".repeat(depth)
    );
    let prog = kenaz_imp::lower(&kenaz_ir::parse::prog(&text).unwrap(), &kenaz_ir::target::C);
    assert!(kenaz_imp::print::prog(&prog).len() > depth);
    let length = 20_000;
    let mut text = "fun f (x_0: i32) : (i32) = {\n".to_string();
    for i in 1..=length {
        text.push_str(&format!("let x_{i}: i32 = add x_{} {i}i32\n", i - 1));
    }
    text.push_str(&format!("in x_{length} }}"));
    let outcome = call(&text, "f", &[Value::Scalar(Scalar::I32(1))]);
    let sum = length * (length + 1) / 2 + 1;
    assert_eq!(outcome.results, [Value::Scalar(Scalar::I32(sum))]);
}
