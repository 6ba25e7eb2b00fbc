-- ++ and concat, of arrays of any rank.
-- ==
-- input { [1, 2] [3] } output { [1, 2, 3] [3, 1, 2] [[1, 2], [1, 2], [2, 1]] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([3][0]i32) }
-- input { empty([0]i32) [1] } output { [1] [1] empty([3][0]i32) }

def main [n] [m] (xs: [n]i32) (ys: [m]i32): ([n + m]i32, [m + n]i32, [][n]i32) =
  (xs ++ ys, concat ys xs, [xs, xs] ++ [reverse xs])
