-- Type ascriptions with sizes on expressions.
-- ==
-- input { [1, 2, 3] } output { [1, 2, 3] 3 }
-- input { empty([0]i32) } output { empty([0]i32) 0 }

def main [n] (xs: [n]i32): ([n]i32, i32) =
  ((xs : [n]i32), (i32.i64 n : i32))
