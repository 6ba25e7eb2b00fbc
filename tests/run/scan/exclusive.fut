-- An exclusive prefix sum by rotation.
-- ==
-- input { [3, 1, 2] } output { [0, 3, 4] }
-- input { [9] } output { [0] }
-- input { empty([0]i32) } output { empty([0]i32) }

def main [n] (xs: [n]i32): [n]i32 =
  map2 (\i x -> if i == 0 then 0 else x) (iota n) (rotate (-1) (scan (+) 0 xs))
