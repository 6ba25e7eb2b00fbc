-- Steps of a stencil: each element becomes the mean of itself and its four neighbours, and those at the borders what
-- their neighbours become.
-- ==
-- "tiny" nobench input { 1i64
--   [[5f64, 10f64, 15f64, 20f64], [0f64, 5f64, 10f64, 5f64], [10f64, 20f64, 0f64, 5f64], [1f64, 5f64, 10f64, 15f64]] }
-- output { [[9.0f64, 9.0f64, 7.0f64, 7.0f64], [9.0f64, 9.0f64, 7.0f64, 7.0f64], [8.0f64, 8.0f64, 9.0f64, 9.0f64],
--   [8.0f64, 8.0f64, 9.0f64, 9.0f64]] }
-- "1 step, 4096" compiled random input { 1i64 [4096][4096]f64 }
-- "100 steps, 256" compiled random input { 100i64 [256][256]f64 }

def pad [n] 't (xs: [n]t): []t = [xs[0]] ++ xs ++ [xs[n - 1]]

def means [n] [m] (g: [n][m]f64): [n - 2][m - 2]f64 =
  tabulate_2d (n - 2) (m - 2) (\i j ->
    (g[i + 1, j + 1] + g[i, j + 1] + g[i + 2, j + 1] + g[i + 1, j]
     + g[i + 1, j + 2])
    / 5)

entry main [n] [m] (steps: i64) (grid: [n][m]f64): [n][m]f64 =
  loop grid for _i < steps do
    pad (map (\row -> pad row :> [m]f64) (means grid)) :> [n][m]f64
