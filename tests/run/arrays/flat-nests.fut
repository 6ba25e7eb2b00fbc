-- Flat views of arrays whose dimensions are in another order, read by one loop that is three in the end: next to arrays that
-- lie as they are, and to others with the same digits.
-- ==
-- entry: same
-- input { [[[1f32, 2f32], [3f32, 4f32]], [[5f32, 6f32], [7f32, 8f32]], [[9f32, 10f32], [11f32, 12f32]]]
--         [[[1f32, 2f32], [5f32, 6f32], [9f32, 10f32]], [[3f32, 4f32], [7f32, 8f32], [11f32, 12f32]]] }
-- output { true }
-- input { [[[1f32, 2f32], [3f32, 4f32]]] [[[1f32, 2f32]], [[3f32, 5f32]]] } output { false }
-- input { empty([0][2][2]f32) empty([2][0][2]f32) } output { true }
entry same [n] [m] (a: [m][n][n]f32) (b: [n][m][n]f32): bool =
  let l = n * m * n
  let a = flatten_3d (transpose a) :> [l]f32
  let b = flatten_3d b :> [l]f32
  in reduce (&&) true (map2 (\x y -> x == y) a b)

-- The sum of a flat view and of where each element is: 0 + 1 + … + 11 = 66.
-- ==
-- entry: numbered
-- input { [[[1i64, 2i64], [3i64, 4i64]], [[5i64, 6i64], [7i64, 8i64]], [[9i64, 10i64], [11i64, 12i64]]] } output { 78i64 66i64 }
entry numbered [n] [m] [k] (a: [m][n][k]i64): (i64, i64) =
  let xs = flatten_3d (transpose a)
  let (x, i) =
    reduce (\(x, i) (y, j) -> (x + y, i + j)) (0, 0) (zip xs (indices xs))
  in (x, i)

-- Two views of one array, of which one has two of its three digits together.
-- ==
-- entry: both
-- input { [[[1i64, 2i64], [3i64, 4i64]], [[5i64, 6i64], [7i64, 8i64]], [[9i64, 10i64], [11i64, 12i64]]] } output { 611i64 }
entry both [n] [m] [k] (a: [m][n][k]i64): i64 =
  let l = n * m * k
  let xs = flatten_3d (transpose a) :> [l]i64
  let ys = flatten (transpose (map flatten (transpose a))) :> [l]i64
  in i64.sum (map2 (*) xs ys)
