-- Scatters in a nest and of rows: nothing to write, nowhere to write to, and rows without elements.
-- ==
-- input { 2i64 empty([0][2][3]i64) } output { empty([0][2][2]i64) empty([0][2][3]i64) [0i64, 0i64] }
-- input { 2i64 empty([2][0][3]i64) } output { empty([2][0][2]i64) [[[-1i64, -1i64, -1i64], [-1i64, -1i64, -1i64]], [[-1i64, -1i64, -1i64], [-1i64, -1i64, -1i64]]] [0i64, 0i64] }
-- input { 2i64 empty([2][1][0]i64) } output { [[[7i64, 7i64]], [[7i64, 7i64]]] empty([2][2][0]i64) [1i64, 1i64] }
-- input { 0i64 [[[0i64, 1i64]]] } output { empty([1][1][0]i64) empty([1][0][2]i64) empty([0]i64) }
-- input { 0i64 empty([0][0][0]i64) } output { empty([0][0][0]i64) empty([0][0][0]i64) empty([0]i64) }
-- input { 3i64 [[[2i64, 0i64]], [[1i64, 5i64]]] }
-- output { [[[1i64, 7i64, 0i64]], [[7i64, 0i64, 7i64]]] [[[2i64, 0i64], [-1i64, -1i64], [-1i64, -1i64]], [[1i64, 5i64], [-1i64, -1i64], [-1i64, -1i64]]] [1i64, 1i64, 0i64] }
-- input { 3i64 [[[2i64, 0i64], [1i64, 5i64], [0i64, 1i64], [2i64, 1i64]]] }
-- output { [[[1i64, 7i64, 0i64], [7i64, 0i64, 7i64], [0i64, 1i64, 7i64], [7i64, 1i64, 0i64]]] [[[2i64, 0i64], [1i64, 5i64], [0i64, 1i64]]] [4i64, 0i64, 0i64] }

def main [a] [b] [c] (k: i64) (isss: [a][b][c]i64)
         : ([a][b][k]i64, [a][k][c]i64, [k]i64) =
  ( map (map (\is -> scatter (replicate k 7) is (iota c))) isss
  , map (\iss -> scatter (replicate k (replicate c (-1))) (iota b) iss) isss
  , scatter (replicate k 0) (iota a)
            (map (\iss -> i64.sum (map (const 1) iss)) isss)
  )
