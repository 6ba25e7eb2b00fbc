-- A Jacobi iteration for the heat equation.
-- ==
-- input { [[0.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] 1 }
-- output { [[0.0, 4.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]] }
-- input { [[1.0, 1.0], [1.0, 1.0]] 3 } output { [[1.0, 1.0], [1.0, 1.0]] }

def step [n] [m] (a: [n][m]f64): [n][m]f64 =
  tabulate_2d n m (\i j ->
    if i == 0 || j == 0 || i == n - 1 || j == m - 1 then a[i, j]
    else (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4)
def main [n] [m] (a: [n][m]f64) (k: i32): [n][m]f64 =
  loop a for _i < k do step a
