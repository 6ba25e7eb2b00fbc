-- Update of an element of an array of tuples.
-- ==
-- input { [1, 2] [0.5, 1.5] 0i64 } output { [10, 2] [5.0, 1.5] }
-- input { [1, 2] [0.5, 1.5] 2i64 } error: out of bounds

def main [n] (xs: [n]i32) (ys: [n]f64) (i: i64): ([n]i32, [n]f64) =
  let a = zip xs ys
  in unzip (a with [i] = (xs[i] * 10, ys[i] * 10))
