-- A map and several reductions of the same array.
-- ==
-- input { [1.0, 2.0, 3.0, 4.0] } output { 2.5 1.25 1.0 4.0 }
-- input { [5.0] } output { 5.0 0.0 5.0 5.0 }

def main [n] (xs: [n]f64): (f64, f64, f64, f64) =
  let mean = f64.sum xs / f64.i64 n
  let variance = f64.sum (map (\x -> (x - mean) ** 2) xs) / f64.i64 n
  in (mean, variance, f64.minimum xs, f64.maximum xs)
