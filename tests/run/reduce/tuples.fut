-- A reduction over tuples: index of the greatest element, the first one of equals.
-- ==
-- input { [3, 9, 2, 9] } output { 9 1i64 }
-- input { [-5] } output { -5 0i64 }
-- input { empty([0]i32) } output { -2147483648 -1i64 }

def main [n] (xs: [n]i32): (i32, i64) =
  reduce_comm (\(x, i) (y, j) ->
                 if x > y || (x == y && (i >= 0 && (j < 0 || i < j)))
                 then (x, i)
                 else (y, j))
              (i32.lowest, -1)
              (zip xs (iota n))
