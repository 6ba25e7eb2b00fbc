-- Prefix - and ! bind more tightly than any operator.
-- ==
-- input { 3 true } output { -9 9 -1 false }
-- input { 0 false } output { 0 0 -1 true }

def main (x: i32) (b: bool): (i32, i32, i32, bool) =
  (-x * 3, -x * -3, !x + x, !b && true)
