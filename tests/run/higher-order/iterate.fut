-- iterate, iterate_until and iterate_while.
-- ==
-- input { 3 } output { 24 48 64 [24, 48] }
-- input { 100 } output { 800 100 100 [800, 1600] }

def main (x: i32): (i32, i32, i32, [2]i32) =
  ( iterate 3 (* 2) x
  , iterate_until (> 30) (* 2) x
  , iterate_while (< 50) (\y -> y + 1 + 60 * i32.bool (y == 3)) x
  , iterate 3 (map (* 2)) [x, 2 * x]
  )
