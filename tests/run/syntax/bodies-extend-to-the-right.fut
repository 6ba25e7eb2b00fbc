-- The bodies of let, if, loop and lambda extend as far as possible.
-- ==
-- input { 2 } output { 7 5 18 9 }

def main (x: i32): (i32, i32, i32, i32) =
  ( 1 + let y = x in y + 4
  , 1 + if x > 0 then x else x + 2
  , 1 + (loop a = 1 for _i < x do a * 4) + 1
  , (\y -> y + x * 2) 5
  ) |> \(a, b, c, d) -> (a, b + 2, c, d)
