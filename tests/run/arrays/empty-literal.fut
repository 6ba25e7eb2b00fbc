-- An empty array literal takes its element type and size from its use.
-- ==
-- input { [1, 2] } output { 2i64 0i64 0i64 2i64 }
-- input { empty([0]i32) } output { 0i64 0i64 0i64 0i64 }

def main [n] (xs: [n]i32): (i64, i64, i64, i64) =
  let none: [0]i32 = []
  let rows: [0][n]i32 = []
  in (length (none ++ xs), length none, length rows, length (transpose rows))
