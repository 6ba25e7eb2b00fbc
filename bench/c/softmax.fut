-- The softmax of every row of a matrix.
-- ==
-- "tiny" nobench input { [[0f32, 0f32], [1f32, 2f32], [100f32, 101f32]] } output { [[0.5f32, 0.5f32], [0.268941421f32, 0.731058579f32], [0.268941421f32, 0.731058579f32]] }
-- "1024 by 1024" compiled random input { [1024][1024]f32 }
-- "100000 by 10" compiled random input { [100000][10]f32 }

def softmax [n] (xs: [n]f32): [n]f32 =
  let greatest = f32.maximum xs
  let exps = map (\x -> f32.exp (x - greatest)) xs
  let sum = f32.sum exps
  in map (/ sum) exps

entry main (xss: [][]f32) = map softmax xss
