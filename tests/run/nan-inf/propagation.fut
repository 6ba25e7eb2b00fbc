-- NaN and infinities propagate through arithmetic and reductions.
-- ==
-- input { [1.0, f64.nan, 2.0] } output { f64.nan f64.nan 2.0 1.0 [1.0, f64.nan, f64.nan] }
-- input { [f64.inf, 1.0] } output { f64.inf f64.inf f64.inf 1.0 [f64.inf, f64.inf] }
-- input { [f64.inf, -f64.inf] } output { f64.nan -f64.inf f64.inf -f64.inf [f64.inf, f64.nan] }

def main [n] (xs: [n]f64): (f64, f64, f64, f64, [n]f64) =
  (f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs, scan (+) 0 xs)
