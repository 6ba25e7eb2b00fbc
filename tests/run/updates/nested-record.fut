-- Updates of arrays inside tuples and records, through an update of the field.
-- ==
-- input { [1, 2, 3] } output { [1, 7, 3] 5 }

def main (xs: *[3]i32): ([3]i32, i32) =
  let r = {a = copy xs, b = 5i32}
  let ys = copy r.a with [1] = 7
  let r = r with a = ys
  in (r.a, r.b)
