-- exp of f16.
-- ==
-- input { [0.0f16, 1.0, -1.0, 2.0, 0.5, -3.0, 5.0] }
-- output { [1.0f16, 2.719, 0.368, 7.39, 1.648, 0.04977, 148.4] }
-- input { [f16.inf, -f16.inf, f16.nan] }
-- output { [f16.inf, 0.0, f16.nan] }

def main [n] (xs: [n]f16): [n]f16 = map f16.exp xs
