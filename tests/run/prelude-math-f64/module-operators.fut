-- The operators as members of the module f64.
-- ==
-- input { 7.0 2.0 }
-- output { [9.0, 5.0, 14.0, 3.5, 1.0, 49.0] [false, true, false, false, true, true] }
-- input { 1.5 1.5 }
-- output { [3.0, 0.0, 2.25, 1.0, 0.0, 1.8371173070873836] [true, false, false, true, false, true] }
-- input { 4.0 -0.5 }
-- output { [3.5, 4.5, -2.0, -8.0, 0.0, 0.5] [false, true, false, false, true, true] }

def main (x: f64) (y: f64): ([6]f64, [6]bool) =
  ( [x f64.+ y, x f64.- y, x f64.* y, x f64./ y, x f64.% y, x f64.** y]
  , [x f64.== y, x f64.!= y, x f64.< y, x f64.<= y, x f64.> y, x f64.>= y]
  )
