-- A filter inside a map, of which only the size leaves.
-- ==
-- input { [[1, -2, 3], [-1, -1, 0]] } output { [2i64, 0] [4, 0] }
-- input { empty([0][3]i32) } output { empty([0]i64) empty([0]i32) }

def main [n] [m] (xss: [n][m]i32): ([n]i64, [n]i32) =
  unzip (map (\xs -> let ys = filter (> 0) xs in (length ys, i32.sum ys)) xss)
