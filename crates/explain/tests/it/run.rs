//! Formulas with the sizes of a run.

use super::of_text;
use kenaz_explain::{Argument, Measured, Run, json, page, run, text};
use kenaz_ir::target;

const PROGRAM: &str = "entry main [n] (xs: [n]f64) (ys: [n]f64): f64 = reduce (+) 0 (map2 (*) xs ys)
entry steps [n] (k: i64) (xs: [n]f64): [n]f64 =
  loop xs for _i < k do map (\\i -> xs[(i + 1) % n] + xs[i]) (iota n)
entry collatz (n: i64): i64 = (loop (x, k) = (n, 0) while x > 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)).1
";

fn measured(entry: &str, arguments: Vec<Argument>) -> Measured {
    let (entry, data) = (entry.to_string(), "some data".to_string());
    let (microseconds, half, runs, memory) = (50.0, 0.5, 10, Some(123_456));
    Measured { entry, data, arguments, microseconds, half, runs, memory, copy_rate: 16e9 }
}

fn run_of(entry: &str, arguments: Vec<Argument>) -> Option<Run> {
    run(&of_text(PROGRAM, &target::C), &measured(entry, arguments))
}

#[test]
fn a_loop_takes_as_long_as_a_copy_of_its_bytes() {
    let found =
        run_of("main", vec![Argument::Array(vec![1000]), Argument::Array(vec![1000])]).expect("there is a main");
    let [only] = &found.loops[..] else { panic!("there is one loop: {:?}", found.loops) };
    // 16 GB in a second are 16,000 bytes in a microsecond.
    assert_eq!((only.bytes, only.operations, only.microseconds), (Some(16_000.0), Some(2000.0), Some(1.0)));
    assert_eq!((only.times, only.is_bound, found.peak), (Some(1.0), false, Some(0.0)));
}

#[test]
fn a_loop_in_steps_runs_once_for_each() {
    let found = run_of("steps", vec![Argument::Scalar(Some(7)), Argument::Array(vec![1000])]).expect("there is one");
    let [map] = &found.loops[..] else { panic!("the steps are told with what is in them: {:?}", found.loops) };
    assert_eq!((map.what.as_str(), map.times, map.bytes), ("map", Some(7.0), Some(7.0 * 16_000.0)));
    // One array to read, another to write, both besides the argument.
    assert_eq!(found.peak, Some(16_000.0));
}

#[test]
fn what_no_formula_says_is_not_said() {
    let found = run_of("collatz", vec![Argument::Scalar(Some(27))]).expect("there is one");
    let [only] = &found.loops[..] else { panic!("there is one loop: {:?}", found.loops) };
    assert_eq!((only.bytes, only.operations), (Some(0.0), None));
    assert!(run_of("nothing", Vec::new()).is_none());
    let unknown = run_of("main", vec![Argument::Array(Vec::new())]).expect("there is a main");
    assert_eq!((unknown.loops[0].bytes, unknown.loops[0].microseconds), (None, None));
}

#[test]
fn only_what_is_known_may_be_less() {
    let program = "entry main [n] (xs: [n]i64): [n]i64 = map (\\x -> loop x while x > 1 do x / 2) xs";
    let mut explanation = of_text(program, &target::C);
    explanation.run = run(&explanation, &measured("main", vec![Argument::Array(vec![1000])]));
    let shown = text(&explanation, &[]);
    let line = shown.lines().find(|line| line.starts_with("  line 1: map: ")).expect("there is a map");
    assert!(line.contains("bytes or less, a number of operations that is not known;"), "{line}");
}

#[test]
fn runs_are_shown_only_if_there_was_one() {
    let mut explanation = of_text(PROGRAM, &target::C);
    assert!(!json(&explanation).contains("\"run\": ") && !text(&explanation, &[]).contains("a run of"));
    let measured = measured("main", vec![Argument::Array(vec![1000]), Argument::Array(vec![1000])]);
    explanation.run = run(&explanation, &measured);
    let shown = text(&explanation, &[]);
    for line in [
        "a run of main on some data",
        "  measured: 50 µs ± 0.5 µs, the mean of 10 runs; a copy moves 16 GB in a second",
        "  line 1: reduction: 16000 bytes, 2000 operations; 1 µs at the speed of a copy",
        "  estimated: 1 µs for all loops together; the run takes 50 times that",
        "  memory at most: 0 bytes besides the arguments, as the formula says; 123456 bytes with them, as measured",
    ] {
        assert!(shown.lines().any(|other| other == line), "{line}\n{shown}");
    }
    assert!(page(&explanation).contains("a run of main on some data"));
    let value: serde_json::Value = serde_json::from_str(&json(&explanation)).expect("it is JSON");
    assert_eq!(value["run"]["loops"][0]["bytes"], 16_000.0);
}
