-- trunc of f16 keeps infinities, NaN and numbers beyond the integer types.
-- ==
-- tags { no_peer }
-- input { [f16.inf, -f16.inf, f16.nan, 2048.0, -2.05e+03] }
-- output { [f16.inf, -f16.inf, f16.nan, 2048.0, -2.05e+03] }

def main [n] (xs: [n]f16): [n]f16 = map f16.trunc xs
