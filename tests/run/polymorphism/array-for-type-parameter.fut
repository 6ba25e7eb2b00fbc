-- An array as the instance of a type parameter.
-- ==
-- input { [1, 2, 3] } output { [[1, 2, 3], [1, 2, 3]] [3, 2, 1] 3i64 }
-- input { empty([0]i32) } output { empty([2][0]i32) empty([0]i32) 0i64 }

def choose 'a (b: bool) (x: a) (y: a): a = if b then x else y
def main [n] (xs: [n]i32): ([2][n]i32, [n]i32, i64) =
  (replicate 2 (choose true xs xs), choose false xs (reverse xs),
   length (choose true xs xs))
