-- A module type says that all of a result is new, but a part of it is the argument. Changing it leaves the argument alone.
-- ==
-- input { [1, 2, 3] } output { [2, 3, 4] [9, 2, 3] [1, 2, 3] }

module type pairs = { val both [n]: [n]i32 -> *([n]i32, [n]i32) }

module m: pairs = {
  def both [n] (xs: [n]i32): (*[n]i32, [n]i32) = (map (+ 1) xs, xs)
}

entry main [n] (xs: [n]i32) =
  let (ys, zs) = m.both xs
  in (ys, zs with [0] = 9, xs)
