-- A parallel operation inside a sequential loop.
-- ==
-- input { [1, 2, 3] 4 } output { [16, 32, 48] }
-- input { [1, 2, 3] 0 } output { [1, 2, 3] }
-- input { empty([0]i32) 3 } output { empty([0]i32) }

def main [n] (xs: [n]i32) (k: i32): [n]i32 =
  loop xs for _i < k do map (* 2) xs
