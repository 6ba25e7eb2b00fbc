-- Constructors that hold arrays.
-- ==
-- input { true [1, 2, 3] } output { 6 3i64 }
-- input { false [1, 2, 3] } output { 0 3i64 }
-- input { true empty([0]i32) } output { 0 0i64 }

type t [n] = #array ([n]i32) | #none
def make [n] (b: bool) (xs: [n]i32): t [n] = if b then #array xs else #none
def main [n] (b: bool) (xs: [n]i32): (i32, i64) =
  match make b xs
  case #array ys -> (i32.sum ys, length ys)
  case #none -> (0, n)
