//! The defunctionalisation paper: its example, its rules, shape parameters, functional images, the size of what comes
//! out.
//!
//! `residual` and its kin check that the result keeps the rules of first-order programs: no lambda but as an argument
//! of an intrinsic, no application but of a definition to all its arguments.

use crate::common::{check_residual, fails, gives, residual, statements};
use std::fmt::Write;

/// Fig. 1. The body of the inner function is small, so it stands in the place of its calls (§5.3).
#[test]
fn figure_1() {
    let source = "
        def twice (g: i32 -> i32) = \\x -> g (g x)

        def main =
          let f = let a = 5 in twice (\\y -> y + a)
          in f 1 + f 2";
    let expected = "
        def lambda.def0 : ({g: {a: i32}} -> (i32 -> i32)) = \\(env: {g: {a: i32}}) (x: i32) ->
          let g: {a: i32} = env.g
          let a: i32 = g.a
          let a: i32 = g.a
          let y: i32 = (+ x a)
          in (+ y a)

        def main.def1 : i32 = let a: i32 = 5i32
        let f: () = {}
        let g: {a: i32} = {a = a}
        let f: {g: {a: i32}} = {g = g}
        in (+ (lambda.def0 f 1i32) (lambda.def0 f 2i32))";
    check_residual(source, expected);
    gives(source, &[("", "23i32")]);
}

/// Fig. 1 with a larger inner function, which becomes a definition as in the paper.
#[test]
fn figure_1_lifted() {
    let source = "
        def twice (g: i32 -> i32) = \\x -> g (g x)

        def main (a: i32) =
          let f = twice (\\y -> if y > a then y - a else y + a)
          in f 1 + f 2";
    let expected = "
        def lambda.def0 : ({a: i32} -> (i32 -> i32)) = \\(env: {a: i32}) (y: i32) ->
          let a: i32 = env.a
          in if (> y a) then
            (- y a)
          else
            (+ y a)

        def lambda.def1 : ({g: {a: i32}} -> (i32 -> i32)) = \\(env: {g: {a: i32}}) (x: i32) ->
          let g: {a: i32} = env.g
          in (lambda.def0 g (lambda.def0 g x))

        def main.def2 : (i32 -> i32) = \\(a: i32) ->
          let f: () = {}
          let g: {a: i32} = {a = a}
          let f: {g: {a: i32}} = {g = g}
          in (+ (lambda.def1 f 1i32) (lambda.def1 f 2i32))";
    check_residual(source, expected);
    gives(source, &[("5", "3i32"), ("1", "3i32")]);
}

/// `x ⇝ ⟨x, sv⟩`
#[test]
fn d_var() {
    let source = "
        def pick (f: i32 -> i32) = let g = f in g
        def main (a: i32) (x: i32) = let h = pick (\\y -> if y > a then y else a) in h x";
    let expected = "
        def lambda.def0 : ({a: i32} -> (i32 -> i32)) = \\(env: {a: i32}) (y: i32) ->
          let a: i32 = env.a
          in if (> y a) then
            y
          else
            a

        def main.def1 : (i32 -> (i32 -> i32)) = \\(a: i32) (x: i32) ->
          let f: () = {}
          let f: {a: i32} = {a = a}
          in (lambda.def0 f x)";
    check_residual(source, expected);
    gives(source, &[("3 5", "5i32"), ("3 1", "3i32")]);
}

#[test]
fn d_num() {
    check_residual("def main: i32 = 42", "def main.def0 : i32 = 42i32");
    gives("def main: i32 = 42", &[("", "42i32")]);
}

#[test]
fn d_true_and_false() {
    let source = "def main = (true, false)";
    check_residual(source, "def main.def0 : (bool, bool) = {0 = true, 1 = false}");
    gives(source, &[("", "true false")]);
}

