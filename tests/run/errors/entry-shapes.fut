-- Arguments of an entry point whose shapes contradict its type.
-- ==
-- input { [[1, 2], [3, 4]] [5, 6] } output { [17, 39] }
-- input { [[1, 2], [3, 4]] [5] } error: .
-- input { [[1, 2, 3]] [5] } error: .

def main [n] [m] (xss: [n][m]i32) (ys: [m]i32): [n]i32 =
  map (\xs -> i32.sum (map2 (*) xs ys)) xss
