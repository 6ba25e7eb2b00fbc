-- Updates of arrays that are local to a function that is mapped.
-- ==
-- input { [[1, 2], [3, 4]] } output { [[0, 2], [0, 4]] }
-- input { empty([0][2]i32) } output { empty([0][2]i32) }

def main [n] [m] (xss: [n][m]i32): [n][m]i32 =
  map (\xs -> copy xs with [0] = 0) xss
