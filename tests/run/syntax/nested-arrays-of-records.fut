-- Literals of arrays of records of arrays.
-- ==
-- input { 1 } output { [1, 2] [[1, 1], [2, 2]] }

def main (x: i32): ([2]i32, [2][2]i32) =
  let rs = [{k = x, v = [x, x]}, {v = [2 * x, 2 * x], k = 2 * x}]
  in (map (.k) rs, map (.v) rs)
