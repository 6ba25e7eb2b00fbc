-- Comparisons bind less tightly than arithmetic, and && than comparisons.
-- ==
-- input { 1 2 } output { true true true }
-- input { 6 3 } output { false true true }

def main (x: i32) (y: i32): (bool, bool, bool) =
  (x + 1 <= y * 2 && x < 5, x & y == 2 || y > x, x | y >= y)
