-- The product of a sparse matrix in compressed rows with a vector, by a segmented sum.
-- ==
-- input { [0i64, 2, 2, 3] [0i64, 2, 1] [1.0, 2.0, 3.0] [10.0, 20.0, 30.0] } output { [70.0, 0.0, 60.0] }
-- input { [0i64, 0] empty([0]i64) empty([0]f64) [1.0] } output { [0.0] }

def main [r1] [k] [m] (offsets: [r1]i64) (cols: [k]i64) (vals: [k]f64)
         (x: [m]f64): []f64 =
  let products = map2 (\c v -> v * x[c]) cols vals
  let sums = scan (+) 0 products
  let upto (i: i64) = if i == 0 then 0 else sums[i - 1]
  in map2 (\a b -> upto b - upto a) (init offsets) (tail offsets)
