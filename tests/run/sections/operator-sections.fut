-- Sections of operators: both operands missing, the left one, the right one.
-- ==
-- input { [1, 2, 3] } output { 6 [9, 8, 7] [-9, -8, -7] [2, 4, 8] [1, 4, 9] }
-- input { empty([0]i32) } output { 0 empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32): (i32, [n]i32, [n]i32, [n]i32, [n]i32) =
  (reduce (+) 0 xs, map (10 -) xs, map (\x -> x - 10) xs, map (2 **) xs,
   map (** 2) xs)