#[test]
fn d_plus_and_leq() {
    let source = "def main (x: i32) (y: i32) = (x + y, x <= y)";
    let expected = "
        def main.def0 : (i32 -> (i32 -> (i32, bool))) = \\(x: i32) (y: i32) ->
          {0 = (+ x y), 1 = (<= x y)}";
    check_residual(source, expected);
    gives(source, &[("1 2", "3i32 true"), ("2 1", "3i32 false")]);
}

/// Both branches know the function.
#[test]
fn d_if() {
    let source = "def main (c: bool) (x: i32) = let f = \\y -> y * x in if c then f 2 else f 3";
    let expected = "
        def main.def0 : (bool -> (i32 -> i32)) = \\(c: bool) (x: i32) ->
          let f: {x: i32} = {x = x}
          in if c then
            let x: i32 = f.x
            let y: i32 = 2i32
            in (* y x)
          else
            let x: i32 = f.x
            let y: i32 = 3i32
            in (* y x)";
    check_residual(source, expected);
    gives(source, &[("true 10", "20i32"), ("false 10", "30i32")]);
}

/// The record has the free variables and nothing else: `c` and `x` are in scope, too.
#[test]
fn d_lam() {
    let source = "
        def main (a: i32) (b: i32) (c: i32) (x: i32) =
          let f = \\y -> if y > a then y * a + b else y
          in f x + f c";
    let expected = "
        def lambda.def0 : ({a: i32, b: i32} -> (i32 -> i32)) = \\(env: {a: i32, b: i32}) (y: i32) ->
          let a: i32 = env.a
          let b: i32 = env.b
          in if (> y a) then
            (+ (* y a) b)
          else
            y

        def main.def1 : (i32 -> (i32 -> (i32 -> (i32 -> i32)))) = \\(a: i32) (b: i32) (c: i32) (x: i32) ->
          let f: {a: i32, b: i32} = {a = a, b = b}
          in (+ (lambda.def0 f x) (lambda.def0 f c))";
    check_residual(source, expected);
    gives(source, &[("2 3 1 4", "12i32")]);
}

/// The variables that the applied function captured are read from its record. There is nothing left to pass for
/// functions that capture nothing.
#[test]
fn d_app() {
    let source = "
        def compose (f: i32 -> i32) (g: i32 -> i32) = \\x -> f (g x)
        def main (a: i32) (b: i32) = compose (\\y -> y * a) (\\z -> z + b) 10";
    let text = residual(source);
    assert!(text.contains("def lambda.def0 : ({f: {a: i32}, g: {b: i32}} -> (i32 -> i32))"), "{text}");
    assert!(text.contains("(lambda.def0 {f = f, g = g} 10i32)"), "{text}");
    gives(source, &[("3 4", "42i32")]);
    let source = "
        def apply (f: i32 -> i32) (x: i32) = if x > 0 then f x else f (-x)
        def main (x: i32) = apply (\\y -> y * y + y * 2) x";
    let text = residual(source);
    assert!(text.contains("def lambda.def0 : (i32 -> i32) = \\(y: i32) ->"), "{text}");
    gives(source, &[("3", "15i32"), ("-3", "15i32")]);
}

/// The static value of a variable is that of what it is bound to; two names of one function have one definition.
#[test]
fn d_let() {
    let source = "
        def main (a: i32) =
          let f = let b = a * a in \\x -> if x > b then x - b else b - x
          let g = f
          in g 1 + f 100";
    let expected = "
        def lambda.def0 : ({b: i32} -> (i32 -> i32)) = \\(env: {b: i32}) (x: i32) ->
          let b: i32 = env.b
          in if (> x b) then
            (- x b)
          else
            (- b x)

        def main.def1 : (i32 -> i32) = \\(a: i32) ->
          let b: i32 = (* a a)
          let f: {b: i32} = {b = b}
          in (+ (lambda.def0 f 1i32) (lambda.def0 f 100i32))";
    check_residual(source, expected);
    gives(source, &[("5", "99i32")]);
}

