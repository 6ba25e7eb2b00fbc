-- Two results that share one unknown size.
-- ==
-- input { [5, -1, 7] } output { [5, 7] [0i64, 2] 12i64 }
-- input { [-1] } output { empty([0]i32) empty([0]i64) 0i64 }

def select [n] (xs: [n]i32): ?[k].([k]i32, [k]i64) =
  unzip (filter (\(x, _) -> x > 0) (zip xs (iota n)))
def main (xs: []i32): ([]i32, []i64, i64) =
  let (vs, is) = select xs
  in (vs, is, i64.sum (map2 (\v i -> i64.i32 v + i - i) vs is))
