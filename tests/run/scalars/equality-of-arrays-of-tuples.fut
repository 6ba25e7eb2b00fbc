-- Equality of arrays of tuples and of matrices.
-- ==
-- input { [1, 2] [true, false] } output { true true false }
-- input { [0, 0] [true, true] } output { true true false }
-- input { empty([0]i32) empty([0]bool) } output { true true true }

def main [n] (xs: [n]i32) (bs: [n]bool): (bool, bool, bool) =
  let a = zip xs bs
  let m = map (\x -> [x, x + 1]) xs
  in (a == zip xs bs, m == map (\x -> [x, 1 + x]) xs,
      m != map (\x -> [x, x]) xs == false)
