-- lerp of f64 goes in a line between two numbers.
-- ==
-- input { 1.0e+01 2.0e+01 [0.0, 0.25, 0.5, 1.0] }
-- output { [1.0e+01, 12.5, 15.0, 2.0e+01] }
-- input { 1.0 -1.0 [0.0, 0.25, 0.5, 1.0] }
-- output { [1.0, 0.5, 0.0, -1.0] }
-- input { 3.0 3.0 [0.0, 0.25, 0.5, 1.0] }
-- output { [3.0, 3.0, 3.0, 3.0] }

def main [n] (a: f64) (b: f64) (xs: [n]f64): [n]f64 = map (f64.lerp a b) xs
