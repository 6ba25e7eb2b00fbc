-- The inverse of a permutation, and an array permuted by it.
-- ==
-- input { [2i64, 0, 1] } output { [1i64, 2, 0] [0i64, 1, 2] }
-- input { [0i64] } output { [0i64] [0i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }

def main [n] (p: [n]i64): ([n]i64, [n]i64) =
  let inverse = scatter (replicate n 0) p (iota n)
  in (inverse, map (\i -> inverse[i]) p)
