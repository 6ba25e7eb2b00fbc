-- The operators as members of the module f16.
-- ==
-- input { 7.0f16 2.0f16 }
-- output { [9.0f16, 5.0, 14.0, 3.5, 1.0, 49.0] [false, true, false, false, true, true] }
-- input { 1.5f16 1.5f16 }
-- output { [3.0f16, 0.0, 2.25, 1.0, 0.0, 1.837] [true, false, false, true, false, true] }
-- input { 4.0f16 -0.5f16 }
-- output { [3.5f16, 4.5, -2.0, -8.0, 0.0, 0.5] [false, true, false, false, true, true] }

def main (x: f16) (y: f16): ([6]f16, [6]bool) =
  ( [x f16.+ y, x f16.- y, x f16.* y, x f16./ y, x f16.% y, x f16.** y]
  , [x f16.== y, x f16.!= y, x f16.< y, x f16.<= y, x f16.> y, x f16.>= y]
  )
