-- lerp of f32 goes in a line between two numbers.
-- ==
-- input { 1.0e+01f32 2.0e+01f32 [0.0f32, 0.25, 0.5, 1.0] }
-- output { [1.0e+01f32, 12.5, 15.0, 2.0e+01] }
-- input { 1.0f32 -1.0f32 [0.0f32, 0.25, 0.5, 1.0] }
-- output { [1.0f32, 0.5, 0.0, -1.0] }
-- input { 3.0f32 3.0f32 [0.0f32, 0.25, 0.5, 1.0] }
-- output { [3.0f32, 3.0, 3.0, 3.0] }

def main [n] (a: f32) (b: f32) (xs: [n]f32): [n]f32 = map (f32.lerp a b) xs
