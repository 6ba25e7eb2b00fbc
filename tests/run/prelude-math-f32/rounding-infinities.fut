-- ceil, floor and round of infinities and NaN of f32.
-- ==
-- input { [f32.inf, -f32.inf, f32.nan] }
-- output { [f32.inf, -f32.inf, f32.nan] [f32.inf, -f32.inf, f32.nan] [f32.inf, -f32.inf, f32.nan] }

def main [n] (xs: [n]f32): ([n]f32, [n]f32, [n]f32) =
  (map f32.ceil xs, map f32.floor xs, map f32.round xs)
