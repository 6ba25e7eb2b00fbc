-- A copy can be updated while the original stays.
-- ==
-- input { [1, 2, 3] } output { [1, 2, 3] [0, 2, 3] [1, 0, 3] }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n]i32) =
  let ys = copy xs with [0] = 0
  let zs = copy xs
  let zs[1] = 0
  in (xs, ys, zs)
