-- The logical operators as members of the module intrinsics, where both operands are evaluated.
-- ==
-- input { [true, true, false, false] [true, false, true, false] }
-- output { [true, false, false, false] [true, true, true, false] }
-- input { empty([0]bool) empty([0]bool) } output { empty([0]bool) empty([0]bool) }

def main [n] (as: [n]bool) (bs: [n]bool): ([n]bool, [n]bool) =
  ( map2 (\a b -> a intrinsics.&& b) as bs
  , map2 (\a b -> a intrinsics.|| b) as bs
  )
