-- asinh, acosh and atanh of f16.
-- ==
-- input { [1.0f16, 1.5, 2.0, 1.0e+01, 1.0e+02] }
-- output { [0.8813f16, 1.194, 1.443, 2.998, 5.297] [0.0f16, 0.9624, 1.317, 2.994, 5.297] }

def main [n] (xs: [n]f16): ([n]f16, [n]f16) =
  (map f16.asinh xs, map f16.acosh xs)
