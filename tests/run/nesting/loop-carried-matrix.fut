-- A loop inside a map that carries a matrix.
-- ==
-- input { [1, 2] 3 } output { [[[3, 3], [3, 3]], [[6, 6], [6, 6]]] }
-- input { empty([0]i32) 3 } output { empty([0][2][2]i32) }

def main [n] (xs: [n]i32) (k: i32): [n][2][2]i32 =
  map (\x ->
         loop m = replicate 2 (replicate 2 0) for _i < k do map (map (+ x)) m)
      xs
