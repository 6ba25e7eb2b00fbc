-- A negative f64 has a cubic root but no square root.
-- ==
-- input { [-1.0, -8.0, -f64.inf] }
-- output { [f64.nan, f64.nan, f64.nan] [-1.0, -2.0, -f64.inf] }

def main [n] (xs: [n]f64): ([n]f64, [n]f64) = (map f64.sqrt xs, map f64.cbrt xs)