/// A function in a field is a record in that field.
#[test]
fn d_rcd() {
    let source = "
        def main (a: i32) (x: i32) =
          let r = {f = \\y -> (if y > a then y else a), n = x, inner = (\\(y: i32) -> y + x, true)}
          in r.f r.n + r.inner.0 a";
    let text = residual(source);
    let record = "let r: {f: {a: i32}, inner: ({x: i32}, bool), n: i32} = \
                  {f = {a = a}, inner = {0 = {x = x}, 1 = true}, n = x}";
    assert!(text.contains(record), "{text}");
    gives(source, &[("5 3", "13i32"), ("3 5", "13i32")]);
}

#[test]
fn d_proj() {
    let source = "
        def main (a: i32) =
          let p = (a, (\\(x: i32) -> x + a, \\(x: i32) -> x * a))
          let (_, (f, g)) = p
          in (f 10, g 10, p.0)";
    let expected = "
        def main.def0 : (i32 -> (i32, i32, i32)) = \\(a: i32) ->
          let p: (i32, ({a: i32}, {a: i32})) = {0 = a, 1 = {0 = {a = a}, 1 = {a = a}}}
          let p: ({a: i32}, {a: i32}) = p.1
          let f: {a: i32} = p.0
          let g: {a: i32} = p.1
          let a: i32 = f.a
          let x: i32 = 10i32
          let a: i32 = g.a
          let x: i32 = 10i32
          in {0 = (+ x a), 1 = (* x a), 2 = p.0}";
    check_residual(source, expected);
    gives(source, &[("7", "17i32 70i32 7i32")]);
}

/// A field that is replaced by another function has that function's static value.
#[test]
fn field_updates() {
    let source = "
        def main (a: i32) =
          let r = {f = \\(x: i32) -> x + a, n = 1i32}
          let s = r with f = \\x -> x * x
          in (r.f 10, s.f 10, s.n)";
    gives(source, &[("5", "15i32 100i32 1i32")]);
}

#[test]
fn d_array() {
    let source = "
        def main (a: i32) =
          let f = \\x -> if x > a then x else a
          in [f 1, f 2, a]";
    let text = residual(source);
    assert!(text.contains("in [(lambda.def0 f 1i32), (lambda.def0 f 2i32), a] : [3]i32"), "{text}");
    gives(source, &[("2", "[2i32, 2i32, 2i32]"), ("0", "[1i32, 2i32, 0i32]")]);
}

#[test]
fn d_index() {
    let source = "
        def main (xs: []i32) (a: i32) =
          let at = \\i -> if i >= 0 then xs[i] else a
          in at 1 + at (-1)";
    let text = residual(source);
    // The size of an array that is captured is captured, too.
    assert!(text.contains("let at: {d: i64, xs: []i32, a: i32} = {d = d, xs = xs, a = a}"), "{text}");
    assert!(text.contains("xs[i]"), "{text}");
    gives(source, &[("[10, 20, 30] 5", "25i32")]);
}

#[test]
fn d_update() {
    let source = "
        def main (xs: *[]i32) (a: i32) =
          let f = \\x -> if x > a then x else a
          in xs with [1] = f 0";
    let text = residual(source);
    assert!(text.contains("in xs with [1] = (lambda.def0 f 0i32)"), "{text}");
    gives(source, &[("[10, 20, 30] 5", "[10i32, 5i32, 30i32]")]);
}

/// The length of an array is known by its size.
#[test]
fn d_length() {
    let source = "
        def main [n] (xs: [n]i32) (a: i64) =
          let f = \\(ys: []i32) -> if length ys > a then length ys else a
          in f xs + length xs";
    let text = residual(source);
    assert!(text.contains("in (+ (lambda.def0 f xs) n)"), "{text}");
    gives(source, &[("[1, 2, 3] 2i64", "6i64"), ("[1, 2, 3] 4i64", "7i64")]);
}

