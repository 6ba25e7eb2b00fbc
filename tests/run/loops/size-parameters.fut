-- A loop with explicit sizes in its pattern.
-- ==
-- input { [[1, 2], [3, 4]] 2 } output { [[7, 10], [15, 22]] }
-- input { [[2]] 3 } output { [[8]] }

def matmul [n] (a: [n][n]i32) (b: [n][n]i32): [n][n]i32 =
  map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
def main [n] (a: [n][n]i32) (k: i32): [n][n]i32 =
  loop (acc: [n][n]i32) = a for _i < k - 1 do matmul acc a
