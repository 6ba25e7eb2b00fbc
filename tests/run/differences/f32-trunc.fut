-- trunc of f32 keeps infinities, NaN and numbers beyond the integer types.
-- ==
-- tags { no_peer }
-- input { [f32.inf, -f32.inf, f32.nan, 1.2676506e+30, -1.0e+20] }
-- output { [f32.inf, -f32.inf, f32.nan, 1.2676506e+30, -1.0e+20] }

def main [n] (xs: [n]f32): [n]f32 = map f32.trunc xs
