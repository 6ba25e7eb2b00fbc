//! What is said of programs of which one can see what becomes of them.

use super::of_text;
use kenaz_explain::{Function, Kind};
use kenaz_ir::target;

fn main_of(text: &str) -> Function {
    let explanation = of_text(text, &target::C);
    explanation.functions.into_iter().find(|function| function.name == "main").expect("there is a main")
}

#[test]
fn a_map_has_one_loop_and_one_block() {
    let function = main_of("entry main [n] (xs: [n]f32) = map (* 2) xs\n");
    assert_eq!(function.nests.len(), 1);
    let nest = &function.nests[0];
    assert_eq!((nest.kind, nest.what.as_str(), &nest.sizes[..]), (Kind::Parallel, "map", &["n".to_string()][..]));
    assert_eq!(nest.runs, "one thread");
    assert_eq!(function.blocks.len(), 1);
    let block = &function.blocks[0];
    assert_eq!((block.bytes.as_str(), block.is_result, &block.repeats[..]), ("4*n", true, &[][..]));
    assert_eq!((block.arrays[0].shape.as_str(), block.arrays[0].layout.as_str()), ("[n]f32", "row-major"));
    assert_eq!(function.peak.of, ["4*n"]);
    assert!(!function.peak.is_bound && !function.peak.has_more);
}

#[test]
fn what_is_given_up_is_no_longer_there() {
    // The first sorted array is needed for the second, and neither of them with the third.
    let function = main_of(
        "#[noinline] def sums [n] (xs: [n]f64) = scan (+) 0 xs
entry main [n] (xs: [n]f64) (is: [n]i64): f64 =
  let ys = sums xs
  let zs = map (\\i -> ys[i]) is |> scan f64.max 0
  in reduce (+) 0 (map2 (*) zs (rotate 1 zs))
",
    );
    let peak = &function.peak;
    assert_eq!(peak.of, ["16*n"], "two arrays at a time: {:#?}", function.blocks);
}

#[test]
fn a_loop_that_fills_one_block_while_it_reads_the_other_has_two() {
    let function = main_of(
        "entry main [n] (k: i32) (xs: [n]f64): [n]f64 =
  loop xs for _i < k do map (\\i -> xs[(i + 1) % n] + xs[i]) (iota n)
",
    );
    assert_eq!(function.peak.of, ["16*n"], "{:#?}", function.blocks);
    let inner = function.nests.iter().find(|nest| nest.what == "map").expect("there is a map");
    let outer = inner.inside.map(|at| &function.nests[at]).expect("it is in the loop");
    assert_eq!((outer.kind, &outer.sizes[..]), (Kind::Loop, &["k".to_string()][..]));
}

#[test]
fn of_two_branches_the_larger_one_counts() {
    let function = main_of(
        "entry main (c: bool) (n: i64): []f64 =
  if c then map f64.i64 (iota n) else map f64.i64 (iota (2 * n))
",
    );
    assert_eq!(function.peak.of, ["16*n"], "{:#?}", function.blocks);
}

#[test]
fn what_functions_need_is_counted_where_they_are_called() {
    let text = "#[noinline] def f [n] (xs: [n]f64): f64 =
  let ys = scan (+) 0 xs in ys[0] * ys[n / 2] + reduce f64.max 0 (map2 (*) ys (reverse ys))
entry main (n: i64) = f (map f64.i64 (iota (3 * n)))
";
    let function = main_of(text);
    // The argument and the block inside of the function, each of three times n elements.
    assert_eq!(function.peak.of, ["48*n"], "{:#?}", function.blocks);
    assert_eq!(function.blocks.len(), 1, "what is inside of the function is told there");
}

#[test]
fn copies_and_checks_say_why_and_how_often() {
    let function = main_of(
        "entry main [n] [m] (xs: [n][m]i32) (is: [m]i64): [n][m]i32 =
  loop xs = copy xs for i < n do xs with [i] = map (\\j -> xs[i, is[j]]) (iota m)
",
    );
    let check = function.checks.iter().find(|check| check.message.starts_with("Index")).expect("an index is checked");
    assert_eq!(check.repeats, ["n times", "m times"]);
    let copy = function.copies.iter().find(|copy| copy.bytes == "4*n*m").expect("the argument is copied");
    assert!(copy.repeats.is_empty());
    assert_eq!(copy.place.as_ref().map(|place| place.start.line), Some(2));
}

#[test]
fn places_of_inlined_code_say_where_it_was_called() {
    let explanation = of_text(
        "def twice [n] (xs: [n]f32) = map (* 2) xs
entry main [n] (xs: [n]f32) = twice xs
",
        &target::C,
    );
    let place = explanation.functions[0].nests[0].place.clone().expect("it has a place");
    assert_eq!((place.source, place.start.line), (0, 1));
    assert_eq!(place.called_at[0].start.line, 2);
    assert_eq!(explanation.sources[0].name, "a.fut");
}

#[test]
fn operators_that_became_one_are_told() {
    let explanation = of_text("entry main [n] (xs: [n]f32) = reduce (+) 0 (map (* 2) xs)\n", &target::C);
    let [fusion] = &explanation.fusions[..] else { panic!("{:?}", explanation.fusions) };
    assert!(fusion.first.start.column > fusion.second.start.column && !fusion.is_shared);
    assert_eq!(explanation.functions[0].nests.len(), 1);
}
