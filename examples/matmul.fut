-- | Matrix multiplication: every element of the result is the dot
-- product of a row and a column. The sizes say which shapes fit.
def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  let columns = transpose b
  let dot (xs: [m]f32) (ys: [m]f32) = f32.sum (map2 (*) xs ys)
  in map (\row -> map (\column -> dot row column) columns) a

-- | The n-th power of a square matrix, by repeated squaring.
def power [n] (a: [n][n]f32) (exponent: i64): [n][n]f32 =
  let one = tabulate_2d n n (\i j -> f32.bool (i == j))
  let (result, _, _) =
    loop (result: [n][n]f32, base: [n][n]f32, left) = (one, a, exponent)
    while left > 0 do
      let result = if left % 2 == 1 then matmul result base else result
      in (result, matmul base base, left / 2)
  in result

entry multiply [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  matmul a b

entry raise [n] (a: [n][n]f32) (exponent: i64): [n][n]f32 =
  power a exponent
