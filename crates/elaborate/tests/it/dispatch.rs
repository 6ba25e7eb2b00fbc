//! §7 of the defunctionalisation paper: conditionals marked `#[dispatch]` yield functions.

use crate::common::{errors, gives, residual};
use kenaz_base::Code;

#[test]
fn only_with_the_attribute() {
    let conditional = "def main (c: bool) (x: i32) = (if c then (\\y -> y + x) else (\\y -> y * 2)) 10";
    assert_eq!(errors(conditional), [Code::FunctionFromBranch]);
    let matched = "
        def main (k: i32) (x: i32) =
          let f = match k case 0 -> \\(y: i32) -> y + x
                          case _ -> \\y -> y * 2
          in f 10";
    assert_eq!(errors(matched), [Code::FunctionFromBranch]);
}

#[test]
fn of_if() {
    let source = "def main (c: bool) (x: i32) = (#[dispatch] if c then (\\y -> y + x) else (\\y -> y * 2)) 10";
    gives(source, &[("true 3", "13i32"), ("false 3", "20i32")]);
    // A tag and the variables of each function.
    let text = residual(source);
    assert!(text.contains("(#f0 {x = x} : (#f0 {x: i32} | #f1 ()))"), "{text}");
    assert!(text.contains("(#f1 {} : (#f0 {x: i32} | #f1 ()))"), "{text}");
}

#[test]
fn of_match() {
    let source = "
        type op = #add | #mul | #sub_from i32
        def function (o: op) =
          #[dispatch] match o
          case #add -> \\(a: i32) (b: i32) -> a + b
          case #mul -> \\a b -> a * b
          case #sub_from n -> \\a b -> n - a - b
        def main (k: i32) (x: i32) (y: i32) =
          let o = if k == 0 then #add else if k == 1 then #mul else #sub_from k
          in function o x y";
    gives(source, &[("0 6 7", "13i32"), ("1 6 7", "42i32"), ("20 6 7", "7i32")]);
}

