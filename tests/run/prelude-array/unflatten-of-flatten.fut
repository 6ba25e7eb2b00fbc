-- unflatten undoes flatten.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] } output { true [[1, 2, 3], [4, 5, 6]] }
-- input { empty([0][3]i32) } output { true empty([0][3]i32) }
-- input { empty([3][0]i32) } output { true empty([3][0]i32) }

def main [n] [m] (xss: [n][m]i32): (bool, [n][m]i32) =
  let yss: [n][m]i32 = unflatten (flatten xss)
  in (xss == yss, yss)
