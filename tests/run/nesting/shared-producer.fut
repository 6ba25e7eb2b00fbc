-- One array that several consumers read, so that it must not be computed wrongly by fusion.
-- ==
-- input { [1, 2, 3] } output { 14 [1, 5, 14] [2, 5, 10] 9 [9, 4, 1] }
-- input { empty([0]i32) } output { 0 empty([0]i32) empty([0]i32) -2147483648 empty([0]i32) }

def main [n] (xs: [n]i32): (i32, [n]i32, [n]i32, i32, [n]i32) =
  let squares = map (\x -> x * x) xs
  in (i32.sum squares, scan (+) 0 squares, map (+ 1) squares,
      i32.maximum squares, reverse squares)
