-- A scan in a map in a loop.
-- ==
-- input { [[1, 1], [2, 0]] 2 } output { [[1, 3], [2, 4]] }
-- input { [[1, 1], [2, 0]] 0 } output { [[1, 1], [2, 0]] }

def main [n] [m] (xss: [n][m]i32) (k: i32): [n][m]i32 =
  loop xss for _i < k do map (scan (+) 0) xss
