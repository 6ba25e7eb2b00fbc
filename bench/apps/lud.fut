-- LU decomposition without pivots, in blocks: the diagonal block is decomposed, then the blocks to its right and
-- below, and then everything further down loses a product of two blocks. L (with ones on its diagonal, not kept)
-- and U come back in one matrix.
-- ==
-- entry: main
-- nobench input { 2i64 [[7f32, -2f32, 0f32], [2f32, 5f32, -3f32], [3f32, 1f32, 5f32]] }
-- output { [[7f32, -2f32, 0f32], [0.2857143f32, 5.571429f32, -3f32], [0.4285714f32, 0.3333333f32, 6f32]] }
-- nobench input { 2i64 [[7f32, 1f32, -3f32, 1f32, -2f32], [-3f32, 5f32, 0f32, 0f32, -3f32], [-2f32, -3f32, 9f32,
--   0f32, -3f32], [3f32, 1f32, -3f32, 6f32, 2f32], [2f32, 1f32, -3f32, 1f32, 9f32]] }
-- output { [[7f32, 1f32, -3f32, 1f32, -2f32], [-0.4285714f32, 5.428571f32, -1.285714f32, 0.4285714f32,
--   -3.857143f32], [-0.2857143f32, -0.5f32, 7.5f32, 0.5f32, -5.5f32], [0.4285714f32, 0.1052632f32, -0.2105263f32,
--   5.631579f32, 2.105263f32], [0.2857143f32, 0.1315789f32, -0.2631579f32, 0.1401869f32, 8.336449f32]] }
-- "small" compiled script input { heavy 16i64 200i64 }
-- "medium" compiled script input { heavy 16i64 512i64 }
-- "large" compiled script input { heavy 32i64 1200i64 }

-- Decompose one block in place.
def diagonal [b] (a: *[b][b]f32): *[b][b]f32 =
  loop a for k < b - 1 do
    loop a for i in (k + 1)...(b - 1) do
      let f = a[i, k] / a[k, k]
      let a[i, k] = f
      in loop a for j in (k + 1)...(b - 1) do
           a with [i, j] = a[i, j] - f * a[k, j]

-- L x = a for the blocks to the right of a diagonal block.
def right [b] (lu: [b][b]f32) (a: [b][b]f32): [b][b]f32 =
  let solve (column: [b]f32) =
    loop x = copy column for i < b do
      let s = loop s = x[i] for k < i do s - lu[i, k] * x[k]
      in x with [i] = s
  in transpose (map solve (transpose a))

-- x U = a for the blocks below it.
def below [b] (lu: [b][b]f32) (a: [b][b]f32): [b][b]f32 =
  map (\row ->
         loop x = copy row for j < b do
           let s = loop s = x[j] for k < j do s - x[k] * lu[k, j]
           in x with [j] = s / lu[j, j])
      a

def matmul [n] [m] [p] (x: [n][m]f32) (y: [m][p]f32): [n][p]f32 =
  map (\row ->
         map (\column -> map2 (*) row column |> reduce (+) 0) (transpose y))
      x

def minus [n] [m] (x: [n][m]f32) (y: [n][m]f32): [n][m]f32 = map2 (map2 (-)) x y

def step [nb] [b] (k: i64) (a: *[nb][nb][b][b]f32): *[nb][nb][b][b]f32 =
  let lu = diagonal (copy a[k, k])
  let rest = nb - k - 1
  let top = map (right lu) (a[k, k + 1:] :> [rest][b][b]f32)
  let side = map (below lu) (a[k + 1:, k] :> [rest][b][b]f32)
  let inner =
    map2 (\l blocks -> map2 (\u block -> block `minus` matmul l u) top blocks)
         side (a[k + 1:, k + 1:] :> [rest][rest][b][b]f32)
  let a[k, k] = lu
  let a[k, k + 1:] = top
  let a[k + 1:, k] = side
  let a[k + 1:, k + 1:] = inner
  in a

-- Between a matrix and its blocks; what sticks out of the matrix is an identity.
def to_blocks [n] (nb: i64) (b: i64) (m: [n][n]f32): *[nb][nb][b][b]f32 =
  tabulate_2d nb nb (\bi bj ->
    tabulate_2d b b (\i j ->
      let (i, j) = (bi * b + i, bj * b + j)
      in if i < n && j < n then m[i, j] else f32.bool (i == j)))

def from_blocks [nb] [b] (n: i64) (a: [nb][nb][b][b]f32): [n][n]f32 =
  map transpose a
  |> map (map flatten) -- rows of blocks become rows
  |> flatten
  |> take n
  |> map (take n)

entry main [n] (b: i64) (m: [n][n]f32): [n][n]f32 =
  let nb = (n + b - 1) / b
  let a = loop a = to_blocks nb b m for k < nb do step k a
  in from_blocks n a

-- A matrix with a heavy diagonal.
entry heavy (b: i64) (n: i64): (i64, [n][n]f32) =
  (b, tabulate_2d n n (\i j ->
        let off = f32.i64 ((i * 31 + j * 17 + i * j % 13) % 101) / 101 - 0.5
        in if i == j then 4 + f32.sqrt (f32.i64 n) else off))
