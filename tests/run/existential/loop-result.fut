-- The result of a loop with an unknown size is used with itself.
-- ==
-- input { [1, 2, 3] 2 } output { [1, 4, 9, 1, 4, 9, 1, 4, 9, 1, 4, 9] }
-- input { [2] 0 } output { [4] }

def main (xs: []i32) (k: i32): []i32 =
  let ys = loop ys = xs for _i < k do ys ++ ys
  in map2 (*) ys ys
