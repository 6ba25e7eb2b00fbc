-- Reductions inside maps, of which each block of a device does a tile: the sizes are around those of tiles, which have 64
-- or 128 rows and columns, half as many columns of larger numbers, or 256 rows alone, and copy 8, 16 or 256 operands at
-- a time.

-- How many elements of the result of a tile differ from those of a loop.
def differing [n] [p] (c: [n][p]i32) (f: i64 -> i64 -> i32): i64 =
  i64.sum (tabulate n (\i ->
                         i64.sum (tabulate p (\j ->
                                    i64.bool (c[i, j] != f i j)))))

-- They are made before they are used.
def left (n: i64) (m: i64): [n][m]i32 =
  opaque (tabulate_2d n m (\i k -> i32.i64 (i * 7 + k * 3) % 11 - 5))
def right (m: i64) (p: i64): [m][p]i32 =
  opaque (tabulate_2d m p (\k j -> i32.i64 (k * 5 + j) % 13 - 6))

-- ==
-- entry: products
-- input { 7i64 9i64 300i64 } output { 0i64 }
-- input { 64i64 8i64 64i64 } output { 0i64 }
-- input { 8i64 7i64 64i64 } output { 0i64 }
-- input { 65i64 15i64 63i64 } output { 0i64 }
-- input { 17i64 33i64 65i64 } output { 0i64 }
-- input { 128i64 16i64 128i64 } output { 0i64 }
-- input { 129i64 17i64 127i64 } output { 0i64 }
-- input { 0i64 10i64 257i64 } output { 0i64 }
-- input { 127i64 40i64 129i64 } output { 0i64 }
-- input { 1i64 8i64 1i64 } output { 0i64 }
entry products (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, right m p)
  let c =
    map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
  in differing c (\i j -> loop s = 0 for k < m do s + a[i, k] * b[k, j])

-- Another operator that does not commute, transposed operands, and something done to the result.
-- ==
-- entry: others
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 65i64 64i64 64i64 } output { 0i64 }
-- input { 16i64 9i64 257i64 } output { 0i64 }
entry others (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (transpose (left m n), transpose (right p m))
  let last x y = if y == 0 then x else y
  let c =
    tabulate_2d n p (\i j ->
                       i32.i64 (i + j)
                       + 2
                         * reduce last 0
                                  (map2 (\x y -> x * y) a[i] (transpose b)[j]))
  in differing c (\i j ->
                    i32.i64 (i + j)
                    + 2 * (loop s = 0 for k < m do last s (a[i, k] * b[k, j])))

-- Of eight bytes.
-- ==
-- entry: longest
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 8i64 8i64 128i64 } output { 0i64 }
entry longest (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) =
    (opaque (map (map i64.i32) (left n m)),
     opaque (map (map i64.i32) (right m p)))
  let c =
    map (\row ->
           map (\column -> i64.maximum (map2 (+) row column)) (transpose b))
        a
  let is_right i j =
    c[i, j] == (loop s = i64.lowest for k < m do i64.max s (a[i, k] + b[k, j]))
  in i64.sum (tabulate n (\i ->
                            i64.sum (tabulate p (\j ->
                                       i64.bool (!(is_right i j))))))

-- Several products at once, and several sums of each pair, which are combined together.
-- ==
-- entry: batches
-- input { 3i64 9i64 12i64 70i64 } output { 0i64 }
-- input { 2i64 66i64 8i64 5i64 } output { 0i64 }
-- input { 0i64 6i64 8i64 5i64 } output { 0i64 }
entry batches (b: i64) (n: i64) (m: i64) (p: i64): i64 =
  let lefts = opaque (tabulate b (\i -> map (map (+ i32.i64 i)) (left n m)))
  let rights =
    opaque (tabulate b (\i -> map (map (* (1 + i32.i64 i))) (right m p)))
  let product a b =
    map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a
  let c = map2 product lefts rights
  let wrong i =
    differing c[i] (\j k ->
                      loop s = 0 for l < m do
                        s + lefts[i, j, l] * rights[i, l, k])
  in i64.sum (tabulate b wrong)

-- ==
-- entry: pairs
-- input { 20i64 19i64 70i64 } output { 0i64 0i64 }
-- input { 65i64 16i64 33i64 } output { 0i64 0i64 }
entry pairs (n: i64) (m: i64) (p: i64): (i64, i64) =
  let (a, b) = (left n m, right m p)
  let nearest (x, i) (y, j) =
    if y < x || (y == x && j < i) then (y, j) else (x, i)
  let best i j =
    reduce nearest (i32.highest, m)
           (tabulate m (\k -> (i32.abs (a[i, k] - b[k, j]), k)))
  let (values, places) = unzip (tabulate n (\i -> unzip (tabulate p (best i))))
  let by_hand i j =
    loop (x, l) = (i32.highest, m) for k < m do
      nearest (x, l) (i32.abs (a[i, k] - b[k, j]), k)
  in (differing values (\i j -> (by_hand i j).0),
      differing (map (map i32.i64) places) (\i j -> i32.i64 (by_hand i j).1))

