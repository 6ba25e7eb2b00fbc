-- A loop whose array changes its size.
-- ==
-- input { 3 } output { [1, 1, 1, 1, 1, 1, 1, 1] 8i64 }
-- input { 0 } output { [1] 1i64 }

def main (n: i32): ([]i32, i64) =
  let r = loop xs = [1] for _i < n do xs ++ xs
  in (r, length r)
