-- [views] fig. 7.3: a convolution whose result is padded on all sides. The padding is written when the convolution is, and
-- no loop has a branch.

def pad [n] 't (row: [n]t) = [row[0]] ++ row ++ [row[n - 1]]

entry main [n] [m] (mat: [n][m]f32) =
  let conv (i: i64) (j: i64) =
    mat[i, j] + mat[i, j + 1] + mat[i, j + 2]
    + mat[i + 1, j] + mat[i + 1, j + 1] + mat[i + 1, j + 2]
    + mat[i + 2, j] + mat[i + 2, j + 1] + mat[i + 2, j + 2]
  in pad (map (\i -> pad (map (conv i) (iota (m - 2)))) (iota (n - 2)))
