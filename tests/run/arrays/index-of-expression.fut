-- A parenthesised expression can be indexed, and a projection of a record.
-- ==
-- input { [1, 2, 3] } output { 3 2 6 }
-- input { [1] } error: out of bounds

def main (xs: []i32): (i32, i32, i32) =
  let r = {a = xs, b = (xs, 1)}
  in ((reverse xs)[0], r.a[1], (map (* 2) r.b.0)[2])
