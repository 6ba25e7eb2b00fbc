-- Products: sums inside two maps, and inside three.
-- ==
-- entry: product
-- input { [[1, 2], [3, 4], [5, 6]] [[1, 0, 2], [0, 1, 3]] } output { [[1, 2, 8], [3, 4, 18], [5, 6, 28]] }

-- ==
-- entry: batch
-- input { [[[1, 2], [3, 4]], [[0, 1], [1, 0]]] [[[1, 1], [1, 1]], [[5, 6], [7, 8]]] }
-- output { [[[3, 3], [7, 7]], [[7, 8], [5, 6]]] }

-- ==
-- entry: columns
-- input { [[1, 2, 3], [10, 20, 30]] } output { [11, 22, 33] [[1, 11], [2, 22], [3, 33]] }

def times [n] [m] [k] (a: [n][k]i32) (b: [k][m]i32): [n][m]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a

entry product [n] [m] [k] (a: [n][k]i32) (b: [k][m]i32): [n][m]i32 = times a b

entry batch [l] [n] [m] [k] (as: [l][n][k]i32) (bs: [l][k][m]i32)
            : [l][n][m]i32 =
  map2 times as bs

entry columns [n] [m] (a: [n][m]i32): ([m]i32, [m][n]i32) =
  (map i32.sum (transpose a), map (scan (+) 0) (transpose a))
