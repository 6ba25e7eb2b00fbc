-- A local polymorphic function with size and type parameters.
-- ==
-- input { [1, 2, 3] [true] } output { 3 true 4i64 }

def main [n] [m] (xs: [n]i32) (bs: [m]bool): (i32, bool, i64) =
  let final 'a [k] (ys: [k]a): a = ys[k - 1]
  let sizes 'a 'b [k] [l] (_: [k]a) (_: [l]b): i64 = k + l
  in (final xs, final bs, sizes xs bs)
