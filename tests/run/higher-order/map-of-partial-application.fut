-- Partial applications of functions with captured arrays inside map.
-- ==
-- input { [[1, 2], [3, 4]] [10, 100] } output { [[11, 102], [13, 104]] [210, 430] }
-- input { empty([0][2]i32) [10, 100] } output { empty([0][2]i32) empty([0]i32) }

def dot [n] (xs: [n]i32) (ys: [n]i32): i32 = i32.sum (map2 (*) xs ys)
def main [n] [m] (xss: [n][m]i32) (ys: [m]i32): ([n][m]i32, [n]i32) =
  (map (map2 (+) ys) xss, map (dot ys) xss)
