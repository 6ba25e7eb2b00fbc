-- Every kind of parameter and result.

import "lib"

type pair = (bool, i32)
type shape [n] = #circle f32 | #nothing | #polygon ([n]f32) bool
type named [n] = {name: [n]u8, at: point, flag: bool}

module counter: {
  type t
  val start: i64 -> t
  val next: t -> t
  val get: t -> i64
} = {
  type t = (i64, i64)
  def start n: t = (0, n)
  def next ((count, step): t): t = (count + step, step)
  def get ((count, _): t) = count
}

-- | The sum of products.
--
-- Of two vectors.
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry turned (m: [][]i32): [][]i32 = transpose m
entry bumped (xs: *[]i32): *[]i32 = xs with [0] = xs[0] + 1
entry both (xs: []i32) (b: bool): ([]i32, bool) = (xs, !b)
entry at (xs: []u8) (i: i64): u8 = xs[i]
entry half (x: f16): f16 = x / 2
entry scalars (a: i8) (b: i16) (c: u16) (d: u32) (e: u64)
              : (i8, i16, u16, u32, u64) =
  (-a, -b, c + 1, d + 1, e + 1)
entry scaled (p: point) (by: f32): point = {x = p.x * by, y = p.y * by}
entry swapped (p: (i32, bool)): pair = (p.1, p.0)
entry points [n] (xs: [n]f32): [n]point = map (\x -> {x, y = x + 1}) xs
entry total (ps: []point): f32 = f32.sum (map (\p -> p.x + p.y) ps)
entry grown [n] (s: shape [n]) (by: f32): shape [n] =
  match s
  case #circle r -> #circle (r + by)
  case #polygon sides closed -> #polygon (map (+ by) sides) (!closed)
  case #nothing -> #nothing
entry many [n] (sides: [n]f32): []shape [n] =
  [#nothing, #polygon sides true, #circle 1]
entry count [n] (shapes: []shape [n]): i64 = length shapes
entry emptied [n] (shapes: *[]shape [n]): *[]shape [n] =
  shapes with [0] = #nothing
entry renamed [n] (x: named [n]) (by: u8): named [n] =
  {name = map (+ by) x.name, at = x.at, flag = !x.flag}
entry start (n: i64): counter.t = counter.start n
entry next (c: counter.t): counter.t = counter.next c
entry get (c: counter.t): i64 = counter.get c
entry new (self: i32) (fn: i32): i32 = self - fn
entry answer: i32 = 42
