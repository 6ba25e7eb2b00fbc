-- The operators as members of the module f32.
-- ==
-- input { 7.0f32 2.0f32 }
-- output { [9.0f32, 5.0, 14.0, 3.5, 1.0, 49.0] [false, true, false, false, true, true] }
-- input { 1.5f32 1.5f32 }
-- output { [3.0f32, 0.0, 2.25, 1.0, 0.0, 1.8371173] [true, false, false, true, false, true] }
-- input { 4.0f32 -0.5f32 }
-- output { [3.5f32, 4.5, -2.0, -8.0, 0.0, 0.5] [false, true, false, false, true, true] }

def main (x: f32) (y: f32): ([6]f32, [6]bool) =
  ( [x f32.+ y, x f32.- y, x f32.* y, x f32./ y, x f32.% y, x f32.** y]
  , [x f32.== y, x f32.!= y, x f32.< y, x f32.<= y, x f32.> y, x f32.>= y]
  )
