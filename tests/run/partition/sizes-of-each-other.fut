-- The sizes of what is kept and of what is not are known by each other only.
-- ==
-- entry: main
-- input { [1.0f32] 7 } output { empty([0][1]i32) [1.0f32] }
-- input { [-1.0f32] 7 } output { empty([1][0]i32) empty([0]f32) }

-- ==
-- entry: rows
-- input { [1.0f32, -2.0f32, 3.0f32] 7 } output { [[7, 7]] [1.0f32, 3.0f32] }
-- input { [-1.0f32, -2.0f32, 3.0f32] 7 } output { [[7], [7]] [3.0f32] }

entry main (xs: [1]f32) (x: i32): ([][]i32, []f32) =
  let [k] [l] (ys: [k]f32, zs: [l]f32) = partition (< 0) xs
  in ((map (\_ -> replicate l x) ys)[::-1] :> [k][l]i32, zs)

entry rows (xs: []f32) (x: i32): ([][]i32, []f32) =
  let [k] [l] (ys: [k]f32, zs: [l]f32) = partition (< 0) xs
  in ((map (\_ -> replicate l x) ys)[::-1] :> [k][l]i32, zs)