/// The same function in both branches needs no tag.
#[test]
fn equal_functions() {
    let source = "
        def scale (k: i32) = \\(x: i32) -> if x > 0 then x * k else x
        def main (c: bool) (x: i32) = (#[dispatch] if c then scale 2 else scale x) 10";
    gives(source, &[("true 5", "20i32"), ("false 5", "50i32")]);
    assert!(!residual(source).contains("#f"));
}

#[test]
fn nested() {
    let source = "
        def main (k: i32) (x: i32) =
          let f =
            #[dispatch] if k < 2
            then #[dispatch] if k == 0 then \\y -> y + x else \\y -> y - x
            else #[dispatch] match k case 2 -> \\y -> y * x
                                     case 3 -> \\y -> y - x
                                     case _ -> \\(_: i32) -> x
          in f 10 + 1000 * f 1";
    gives(
        source,
        &[("0 5", "6015i32"), ("1 5", "-3995i32"), ("2 5", "5050i32"), ("3 5", "-3995i32"), ("4 5", "5005i32")],
    );
}

/// A function that yields functions which are chosen again.
#[test]
fn of_functions_of_functions() {
    let source = "
        def main (c: bool) (d: bool) (x: i32) =
          let f = #[dispatch] if c then (\\a -> #[dispatch] if d then (\\(b: i32) -> a * b) else (\\b -> a + b + x))
                              else (\\a -> \\b -> a - b)
          in f 10 3";
    gives(
        source,
        &[("true true 1", "30i32"), ("true false 1", "14i32"), ("false true 1", "7i32"), ("false false 1", "7i32")],
    );
}

/// Only the fields that are functions have a tag (§7).
#[test]
fn in_records() {
    let source = "
        def main (c: bool) (a: i32) (b: i32) =
          let r = #[dispatch] if c then {f = \\x -> x + a, n = a, p = (true, \\(x: i32) -> x)}
                              else {f = \\x -> x - b, n = b, p = (false, \\x -> -x)}
          in (r.f r.n, r.p.0, r.p.1 r.n)";
    gives(source, &[("true 3 4", "6i32 true 3i32"), ("false 3 4", "0i32 false -4i32")]);
    let text = residual(source);
    let ty = "let r: {f: (#f0 {a: i32} | #f1 {b: i32}), n: i32, p: (bool, (#f0 () | #f1 ()))} =";
    assert!(text.contains(ty), "{text}");
}

#[test]
fn capturing_different_variables() {
    let source = "
        def main [n] (k: i32) (xs: [n]i32) (ys: []i32) (p: (i32, bool)) =
          let f = #[dispatch] match k
                  case 0 -> \\(i: i64) -> xs[i]
                  case 1 -> \\i -> ys[i] + p.0
                  case 2 -> \\i -> i32.bool p.1 + i32.i64 (n * i)
                  case _ -> \\i -> i32.i64 i
          in map f (iota 2)";
    let input = "[10, 20, 30] [5, 6] 7 true";
    let cases = ["[10i32, 20i32]", "[12i32, 13i32]", "[1i32, 4i32]", "[0i32, 1i32]"];
    for (k, expected) in cases.iter().enumerate() {
        gives(source, &[(format!("{k} {input}").as_str(), expected)]);
    }
}

#[test]
fn applied_in_steps() {
    let source = "
        def three (a: i32) (b: i32) (c: i32) = if a > 0 then a * 100 + b * 10 + c else c
        def main (c: bool) (x: i32) =
          let f = #[dispatch] if c then three x else (\\b -> three b x)
          let g = f 2
          in (g 3, f 4 5)";
    gives(source, &[("true 1", "123i32 145i32"), ("false 1", "213i32 415i32")]);
}

#[test]
fn passed_on() {
    let source = "
        def twice 'a (f: a -> a) (x: a) = f (f x)
        def compose '^a '^b '^c (f: b -> c) (g: a -> b) = \\x -> f (g x)
        def main (c: bool) (d: bool) (xs: []i32) =
          let f = #[dispatch] if c then (+ 1) else (* 2)
          let g = #[dispatch] if d then compose f f else twice (\\x -> f x - 1)
          in (map (twice g) xs, reduce (\\a b -> f a + b) 0 xs)";
    let cases = [
        ("true true [1, 10]", "[5i32, 14i32]"),
        ("true false [1, 10]", "[1i32, 10i32]"),
        ("false true [1, 10]", "[16i32, 160i32]"),
        ("false false [1, 10]", "[1i32, 145i32]"),
    ];
    for (input, expected) in cases {
        let found = crate::common::run(source, input);
        assert!(found.starts_with(expected), "{input}: {found}");
    }
}

/// Constructors with functions are chosen like functions.
#[test]
fn constructors() {
    let source = "
        type^ shape = #map (i32 -> i32) | #both (i32 -> i32) (i32 -> i32) | #const i32
        def apply (s: shape) (x: i32) =
          match s
          case #map f -> f x
          case #both f g -> f x * g x
          case #const c -> c
        def main (k: i32) (x: i32) =
          let s = #[dispatch] match k
                  case 0 -> ((#map (+ x)) : shape)
                  case 1 -> #map (* 2)
                  case 2 -> #both (+ 1) (\\y -> y - x)
                  case _ -> #const k
          in (apply s 10, match s case #const _ -> true case _ -> false)";
    gives(source, &[("0 5", "15i32 false"), ("1 5", "20i32 false"), ("2 5", "55i32 false"), ("9 5", "9i32 true")]);
}

/// Sizes of arrays beside functions.
#[test]
fn sizes_beside_functions() {
    let source = "
        def main (c: bool) (xs: []i32) (ys: []i32) =
          let (f, zs) = #[dispatch] if c then (\\x -> x + 1, filter (> 1) xs) else (\\x -> x * 2, filter (> 2) ys)
          in (map f zs, length zs)";
    gives(source, &[("true [1, 2, 3] [4]", "[3i32, 4i32] 2i64"), ("false [1, 2, 3] [4]", "[8i32] 1i64")]);
}
