-- Products of many matrices: the operator is no map of an operator on elements, and the order counts.
-- ==
-- entry: rotations
-- input { 0i64 } output { [[1, 0], [0, 1]] }
-- input { 1i64 } output { [[0, -1], [1, 0]] }
-- input { 15i64 } output { [[0, 1], [-1, 0]] }
-- input { 34i64 } output { [[-1, 0], [0, -1]] }
-- input { 1027i64 } output { [[0, 1], [-1, 0]] }

-- ==
-- entry: shears
-- input { 3i64 } output { [[1, 3], [0, 1]] 3i64 }
-- input { 2000i64 } output { [[1, 1999000], [0, 1]] 1999000i64 }
def times [k] (a: [k][k]i32) (b: [k][k]i32): [k][k]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

def one (k: i64): [k][k]i32 = tabulate_2d k k (\i j -> i32.bool (i == j))

entry rotations (n: i64) = reduce times (one 2) (replicate n [[0, -1], [1, 0]])

-- Beside a sum of numbers.
entry shears (n: i64) =
  let (a, s) =
    reduce (\(a, s) (b, t) -> (times a b, s + t)) (one 2, 0)
           (map (\i -> ([[1, i32.i64 i], [0, 1]], i)) (iota n))
  in (a, s)
