-- scatter of whole rows.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] [2i64, 7] [[9, 9], [8, 8]] } output { [[1, 2], [3, 4], [9, 9]] }
-- input { [[1, 2]] empty([0]i64) empty([0][2]i32) } output { [[1, 2]] }

def main [k] [m] [n] (dest: *[k][m]i32) (is: [n]i64) (vs: [n][m]i32)
         : [k][m]i32 =
  scatter dest is vs
