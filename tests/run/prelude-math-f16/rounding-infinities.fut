-- ceil, floor and round of infinities and NaN of f16.
-- ==
-- input { [f16.inf, -f16.inf, f16.nan] }
-- output { [f16.inf, -f16.inf, f16.nan] [f16.inf, -f16.inf, f16.nan] [f16.inf, -f16.inf, f16.nan] }

def main [n] (xs: [n]f16): ([n]f16, [n]f16, [n]f16) =
  (map f16.ceil xs, map f16.floor xs, map f16.round xs)
