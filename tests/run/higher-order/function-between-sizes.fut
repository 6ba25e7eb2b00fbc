-- A function from arrays to arrays as an argument, whose sizes come from another argument.
-- ==
-- input { [1, 2, 3] } output { [4, 3, 2] [1, 3, 6] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def over [n] (xs: [n]i32) (f: [n]i32 -> [n]i32): [n]i32 = f xs
def main [n] (xs: [n]i32): ([n]i32, [n]i32) =
  (over xs (\ys -> reverse (map (+ 1) ys)), over xs (scan (+) 0))
