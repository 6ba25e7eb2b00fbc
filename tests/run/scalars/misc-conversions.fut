-- The short names r32, t32, r64 and t64 convert between i32 and the floating-point types.
-- ==
-- input { 7 2.9f32 -3.9 } output { 7f32 2 7.0 -3 }
-- input { -1 -0.5f32 1e9 } output { -1f32 0 -1.0 1000000000 }

def main (x: i32) (y: f32) (z: f64): (f32, i32, f64, i32) =
  (r32 x, t32 y, r64 x, t64 z)
