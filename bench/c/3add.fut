-- The sum of three vectors.
-- ==
-- "tiny" nobench input { [1f64, 2f64] [10f64, 20f64] [100f64, 200f64] } output { [111f64, 222f64] }
-- "16M" compiled random input { [16777216]f64 [16777216]f64 [16777216]f64 }

def add [n] (xs: [n]f64) (ys: [n]f64) = map2 (+) xs ys

entry main [n] (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) = add xs (add ys zs)
