-- A library with every kind of value: scalars, arrays, records, tuples, sums, and arrays of all of them. shapes_user.c uses
-- it; what it does by way of the API, the entry points with `_of` in their names do by themselves.

type shape [n] = #circle f32 | #polygon ([n]f32) bool | #nothing | #segment {from: (f32, f32), to: (f32, f32)}
type tagged [n] = {name: [n]u8, at: (f32, i64), flag: bool}

def area [n] (s: shape [n]): f32 =
  match s
  case #circle r -> 3 * r * r
  case #polygon sides closed -> f32.sum sides + (if closed then 100 else 0)
  case #nothing -> -1
  case #segment {from, to} -> (to.0 - from.0) * (to.1 - from.1)

entry area_of_circle (r: f32) = area (#circle r : shape [0])
entry area_of_polygon [n] (sides: [n]f32) (closed: bool) = area (#polygon sides closed)
entry area_of_segment (a: f32) (b: f32) (c: f32) (d: f32) = area (#segment {from = (a, b), to = (c, d)} : shape [0])
entry area_of_nothing (_: bool) = area (#nothing : shape [0])

entry area_any [n] (s: shape [n]): f32 = area s
entry grow [n] (s: shape [n]) (x: f32): shape [n] =
  match s
  case #circle r -> #circle (r + x)
  case #polygon sides closed -> #polygon (map (+ x) sides) (!closed)
  case other -> other
entry grow_polygon_of [n] (sides: [n]f32) (closed: bool) (x: f32): ([n]f32, bool) = (map (+ x) sides, !closed)

entry pick [n] (k: i32) (sides: [n]f32): shape [n] =
  if k == 0 then #circle 2 else if k == 1 then #polygon sides true else if k == 2 then #nothing
  else #segment {from = (1, 2), to = (3, 4)}
entry all_shapes [n] (k: i64) (sides: [n]f32): []shape [n] =
  tabulate k (\i -> if i % 2 == 0 then #circle (f32.i64 i) else #polygon (map (* f32.i64 i) sides) (i > 2))
entry nth_area_of [n] (k: i64) (sides: [n]f32) (i: i64) = area (all_shapes k sides)[i]
entry total [n] (shapes: []shape [n]) = f32.sum (map area shapes)
entry total_of [n] (k: i64) (sides: [n]f32) = total (all_shapes k sides)

entry tag [n] (t: tagged [n]): (i64, f32, bool) = (n + t.at.1, t.at.0, t.flag)
entry tag_of [n] (name: [n]u8) (x: f32) (i: i64) (flag: bool) = tag {name, at = (x, i), flag}
entry swap [n] (xs: [n](f32, i32)): *[n](i32, f32) = map (\(x, i) -> (i, x)) xs
entry swapped_floats_of [n] (x: [n]f32) (i: [n]i32): []f32 = (unzip (swap (zip x i))).1

entry same (xs: []i32) = xs
entry bump (xs: *[]i32): *[]i32 = xs with [0] = 7
entry transposed (m: [][]f64) = transpose m
entry halves (xs: []f16) = map (* 0.5) xs
entry at (xs: []i32) (i: i64) = xs[i]
