-- Two sizes bound by one let.
-- ==
-- input { [[1, 2, 3]] } output { 3i64 1i64 }
-- input { empty([0][2]i32) } output { 2i64 0i64 }

def main (xss: [][]i32): (i64, i64) =
  let [n] [m] (yss: [n][m]i32) = transpose xss
  in (n, length yss[0:n] * 0 + m)
