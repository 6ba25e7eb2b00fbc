//! Modules, polymorphism, sizes, sums and loops, from text to results.

use crate::common::{fails, gives};

const MONOIDS: &str = "
    module type monoid = { type t val zero: t val op: t -> t -> t }
    module add_i32 = { type t = i32 def zero = 0i32 def op (a: i32) (b: i32) = a + b }
    module mul_f64 = { type t = f64 def zero = 1f64 def op (a: f64) (b: f64) = a * b }
    module pair (M: monoid) (N: monoid) = {
      type t = (M.t, N.t)
      def zero = (M.zero, N.zero)
      def op (a: t) (b: t) = (M.op a.0 b.0, N.op a.1 b.1)
    }
    module folds (M: monoid) = {
      def sum [n] (xs: [n]M.t) : M.t = reduce M.op M.zero xs
      def sums [n] (xs: [n]M.t) : [n]M.t = scan M.op M.zero xs
    }
";

#[test]
fn parametric_modules_at_different_types() {
    let source = format!(
        "{MONOIDS}
        module A = folds add_i32
        module B = folds mul_f64
        def main (xs: []i32) (ys: []f64) = (A.sum xs, B.sum ys, A.sums xs)"
    );
    gives(&source, &[("[1, 2, 3] [2f64, 4f64]", "6i32 8.0f64 [1i32, 3i32, 6i32]")]);
}

#[test]
fn nested_parametric_modules() {
    let source = format!(
        "{MONOIDS}
        module P = pair add_i32 (pair mul_f64 add_i32)
        module F = folds P
        def main [n] (xs: [n]i32) (ys: [n]f64) =
          let (a, (b, c)) = F.sum (map2 (\\x y -> (x, (y, x * x))) xs ys)
          in (a, b, c)"
    );
    gives(&source, &[("[1, 2, 3] [2f64, 4f64, 0.5f64]", "6i32 4.0f64 14i32")]);
}

/// A module that takes a parametric module, and applies it twice.
#[test]
fn higher_order_modules() {
    let source = format!(
        "{MONOIDS}
        module type folding = (M: monoid) -> {{ val sum [n] : [n]M.t -> M.t }}
        module on_pairs (F: folding) (M: monoid) = {{
          module once = F M
          module both = F (pair M M)
          def run [n] (xs: [n]M.t) = (once.sum xs, both.sum (zip xs (reverse xs)))
        }}
        module backwards (M: monoid) = {{ def sum [n] (xs: [n]M.t) = foldr M.op M.zero xs }}
        module strings = {{ type t = i32 def zero = 0i32 def op (a: i32) (b: i32) = a * 10 + b }}
        module I = on_pairs folds add_i32
        module J = on_pairs backwards strings
        def main (xs: []i32) = (I.run xs, J.run xs)"
    );
    // foldr op 0 [1, 2] is op 1 (op 2 0), which is 10 + 20.
    gives(&source, &[("[1, 2]", "3i32 3i32 3i32 30i32 30i32 30i32")]);
}

/// A parametric module inside a parametric module sees both parameters.
#[test]
fn modules_in_modules() {
    let source = "
        module outer (M: { val k: i32 }) = {
          module inner (N: { val k: i32 }) = { def f (x: i32) = x * M.k + N.k }
          module self = inner M
        }
        module A = outer { def k = 2i32 }
        module B = outer { def k = 3i32 }
        module AB = A.inner { def k = 5i32 }
        module BA = B.inner { def k = 7i32 }
        def main (x: i32) = (A.self.f x, B.self.f x, AB.f x, BA.f x)";
    gives(source, &[("10", "22i32 33i32 25i32 37i32")]);
}

#[test]
fn sealed_types_with_sizes() {
    let source = "
        module vec : {
          type vec [n]
          val make : (n: i64) -> (i64 -> i32) -> vec [n]
          val add [n] : vec [n] -> vec [n] -> vec [n]
          val total [n] : vec [n] -> i32
          val size [n] : vec [n] -> i64
        } = {
          type vec [n] = {data: [n]i32, scale: i32}
          def make n f = {data = map f (iota n), scale = 1i32}
          def add [n] (a: vec [n]) (b: vec [n]) = {data = map2 (\\x y -> x * a.scale + y * b.scale) a.data b.data, scale = 1}
          def total [n] (a: vec [n]) = a.scale * i32.sum a.data
          def size [n] (_: vec [n]) = n
        }
        def main (n: i64) (k: i32) =
          let v = vec.make n (\\i -> i32.i64 i * k)
          let w = vec.add v (vec.make n (\\_ -> 1))
          in (vec.total w, vec.size w)";
    gives(source, &[("4i64 10", "64i32 4i64"), ("0i64 10", "0i32 0i64")]);
}

#[test]
fn polymorphic_local_functions() {
    let source = "
        def main (k: i32) (xs: []i32) =
          let twice 'a (f: a -> a) (x: a) = f (f x)
          let const 'a 'b (x: a) (_: b) = x
          let len [n] 'a (_: [n]a) = n + i64.i32 k
          in (twice (+ k) 1, twice (map (* k)) xs, const true xs, const xs k, len xs, len [true])";
    gives(source, &[("3 [1, 2]", "7i32 [9i32, 18i32] true [1i32, 2i32] 5i64 4i64")]);
}

