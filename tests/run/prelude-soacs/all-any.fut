-- all and any.
-- ==
-- input { [1, 2, 3] } output { true true false true }
-- input { [-1, 0] } output { false false true false }
-- input { empty([0]i32) } output { true false true false }

def main (xs: []i32): (bool, bool, bool, bool) =
  (all (> 0) xs, any (> 2) xs, all (< 1) xs, any (== 1) xs)
