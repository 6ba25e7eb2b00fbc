-- NaN from the input is not equal to itself, and neither less nor greater than anything.
-- ==
-- input { f64.nan 1.0 } output { [false, true, false, false, false, false] }
-- input { f64.inf f64.inf } output { [true, false, false, false, true, true] }
-- input { -f64.inf f64.inf } output { [false, true, true, false, true, false] }

def main (x: f64) (y: f64): [6]bool =
  [x == y, x != y, x < y, x > y, x <= y, x >= y]
