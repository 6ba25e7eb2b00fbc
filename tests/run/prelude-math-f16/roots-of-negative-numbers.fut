-- A negative f16 has a cubic root but no square root.
-- ==
-- input { [-1.0f16, -8.0, -f16.inf] }
-- output { [f16.nan, f16.nan, f16.nan] [-1.0f16, -2.0, -f16.inf] }

def main [n] (xs: [n]f16): ([n]f16, [n]f16) = (map f16.sqrt xs, map f16.cbrt xs)
