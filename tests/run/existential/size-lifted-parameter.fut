-- A size-lifted type parameter takes arrays of unknown size.
-- ==
-- input { [1, -1, 2] } output { [1, 2] [-1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def both '~a '~b (x: a) (y: b): (a, b) = (x, y)
def main (xs: []i32): ([]i32, []i32) =
  both (filter (> 0) xs) (filter (< 0) xs)
