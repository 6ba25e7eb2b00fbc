-- Scans at each level of a nest, of arrays that are empty at each level.
-- ==
-- input { empty([0][2][3]i32) } output { empty([0][2][3]i32) empty([0][2][3]i32) empty([0][2][3]i32) empty([0]i32) }
-- input { empty([2][0][3]i32) } output { empty([2][0][3]i32) empty([2][0][3]i32) empty([2][0][3]i32) [0, 0] }
-- input { empty([2][3][0]i32) } output { empty([2][3][0]i32) empty([2][3][0]i32) empty([2][3][0]i32) [0, 0] }
-- input { empty([1][0][0]i32) } output { empty([1][0][0]i32) empty([1][0][0]i32) empty([1][0][0]i32) [0] }
-- input { empty([0][0][0]i32) } output { empty([0][0][0]i32) empty([0][0][0]i32) empty([0][0][0]i32) empty([0]i32) }
-- input { [[[1, 2], [3, 5]], [[7, 11], [13, 17]]] }
-- output {
--   [[[1, 3], [3, 8]], [[7, 18], [13, 30]]]
--   [[[1, 2], [4, 7]], [[7, 11], [20, 28]]]
--   [[[1, 2], [3, 5]], [[8, 13], [16, 22]]]
--   [11, 59]
-- }

def main [a] [b] [c] (xsss: [a][b][c]i32)
         : ([a][b][c]i32, [a][b][c]i32, [a][b][c]i32, [a]i32) =
  ( map (map (scan (+) 0)) xsss
  , map (scan (map2 (+)) (replicate c 0)) xsss
  , scan (map2 (map2 (+))) (replicate b (replicate c 0)) xsss
  , scan (+) 0 (map (\xss -> i32.sum (flatten xss)) xsss)
  )
