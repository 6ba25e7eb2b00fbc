-- A conditional around parallel work inside a map.
-- ==
-- input { [1, -1, 2] [10, 20] } output { [30, 2, 30] }
-- input { empty([0]i32) [10] } output { empty([0]i32) }

def main [n] [m] (xs: [n]i32) (ys: [m]i32): [n]i32 =
  map (\x -> if x > 0 then i32.sum ys else i32.i64 (length (filter (> 0) ys)))
      xs
