-- A negative f32 has a cubic root but no square root.
-- ==
-- input { [-1.0f32, -8.0, -f32.inf] }
-- output { [f32.nan, f32.nan, f32.nan] [-1.0f32, -2.0, -f32.inf] }

def main [n] (xs: [n]f32): ([n]f32, [n]f32) = (map f32.sqrt xs, map f32.cbrt xs)
