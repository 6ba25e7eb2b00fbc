-- Local functions capture the variables around them.
-- ==
-- input { 10 [1, 2, 3] } output { [11, 12, 13] 46 }
-- input { 0 empty([0]i32) } output { empty([0]i32) 0 }

def main [n] (k: i32) (xs: [n]i32): ([n]i32, i32) =
  let add x = x + k
  let total [m] (ys: [m]i32): i32 = i32.sum ys + k * i32.bool (m > 0)
  in (map add xs, total (map add xs))
