-- trunc of f64 keeps infinities, NaN and numbers beyond the integer types.
-- ==
-- tags { no_peer }
-- input { [f64.inf, -f64.inf, f64.nan, 1.2676506002282294e+30, -1.0e+20] }
-- output { [f64.inf, -f64.inf, f64.nan, 1.2676506002282294e+30, -1.0e+20] }

def main [n] (xs: [n]f64): [n]f64 = map f64.trunc xs
