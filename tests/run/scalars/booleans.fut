-- The operators on bool: && and || and !, and the order of false before true.
-- ==
-- input { false false } output { [false, false, true, true, false, false, true, false, true] }
-- input { false true } output { [false, true, true, false, true, true, true, false, false] }
-- input { true false } output { [false, true, false, false, true, false, false, true, true] }
-- input { true true } output { [true, true, false, true, false, false, true, false, true] }

def main (x: bool) (y: bool): [9]bool =
  [x && y, x || y, !x, x == y, x != y, x < y, x <= y, x > y, x >= y]
