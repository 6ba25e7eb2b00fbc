-- map and map1, over scalars, rows and tuples.
-- ==
-- input { [1, 2, 3] } output { [2, 3, 4] [2, 3, 4] [[1, 1], [2, 2], [3, 3]] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0][2]i32) }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n][2]i32) =
  (map (+ 1) xs, map1 (1 +) xs, map (replicate 2) xs)
