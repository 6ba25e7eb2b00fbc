-- Inclusive prefix sums, products and maxima.
-- ==
-- input { [3, 1, 2, 5] } output { [3, 4, 6, 11] [3, 3, 6, 30] [3, 3, 3, 5] }
-- input { [7] } output { [7] [7] [7] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n]i32) =
  (scan (+) 0 xs, scan (*) 1 xs, scan i32.max i32.lowest xs)
