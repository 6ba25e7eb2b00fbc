-- Histograms in a nest and of rows, without values, without bins, and of rows without elements.
-- ==
-- input { 2i64 empty([0][2][3]i64) } output { empty([0][2][2]i64) [[0i64, 0i64, 0i64], [0i64, 0i64, 0i64]] empty([0][2]i64) }
-- input { 2i64 empty([2][0][3]i64) } output { empty([2][0][2]i64) [[0i64, 0i64, 0i64], [0i64, 0i64, 0i64]] [[0i64, 0i64], [0i64, 0i64]] }
-- input { 2i64 empty([2][3][0]i64) } output { [[[0i64, 0i64], [0i64, 0i64], [0i64, 0i64]], [[0i64, 0i64], [0i64, 0i64], [0i64, 0i64]]] empty([2][0]i64) [[0i64, 0i64], [0i64, 0i64]] }
-- input { 0i64 [[[0i64, 1i64]]] } output { empty([1][1][0]i64) empty([0][2]i64) empty([1][0]i64) }
-- input { 0i64 empty([0][0][0]i64) } output { empty([0][0][0]i64) empty([0][0]i64) empty([0][0]i64) }
-- input { 2i64 [[[0i64, 1i64, 1i64]], [[-1i64, 2i64, 1i64]]] }
-- output { [[[1i64, 2i64]], [[0i64, 1i64]]] [[0i64, 1i64, 1i64], [-1i64, 2i64, 1i64]] [[1i64, 2i64], [0i64, 1i64]] }
-- input { 2i64 [[[0i64, 1i64], [1i64, 1i64], [2i64, 0i64], [0i64, 0i64]]] }
-- output { [[[1i64, 1i64], [0i64, 2i64], [1i64, 0i64], [2i64, 0i64]]] [[3i64, 2i64], [0i64, 0i64]] [[4i64, 3i64]] }

def main [a] [b] [c] (k: i64) (isss: [a][b][c]i64)
         : ([a][b][k]i64, [k][c]i64, [a][k]i64) =
  ( map (map (\is -> hist (+) 0 k is (replicate c 1))) isss
  , let rows = map (\iss -> reduce (map2 (+)) (replicate c 0) iss) isss
    in hist (map2 (+)) (replicate c 0) k (iota a) rows
  , map (\iss -> let is = flatten iss in hist (+) 0 k is (map (const 1) is))
        isss
  )
