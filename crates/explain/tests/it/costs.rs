//! The bytes and operations of loops, counted by hand.

use super::of_text;
use kenaz_explain::{Amount, Nest};
use kenaz_ir::target;

/// The loops of the only function, as `READS, WRITES; OPERATIONS`, with `<=` before what may be less.
fn costs(text: &str) -> Vec<String> {
    let explanation = of_text(text, &target::C);
    explanation.functions.iter().flat_map(|function| &function.nests).map(cost).collect()
}

fn cost(nest: &Nest) -> String {
    let amount = |amount: &Amount| match &amount.formula {
        None => "?".to_string(),
        Some(formula) => format!("{}{formula}", if amount.is_bound { "<=" } else { "" }),
    };
    format!("{}, {}; {}", amount(&nest.cost.reads), amount(&nest.cost.writes), amount(&nest.cost.operations))
}

#[test]
fn a_dot_product_reads_both_arrays_once() {
    let text = "entry main [n] (xs: [n]f64) (ys: [n]f64): f64 = reduce (+) 0 (map2 (*) xs ys)\n";
    assert_eq!(costs(text), ["16*n, 0; 2*n"]);
    let explanation = of_text(text, &target::MULTICORE);
    let [nest] = &explanation.functions[0].nests[..] else { panic!("there is one loop") };
    assert_eq!(cost(nest), "16*n, 0; 2*n");
    assert_eq!(nest.cost.intensity, Some(0.125));
}

#[test]
fn a_matrix_product_counts_each_element_once_for_each_loop() {
    let text = "entry main [n] [k] [m] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  map (\\r -> map (\\c -> reduce (+) 0 (map2 (*) r c)) (transpose b)) a
";
    // All rows, one row, one element.
    assert_eq!(costs(text), ["8*n*k + 8*k*m, 8*n*m; 2*n*k*m", "8*k*m + 8*k, 8*m; 2*k*m", "16*k, 0; 2*k"],);
}

#[test]
fn transposed_arrays_are_read_as_a_whole() {
    let text = "entry main [n] [m] (xs: [n][m]f32): [m][n]f32 =
  tabulate_2d m n (\\i j -> xs[j, i] * 2)
";
    assert_eq!(costs(text)[0], "4*n*m, 4*n*m; n*m");
}

#[test]
fn neighbours_overlap() {
    let text = "entry main (n: i64) (xs: [n + 2]f64): [n]f64 = tabulate n (\\i -> xs[i] + xs[i + 1] + xs[i + 2])\n";
    assert_eq!(costs(text), ["8*n + 16, 8*n; 2*n"]);
    // Clamped indices may be anything, but there are only so many elements.
    let text = "entry main [n] (xs: [n]f64): [n]f64 =
  tabulate n (\\i -> (xs[i64.max 0 (i - 1)] + xs[i64.min (n - 1) (i + 1)]) / 2)
";
    assert_eq!(costs(text), ["<=8*n, 8*n; 2*n"]);
}

#[test]
fn one_row_of_a_convolution_slides() {
    // A sum of two indices has n + k - 1 values.
    let text = "entry main [k] (n: i64) (xs: [n + k]f32) (w: [k]f32): [n]f32 =
  tabulate n (\\i -> reduce (+) 0 (tabulate k (\\j -> xs[i + j] * w[j])))
";
    assert_eq!(costs(text)[0], "4*n + 8*k - 4, 4*n; 2*n*k");
}

#[test]
fn what_depends_on_data_is_a_bound() {
    // A comparison, a conversion and a sum for each element, which say where it goes.
    let filter = "entry main [n] (xs: [n]f32): []f32 = filter (> 0) xs\n";
    assert_eq!(costs(filter), ["4*n, <=4*n; 3*n"]);
    let gather = "entry main [n] [m] (xs: [n]f64) (is: [m]i64): [m]f64 = map (\\i -> xs[i]) is\n";
    assert_eq!(costs(gather), ["<=8*m + min(8*m, 8*n), 8*m; 0"]);
    let histogram = "entry main [n] (is: [n]i64) (k: i64): [k]i32 = hist (+) 0 k is (map (const 1) is)\n";
    assert_eq!(costs(histogram), ["<=8*n + min(4*n, 4*k), <=min(4*n, 4*k); n"]);
    let branch = "entry main [n] (xs: [n]f32) (ys: [n]f32): [n]f32 =
  tabulate n (\\i -> if xs[i] > 0 then f32.sqrt ys[i] + 1 else xs[i])
";
    assert_eq!(costs(branch), ["<=8*n, 4*n; <=3*n"]);
}

#[test]
fn what_nobody_knows_is_not_invented() {
    let text = "entry main (n: i64): [n]i32 =
  tabulate n (\\i -> (loop (x, k) = (f32.i64 i, 0) while x < 100 do (x * x + 1, k + 1)).1)
";
    let [outer, inner] = &costs(text)[..] else { panic!("there are two loops") };
    assert_eq!((outer.as_str(), inner.as_str()), ("0, 4*n; ?", "0, 0; ?"));
}

#[test]
fn branches_that_choose_an_index_are_no_operations() {
    let text = "entry main [n] (k: i64) (xs: [n]f64): [n]f64 =
  loop xs for _i < k do map (\\i -> xs[(i + 1) % n] + xs[i]) (iota n)
";
    // All steps together, which hand over the array, and one of them.
    assert_eq!(costs(text)[1], "8*n, 8*n; n");
    assert!(costs(text)[0].ends_with("; k*n") || costs(text)[0].ends_with("; n*k"), "{:?}", costs(text));
}

#[test]
fn triangles_have_at_most_all_of_a_square() {
    let text = "entry main [n] (xs: [n]f64): [n]f64 =
  tabulate n (\\i -> loop s = 0 for j < i do s + xs[j] * f64.i64 j)
";
    // The last index of the outer loop is n - 1, and the inner one stays below that.
    assert_eq!(costs(text)[0], "<=8*n - 8, 8*n; <=3*n*n - 3*n");
}

#[test]
fn indices_are_no_operations_and_what_is_inside_is_no_memory() {
    let text = "entry main (n: i64) (xs: [4 * n]f64): [n]f64 = tabulate n (\\i -> xs[4 * i + 2] * xs[4 * i + 2])\n";
    assert_eq!(costs(text), ["8*n, 8*n; n"]);
    let text = "entry main [n] (xs: [n]f64): [n]f64 =
  map (\\x -> let t = map (\\k -> x + f64.i64 k) (iota 8) in t[i64.f64 x % 8]) xs
";
    assert_eq!(costs(text)[0].split(';').next(), Some("8*n, 8*n"));
}
