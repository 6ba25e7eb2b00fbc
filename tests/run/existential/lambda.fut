-- A lambda whose result has an unknown size, bound to a name and applied twice.
-- ==
-- input { [1, 2, 3, 4] } output { [3, 4] [4] }
-- input { [0] } output { empty([0]i32) empty([0]i32) }

def main (xs: []i32): ([]i32, []i32) =
  let above = \(k: i32) -> filter (> k) xs
  in (above 2, above 3)
