-- The cases of a match give arrays of different sizes.
-- ==
-- input { 0 [1, 2, 3] } output { [1, 2, 3] }
-- input { 1 [1, 2, 3] } output { [2, 3] }
-- input { 2 [1, 2, 3] } output { [1, 2, 3, 1, 2, 3] }
-- input { 3 [1, 2, 3] } output { empty([0]i32) }

def main (i: i32) (xs: []i32): []i32 =
  match i
  case 0 -> xs
  case 1 -> drop 1 xs
  case 2 -> xs ++ xs
  case _ -> []