-- Rows alone, which have their operands in common: with sums of several kinds, and more or fewer operands than are copied
-- at a time.
-- ==
-- entry: rows
-- input { 20i64 300i64 } output { 0i64 0i64 }
-- input { 257i64 256i64 } output { 0i64 0i64 }
-- input { 256i64 9i64 } output { 0i64 0i64 }
-- input { 300i64 515i64 } output { 0i64 0i64 }
-- input { 3i64 2i64 } output { 0i64 0i64 }
-- input { 3i64 0i64 } output { 0i64 0i64 }
entry rows (n: i64) (m: i64): (i64, i64) =
  let xs = opaque (tabulate n (\i -> i32.i64 (i * 5) % 17))
  let (ys, zs) =
    (opaque (tabulate m (\k -> i32.i64 (k * 3) % 19)),
     opaque (tabulate m (\k -> k % 5)))
  let one x (y, z) = (i64.i32 (x * y) + z, u8.bool (y > x))
  let add (a, b) (c, d) = (a + c, b ^ d)
  let (sums, odd) =
    unzip (map (\x -> reduce add (0, 0) (map (one x) (zip ys zs))) xs)
  let by_hand i = loop s = (0, 0) for k < m do add s (one xs[i] (ys[k], zs[k]))
  let wrong =
    tabulate n (\i ->
                  let (a, b) = by_hand i
                  in (i64.bool (a != sums[i]), i64.bool (b != odd[i])))
  in (i64.sum (map (.0) wrong), i64.sum (map (.1) wrong))

-- The same for each of several groups, with rows of their own.
-- ==
-- entry: groups
-- input { 3i64 20i64 30i64 } output { 0i64 }
-- input { 2i64 260i64 257i64 } output { 0i64 }
entry groups (g: i64) (n: i64) (m: i64): i64 =
  let (xs, ys) = (left g n, left g m)
  let c =
    map2 (\xs ys ->
            map (\x ->
                   reduce i32.max i32.lowest
                          (map (\y -> (x - y) * (x + 2 * y)) ys))
                xs)
         xs ys
  let best i j =
    loop s = i32.lowest for k < m do
      i32.max s ((xs[i, j] - ys[i, k]) * (xs[i, j] + 2 * ys[i, k]))
  in differing c best

-- Sums of sizes that are no powers of two: five and nine bytes.
-- ==
-- entry: five_bytes nine_bytes
-- input { 20i64 19i64 150i64 } output { 0i64 }
-- input { 65i64 16i64 97i64 } output { 0i64 }
entry five_bytes (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, right m p)
  let add (x: i32, u: u8) (y, v) = (x + y, u ^ v)
  let one i j k = (a[i, k] * b[k, j], u8.i32 (a[i, k] + b[k, j]))
  let value (x, u) = x * 2 + i32.u8 u
  let c =
    opaque (tabulate_2d n p (\i j -> reduce add (0, 0) (tabulate m (one i j))))
  in differing (map (map value) c) (\i j ->
                                      value (loop s = (0, 0) for k < m do
                                               add s (one i j k)))

entry nine_bytes (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, right m p)
  let add (x: i64, u: u8) (y, v) = (x + y, u ^ v)
  let one i j k = (i64.i32 (a[i, k] * b[k, j]), u8.i32 (a[i, k] + b[k, j]))
  let value (x, u) = i32.i64 x * 2 + i32.u8 u
  let c =
    opaque (tabulate_2d n p (\i j -> reduce add (0, 0) (tabulate m (one i j))))
  in differing (map (map value) c) (\i j ->
                                      value (loop s = (0, 0) for k < m do
                                               add s (one i j k)))

-- Rows of both operands, and a branch after the sum, with an element that only some of its sides load.
-- ==
-- entry: layers
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 65i64 64i64 64i64 } output { 0i64 }
-- input { 129i64 9i64 127i64 } output { 0i64 }
-- input { 3i64 0i64 70i64 } output { 0i64 }
entry layers (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, left p m)
  let bias = opaque (tabulate p (\j -> i32.i64 j % 5 - 2))
  let after j x = if x > 3 then x else if x < -3 then bias[j] else 0
  let c =
    map (\row ->
           map2 (\j other -> after j (i32.sum (map2 (*) row other))) (iota p) b)
        a
  in differing c (\i j ->
                    after j (loop s = 0 for k < m do s + a[i, k] * b[j, k]))

-- An operand that is chosen without a load.
-- ==
-- entry: chosen
-- input { 20i64 11i64 130i64 } output { 0i64 }
-- input { 65i64 16i64 64i64 } output { 0i64 }
entry chosen (n: i64) (m: i64) (p: i64): i64 =
  let (a, b) = (left n m, right m p)
  let f x y = if x < 0 then y - x else if y < 0 then x * y else 1
  let c =
    map (\row -> map (\column -> i32.sum (map2 f row column)) (transpose b)) a
  in differing c (\i j -> loop s = 0 for k < m do s + f a[i, k] b[k, j])