/// The function of a `map` stays, and calls others by their records.
#[test]
fn d_map() {
    let source = "
        def main (xs: []i32) (a: i32) =
          let f = \\x -> if x > a then x else a
          in map (\\x -> f x + a) xs";
    let text = residual(source);
    let map = "
  in (map \\(x: i32) ->
    let a: i32 = f.a
    let f: {a: i32} = f.f
    in (+ (lambda.def0 f x) a) xs)";
    assert!(text.contains(map), "{text}");
    gives(source, &[("[1, 5, 3] 3", "[6i32, 8i32, 6i32]")]);
}

#[test]
fn d_loop() {
    let source = "
        def main (xs: []i32) (a: i32) =
          let f = \\(acc: i32) x -> if x > a then acc + x else acc
          in loop acc = 0 for x in xs do f acc x";
    let text = residual(source);
    assert!(text.contains("in loop acc: i32 = 0i32 for x in xs do\n    (lambda.def0 f acc x)"), "{text}");
    gives(source, &[("[1, 5, 3, 4] 3", "9i32")]);
}

/// §5.2: a function that is applied to one of two arrays captures their size.
#[test]
fn shape_parameters() {
    let source = "
        def f [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
        def main [n] [m] (xs: [n]i32) (ys: [m]i32) =
          let g = f xs
          in g (ys :> [n]i32)";
    let text = residual(source);
    assert!(text.contains("let g: {arg0: i64, arg1: []i32} = {arg0 = n, arg1 = xs}"), "{text}");
    gives(source, &[("[1, 2] [10, 20]", "[11i32, 22i32]"), ("empty([0]i32) empty([0]i32)", "empty([0]i32)")]);
    let message = fails(source, "[1, 2] [10, 20, 30]");
    assert!(message.contains("[3]") && message.contains("[2]"), "{message}");
    // A size that only the second array has, and one that no array has yet.
    let source = "
        def f [n] [m] (xs: [n]i32) (ys: [m]i32) (zs: [n]i32) = (n, m, i32.sum xs + i32.sum ys * i32.sum zs)
        def main (xs: []i32) (ys: []i32) =
          let g = f xs
          let h = g ys
          in h (map (* 2) xs)";
    gives(source, &[("[1, 2] [10, 20, 30]", "2i64 3i64 363i32")]);
}

/// §5.1: an instance for each type, each defunctionalised.
#[test]
fn polymorphic_functions() {
    let source = "
        def twice 'a (f: a -> a) (x: a) = f (f x)
        def both '^a '^b (f: a -> b) (p: (a, a)) = (f p.0, f p.1)
        def main (k: i32) =
          let (f, g) = both (\\h -> twice h) ((\\(x: i32) -> x * k), (\\x -> x + k))
          in (f 1, g 1, twice (\\b -> !b) true, twice (map (+ k)) [1, 2])";
    gives(source, &[("3", "9i32 7i32 true [7i32, 8i32]")]);
}

/// §6.1: images are functions of points; what is left is a `map` in a `map`.
#[test]
fn functional_images() {
    let source = "
        type point = (i64, i64)
        type^ image 'a = point -> a
        type colour = i32

        def clear: colour = 0
        def constant 'a (x: a) : image a = \\_ -> x
        def disc (r: i64) : image bool = \\(x, y) -> x * x + y * y <= r * r
        def checkers: image bool = \\(x, y) -> (x + y) % 2 == 0

        def lift 'a 'b (f: a -> b) (im: image a) : image b = \\p -> f (im p)
        def lift2 'a 'b 'c (f: a -> b -> c) (im: image a) (jm: image b) : image c = \\p -> f (im p) (jm p)
        def choose 'a (mask: image bool) (im: image a) (jm: image a) : image a =
          \\p -> if mask p then im p else jm p
        def translate 'a (dx: i64) (dy: i64) (im: image a) : image a = \\(x, y) -> im (x - dx, y - dy)
        def turn 'a (im: image a) : image a = \\(x, y) -> im (y, -x)
        def over: image colour -> image colour -> image colour = lift2 (\\c d -> if c == clear then d else c)

        def render 'a (h: i64) (w: i64) (im: image a) : [h][w]a = tabulate_2d h w (\\y x -> im (x, y))

        def main (radius: i64) (dx: i64) (dy: i64) =
          let ball = choose (disc radius) (constant 7) (constant clear)
          let ground = lift (\\b -> if b then 1 else 2) checkers
          let corner = choose (\\(x, y) -> x <= 0 && y < 0) (constant 9) (constant clear)
          in render 5 5 (turn corner `over` translate dx dy ball `over` ground)";
    let row = |text: &str| format!("[{}]", text.split(' ').map(|n| format!("{n}i32")).collect::<Vec<_>>().join(", "));
    let picture = |rows: [&str; 5]| format!("[{}]", rows.map(row).join(", "));
    // `turn corner` covers the points with y <= 0 and x > 0.
    let expected = picture(["1 9 9 9 9", "2 1 7 1 2", "1 7 7 7 1", "2 1 7 1 2", "1 2 1 2 1"]);
    gives(source, &[("1i64 2i64 2i64", expected.as_str())]);
    let expected = picture(["7 9 9 9 9", "2 1 2 1 2", "1 2 1 2 1", "2 1 2 1 2", "1 2 1 2 1"]);
    gives(source, &[("0i64 0i64 0i64", expected.as_str())]);
    assert_eq!(residual(source).matches("(map \\").count(), 2);
}

/// Functions in constructors: the constructor is known where it is matched.
#[test]
fn functions_in_sums() {
    let source = "
        type^ op = #unary (i32 -> i32) | #binary (i32 -> i32 -> i32) i32 | #nothing
        def apply (o: op) (x: i32) =
          match o
          case #unary f -> f x
          case #binary f y -> f x y
          case #nothing -> x
        def main (a: i32) (x: i32) =
          (apply (#unary (+ a)) x, apply (#binary (\\p q -> p * a - q) 3) x, apply #nothing x)";
    gives(source, &[("5 10", "15i32 47i32 10i32")]);
    // No case is left to choose from.
    assert!(!residual(source).contains("case (#"));
    // Some parts of the pattern are known, others are not.
    let source = "
        type^ op = #f (i32 -> i32) | #none
        def run (o: op) (k: i32) (x: i32) =
          match (o, k)
          case (#none, _) -> -1
          case (#f _, 0) -> 0
          case (#f g, 1) -> g x
          case (#f g, n) -> n * g (g x)
        def main (a: i32) (k: i32) (x: i32) = (run (#f (\\y -> y + a)) k x, run #none k x)";
    gives(source, &[("3 0 10", "0i32 -1i32"), ("3 1 10", "13i32 -1i32"), ("3 2 10", "32i32 -1i32")]);
}

/// A hole where a function is wanted fails when it is applied.
#[test]
fn holes_of_function_type() {
    assert!(fails("def main (x: i64) : bool = ??? x x", "0i64").contains("hole"));
    assert!(fails("def main (x: i64) : bool = ??? (+1) x", "0i64").contains("hole"));
    let source = "
        def f : {g: i32 -> i32, n: i32} -> i32 = \\r -> r.g r.n
        def main (x: i32) = if x > 0 then x else f {g = ???, n = x}";
    gives(source, &[("1", "1i32")]);
    assert!(fails(source, "0").contains("hole"));
}

/// A variable that is captured twice is kept once.
#[test]
fn captured_once() {
    let source = "
        def compose (f: i32 -> i32) (g: i32 -> i32) = \\x -> if x > 0 then f (g x) else g x
        def main (a: i32) (x: i32) =
          let f = \\y -> if y > a then y else a
          let g = f >-> f
          in (compose f f x, g x)";
    let text = residual(source);
    assert!(text.contains("{f: {a: i32}, g: ()}"), "{text}");
    assert!(text.contains("{arg0: {a: i32}, arg1: ()}"), "{text}");
    gives(source, &[("3 1", "3i32 3i32"), ("3 5", "5i32 5i32")]);
}

/// Programs of 5, 10 and 20 higher-order functions, each of which uses the one before twice: twice as many functions
/// more make twice as many statements more.
#[test]
fn size_is_linear() {
    let nested = |n: usize, line: &dyn Fn(usize) -> String| {
        let mut source = String::from("def twice (g: i32 -> i32) = \\x -> g (g x)\n");
        source.push_str("def main (a: i32) (x: i32) =\n  let f0 = \\(y: i32) -> y + a\n");
        (1..=n).for_each(|i| writeln!(source, "  let {}", line(i)).unwrap());
        writeln!(source, "  in f{n} x").unwrap();
        source
    };
    let kinds: [&dyn Fn(usize) -> String; 5] = [
        &|i| format!("f{i} = twice f{}", i - 1),
        &|i| format!("f{i} = \\(y: i32) -> f{0} (f{0} (y - 1))", i - 1),
        &|i| format!("f{i} = \\(y: i32) -> (if y > {i} then f{0} y else f{0} (y * a)) + a", i - 1),
        &|i| format!("f{i} = \\(y: i32) -> reduce (+) 0 (map f{0} [y, {i}]) + reduce (+) 0 (map f{0} [y])", i - 1),
        &|i| format!("f{i} = f{0} >-> f{0}", i - 1),
    ];
    for line in kinds {
        let [small, medium, large] = [5, 10, 20].map(|n| statements(&nested(n, line)));
        let (first, second) = (medium - small, large - medium);
        assert!(second <= 2 * first + 2, "{small}, {medium} and {large} statements for\n{}", nested(5, line));
    }
    gives(&nested(5, kinds[0]), &[("1 10", "42i32")]);
    gives(&nested(5, kinds[4]), &[("1 10", "42i32")]);
    // Definitions instead of local functions.
    let definitions = |n: usize| {
        let mut source = String::from("def f0 (x: i32) = x + 1\n");
        (1..=n).for_each(|i| writeln!(source, "def f{i} (x: i32) = f{0} (f{0} x)", i - 1).unwrap());
        source + &format!("def main (x: i32) = f{n} x")
    };
    let [small, medium, large] = [5, 10, 20].map(|n| statements(&definitions(n)));
    assert!(large - medium <= 2 * (medium - small) + 2, "{small}, {medium} and {large} statements");
    gives(&definitions(5), &[("0", "32i32")]);
    // Records of functions made from others: each function captures only the fields that it uses.
    let records = |n: usize| {
        let mut source = String::from(
            "def both (a: {f: i32 -> i32, g: i32 -> i32, h: i32 -> i32}) (b: {f: i32 -> i32, g: i32 -> i32, h: i32 -> i32}) =
               {f = \\x -> a.f (b.f x), g = \\x -> b.g (a.g x), h = \\x -> a.h x - b.h x}
             def main (a: i32) (x: i32) =
               let r0 = {f = \\(y: i32) -> y + a, g = \\(y: i32) -> y - a, h = \\(y: i32) -> y * a}\n",
        );
        (1..=n).for_each(|i| writeln!(source, "  let r{i} = both r{} r0", i - 1).unwrap());
        source + &format!("  in (r{n}.f x, r{n}.g x, r{n}.h x)")
    };
    let [small, medium, large] = [5, 10, 20].map(|n| statements(&records(n)));
    assert!(large - medium <= 2 * (medium - small) + 2, "{small}, {medium} and {large} statements");
    gives(&records(5), &[("1 10", "16i32 4i32 -40i32")]);
}
