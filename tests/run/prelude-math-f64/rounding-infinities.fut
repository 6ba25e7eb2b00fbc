-- ceil, floor and round of infinities and NaN of f64.
-- ==
-- input { [f64.inf, -f64.inf, f64.nan] }
-- output { [f64.inf, -f64.inf, f64.nan] [f64.inf, -f64.inf, f64.nan] [f64.inf, -f64.inf, f64.nan] }

def main [n] (xs: [n]f64): ([n]f64, [n]f64, [n]f64) =
  (map f64.ceil xs, map f64.floor xs, map f64.round xs)
