-- Reductions inside two maps, of which each thread of a device does a tile: the sizes are around those of tiles, which
-- have 8 rows and 64 or 256 columns, or 128 of larger numbers.

-- How many elements of the result of a tile differ from those of a loop.
def differing [n] [p] (c: [n][p]i32) (f: i64 -> i64 -> i32): i64 =
  i64.sum (tabulate n (\i -> i64.sum (tabulate p (\j -> i64.bool (c[i, j] != f i j)))))

def left (n: i64) (m: i64): [n][m]i32 = tabulate_2d n m (\i k -> i32.i64 (i * 7 + k * 3) % 11 - 5)
def right (m: i64) (p: i64): [m][p]i32 = tabulate_2d m p (\k j -> i32.i64 (k * 5 + j) % 13 - 6)

-- ==
-- entry: products
-- input { 7i64 9i64 300i64 } output { 0i64 }
-- input { 8i64 8i64 64i64 } output { 0i64 }
-- input { 8i64 7i64 64i64 } output { 0i64 }
-- input { 9i64 8i64 63i64 } output { 0i64 }
-- input { 17i64 33i64 65i64 } output { 0i64 }
-- input { 40i64 10i64 257i64 } output { 0i64 }
-- input { 0i64 10i64 257i64 } output { 0i64 }
-- input { 15i64 8i64 256i64 } output { 0i64 }
-- input { 25i64 9i64 515i64 } output { 0i64 }
entry products (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, right m p)
  let c = map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
  in differing c (\i j -> loop s = 0 for k < m do s + a[i, k] * b[k, j])

-- Another operator that does not commute, transposed operands, and something done to the result.
-- ==
-- entry: others
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 33i64 64i64 64i64 } output { 0i64 }
-- input { 16i64 9i64 257i64 } output { 0i64 }
entry others (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (transpose (left m n), transpose (right p m))
  let last x y = if y == 0 then x else y
  let c = tabulate_2d n p (\i j -> i32.i64 (i + j) + 2 * reduce last 0 (map2 (\x y -> x * y) a[i] (transpose b)[j]))
  in differing c (\i j -> i32.i64 (i + j) + 2 * (loop s = 0 for k < m do last s (a[i, k] * b[k, j])))

-- Of eight bytes.
-- ==
-- entry: longest
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 8i64 8i64 128i64 } output { 0i64 }
entry longest (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (map (map i64.i32) (left n m), map (map i64.i32) (right m p))
  let c = map (\row -> map (\column -> i64.maximum (map2 (+) row column)) (transpose b)) a
  let is_right i j = c[i, j] == (loop s = i64.lowest for k < m do i64.max s (a[i, k] + b[k, j]))
  in i64.sum (tabulate n (\i -> i64.sum (tabulate p (\j -> i64.bool (!(is_right i j))))))
