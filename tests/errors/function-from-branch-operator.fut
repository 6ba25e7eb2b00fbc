-- expect: function-from-branch
-- A function is chosen at run time.
def main (up: bool) (xs: []i64): []i64 =
  let step = if up then (+ 1) else (\x -> x - 1)
  in map step xs
