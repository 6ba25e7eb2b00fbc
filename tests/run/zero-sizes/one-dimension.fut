-- Every common operation on an empty array.
-- ==
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) 0 0i64 empty([0]i32) empty([0]i32) empty([0]i64) }
-- input { [4, -1] }
-- output { [5, 0] [4, 3] [-1, 4] [4, -1, 4, -1] 3 2i64 [4] [4, -1] [0i64, 1] }

def main [n] (xs: [n]i32) =
  ( map (+ 1) xs
  , scan (+) 0 xs
  , reverse xs
  , xs ++ xs
  , reduce (+) 0 xs
  , length xs
  , filter (> 0) xs
  , scatter (copy xs) (iota n) xs
  , iota n
  )
