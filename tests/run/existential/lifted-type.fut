-- A size-lifted type abbreviation hides a size.
-- ==
-- input { [1, 2, 3] } output { 6 3i64 }
-- input { empty([0]i32) } output { 0 0i64 }

type~ bag = []i32
def make (xs: []i32): bag = xs
def size (b: bag): i64 = length b
def main (xs: []i32): (i32, i64) =
  let b = make xs
  in (i32.sum b, size b)
