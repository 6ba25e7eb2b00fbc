-- lerp of f16 goes in a line between two numbers.
-- ==
-- input { 1.0e+01f16 2.0e+01f16 [0.0f16, 0.25, 0.5, 1.0] }
-- output { [1.0e+01f16, 12.5, 15.0, 2.0e+01] }
-- input { 1.0f16 -1.0f16 [0.0f16, 0.25, 0.5, 1.0] }
-- output { [1.0f16, 0.5, 0.0, -1.0] }
-- input { 3.0f16 3.0f16 [0.0f16, 0.25, 0.5, 1.0] }
-- output { [3.0f16, 3.0, 3.0, 3.0] }

def main [n] (a: f16) (b: f16) (xs: [n]f16): [n]f16 = map (f16.lerp a b) xs
