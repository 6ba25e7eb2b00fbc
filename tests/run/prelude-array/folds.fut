-- foldl from the left and foldr from the right.
-- ==
-- input { [1, 2, 3] } output { -6 2 321 123 }
-- input { [5] } output { -5 5 5 5 }
-- input { empty([0]i32) } output { 0 0 0 0 }

def main (xs: []i32): (i32, i32, i32, i32) =
  ( foldl (-) 0 xs
  , foldr (-) 0 xs
  , foldr (\x acc -> acc * 10 + x) 0 xs
  , foldl (\acc x -> acc * 10 + x) 0 xs
  )
