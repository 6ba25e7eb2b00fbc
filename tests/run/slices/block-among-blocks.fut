-- A block of a matrix of blocks is replaced in steps while those beside it are still to be read; where they are is said
-- only after the steps.
-- ==
-- entry: columns
-- input { [[[[1f32, 2f32], [3f32, 4f32]], [[5f32, 6f32], [7f32, 8f32]]],
--          [[[1f32, 1f32], [1f32, 1f32]], [[2f32, 2f32], [2f32, 2f32]]]] }
-- output { [[[[2f32, 4f32], [6f32, 8f32]], [[10f32, 12f32], [14f32, 16f32]]],
--           [[[1f32, 1f32], [1f32, 1f32]], [[4f32, 4f32], [4f32, 4f32]]]] }

-- ==
-- entry: rows
-- input { [[[[1f32, 2f32], [3f32, 4f32]], [[5f32, 6f32], [7f32, 8f32]]],
--          [[[1f32, 1f32], [1f32, 1f32]], [[2f32, 2f32], [2f32, 2f32]]]] }
-- output { [[[[1f32, 2f32], [4f32, 5f32]], [[9f32, 10f32], [11f32, 12f32]]],
--           [[[1f32, 1f32], [1f32, 1f32]], [[2f32, 2f32], [3f32, 3f32]]]] }

entry columns [k] [n] (blocks: *[k][k][n][n]f32) =
  #[unsafe]
  loop blocks for step < k do
    let here =
      loop m = copy blocks[step, step] for i < n do
        m with [:, i] = map (\j -> m[j, i] * 2) (iota n)
    let beside = map (map (map (* here[0, 0]))) blocks[step, step + 1:]
    let blocks[step, step] = here
    in blocks with [step, step + 1:] = beside

entry rows [k] [n] (blocks: *[k][k][n][n]f32) =
  loop blocks for step < k do
    let here =
      loop m = copy blocks[step, step] for i < n do
        m with [i] = map (\x -> x + f32.i64 i) m[i]
    let beside = map (map (map (+ here[n - 1, 0]))) blocks[step, step + 1:k]
    let blocks[step, step] = here
    in blocks with [step, step + 1:k] = beside
