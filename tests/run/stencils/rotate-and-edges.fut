-- Loops that are cut where their index passes an edge: the parts together are the whole, whatever the edges are.
-- ==
-- entry: rotated
-- input { 1i64 [1i32, 2i32, 3i32, 4i32, 5i32] } output { [4i32, 7i32, 10i32, 13i32, 11i32] }
-- input { -2i64 [1i32, 2i32, 3i32] } output { [4i32, 7i32, 7i32] }
-- input { 0i64 empty([0]i32) } output { empty([0]i32) }
-- input { 7i64 [9i32] } output { [27i32] }

-- ==
-- entry: edges
-- input { 0i64 3i64 6i64 } output { [1i64, 11i64, 12i64, 3i64, 14i64, 15i64] }
-- input { -5i64 9i64 3i64 } output { [10i64, 11i64, 12i64] }
-- input { 2i64 2i64 3i64 } output { [10i64, 11i64, 1i64] }
-- input { 9223372036854775807i64 -9223372036854775808i64 2i64 } output { [10i64, 11i64] }

-- ==
-- entry: sums_wrap
-- input { 9223372036854775806i64 4i64 } output { [true, true, false, false] }
-- input { -9223372036854775807i64 3i64 } output { [false, false, false] }
-- input { 3i64 5i64 } output { [true, true, true, true, true] }
-- input { -2i64 5i64 } output { [false, false, false, true, true] }

-- ==
-- entry: falling
-- input { 3i64 6i64 } output { [[2i64, 2i64, 2i64, 1i64, 0i64, 0i64], [2i64, 2i64, 2i64, 1i64, 0i64, 0i64]] }
-- input { -1i64 2i64 } output { [[0i64, 0i64], [0i64, 0i64]] }

-- ==
-- entry: torus
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] } output { [[10i32, 11i32, 12i32], [16i32, 17i32, 18i32]] }

entry rotated [n] (k: i64) (xs: [n]i32): [n]i32 =
  map3 (\a b c -> a + b + c) (rotate k xs) xs
       (rotate (k + 1) (rotate (-2 - k) (rotate k xs)))

entry edges (a: i64) (b: i64) (n: i64): [n]i64 =
  map (\i -> if i == a then 1 else if i == b then i else i + 10) (iota n)

-- With large numbers the sum wraps around.
entry sums_wrap (k: i64) (n: i64): [n]bool =
  map (\i -> if i + k > 0 then true else false) (iota n)

entry falling (k: i64) (n: i64): [2][n]i64 =
  tabulate_2d 2 n (\_ j -> if k - j > 0 then 2 else if j <= k then 1 else 0)

entry torus [n] [m] (xs: [n][m]i32): [n][m]i32 =
  map4 (map4 (\a b c d -> a + b + c + d)) (rotate 1 xs) xs (map (rotate 1) xs)
       (map (rotate (-1)) xs)