#[test]
fn existential_sizes() {
    let source = "
        def evens (n: i64) : ?[k].[k]i64 = filter (\\i -> i % 2 == 0) (iota n)
        def both (n: i64) : ?[k][l].([k]i64, [l]i64) = (evens n, filter (> 2) (iota n))
        def main (n: i64) =
          let xs = evens n
          let (ys, zs) = both n
          in (zip xs (map (* 2) xs) |> map (\\(a, b) -> a + b), length ys, zs, map (\\x -> x + length zs) ys)";
    gives(source, &[("6i64", "[0i64, 6i64, 12i64] 3i64 [3i64, 4i64, 5i64] [3i64, 5i64, 7i64]")]);
    gives(source, &[("0i64", "empty([0]i64) 0i64 empty([0]i64) empty([0]i64)")]);
}

/// Functions whose results have sizes of their own, passed as arguments.
#[test]
fn existential_sizes_of_functions() {
    let source = "
        def on (f: (n: i64) -> [n]i32) (n: i64) = i32.sum (f n) + i32.sum (f (n + 1))
        def through [n] (f: []i32 -> []i32) (xs: [n]i32) = let ys = f xs in (length ys, ys)
        def main (k: i32) (xs: []i32) =
          (on (\\n -> replicate n k) 2, through (filter (> k)) xs, through (\\ys -> ys ++ ys) xs)";
    gives(source, &[("3 [1, 5]", "15i32 1i64 [5i32] 4i64 [1i32, 5i32, 1i32, 5i32]")]);
}

#[test]
fn sums_with_arrays() {
    let source = "
        type num [n] = #vec [n]i32 | #scalar i32 | #pair ([n]i32) (i32, [n]bool)
        def total [n] (x: num [n]) =
          match x
          case #vec xs -> i32.sum xs
          case #scalar s -> s * i32.i64 n
          case #pair xs (k, bs) -> k + i32.sum (map2 (\\x b -> if b then x else 0) xs bs)
        def make [n] (k: i32) (xs: [n]i32) : num [n] =
          if k == 0 then #vec xs else if k == 1 then #scalar 7 else #pair xs (k, map (> 1) xs)
        def main (k: i32) (xs: []i32) =
          let x = make k xs
          in (total x, match x case #vec ys -> ys case #scalar _ -> xs case #pair ys _ -> map (+ 1) ys)";
    let cases = [
        ("0 [1, 2, 3]", "6i32 [1i32, 2i32, 3i32]"),
        ("1 [1, 2, 3]", "21i32 [1i32, 2i32, 3i32]"),
        ("2 [1, 2, 3]", "7i32 [2i32, 3i32, 4i32]"),
    ];
    gives(source, &cases);
}

#[test]
fn arrays_of_sums() {
    let source = "
        type t = #a i32 | #b (i32, bool) | #c
        def value (x: t) = match x case #a n -> n case #b (n, true) -> n * 10 case #b _ -> -1 case #c -> 0
        def main (xs: []i32) =
          let ts = map (\\x -> if x > 5 then #a x else if x > 0 then #b (x, x % 2 == 0) else #c) xs
          in (map value ts, ts == ts, ts[0] == #c)";
    gives(source, &[("[0, 1, 2, 9]", "[0i32, -1i32, 20i32, 9i32] true true")]);
}

#[test]
fn loops_with_changing_sizes() {
    let source = "
        def main (n: i32) =
          let (xs, last) = loop (xs, sum) = ([1i32], 0) for i < n do (xs ++ [i + sum], sum + i)
          let ys = loop ys = xs while length ys > 2 do filter (\\y -> y != ys[0]) ys
          in (xs, last, ys)";
    gives(source, &[("4", "[1i32, 0i32, 1i32, 3i32, 6i32] 6i32 [3i32, 6i32]"), ("0", "[1i32] 0i32 [1i32]")]);
    let source = "
        def main (xss: [][]i32) =
          loop acc = ([] : []i32) for xs in xss do acc ++ filter (\\x -> x > 0) xs";
    gives(source, &[("[[1, -1, 2], [-5, 7, -9]]", "[1i32, 2i32, 7i32]")]);
}

#[test]
fn sizes_are_checked() {
    let source = "
        def dot [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)
        def main (xs: []i32) (ys: []i32) (n: i64) = dot (xs :> [n]i32) (ys :> [n]i32)";
    gives(source, &[("[1, 2] [3, 4] 2i64", "11i32")]);
    assert!(fails(source, "[1, 2] [3, 4, 5] 2i64").contains("[3]"));
    // Beside a function, too.
    let source = "
        def main (xs: []i32) (n: i64) =
          let (f, ys) = (\\(x: i32) -> x + 1, xs) :> (i32 -> i32, [n]i32)
          in map f ys";
    gives(source, &[("[1, 2] 2i64", "[2i32, 3i32]")]);
    assert!(fails(source, "[1, 2] 3i64").contains("[2]"));
}

/// A function of an accumulator is never called: its body stands in every place where it is used.
#[test]
fn accumulators() {
    let source = "
        def put (acc: *intrinsics.acc ([]i32)) (i: i64) (x: i32) = intrinsics.acc_write acc i (if x > 2 then x else -x)
        def f (acc: *intrinsics.acc ([]i32)) (i: i64) =
          let acc = put acc (i * 2) (i32.i64 i)
          in put acc (i * 2 + 1) (i32.i64 i + 1)
        def main (b: bool) (xs: *[]i32) =
          if b then intrinsics.hist_stream xs (+) 0 f (iota 3) else intrinsics.scatter_stream xs f (iota 3)";
    let input = "[10, 20, 30, 40, 50, 60]";
    gives(source, &[(format!("true {input}").as_str(), "[10i32, 19i32, 29i32, 38i32, 48i32, 63i32]")]);
    gives(source, &[(format!("false {input}").as_str(), "[0i32, -1i32, -1i32, -2i32, -2i32, 3i32]")]);
}
