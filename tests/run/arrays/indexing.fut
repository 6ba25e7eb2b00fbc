-- Indexing of one and two dimensions, fully and partly.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] 1i64 2i64 } output { 6 [4, 5, 6] 6 [3, 6] }
-- input { [[1, 2, 3], [4, 5, 6]] 0i64 0i64 } output { 1 [1, 2, 3] 1 [1, 4] }
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 0i64 } error: Index \[2.*out of bounds
-- input { [[1, 2, 3], [4, 5, 6]] 0i64 -1i64 } error: out of bounds

def main [n] [m] (xss: [n][m]i32) (i: i64) (j: i64)
         : (i32, [m]i32, i32, [n]i32) =
  (xss[i, j], xss[i], (xss[i])[j], xss[:, j])
