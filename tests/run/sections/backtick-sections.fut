-- Sections of functions between backticks and of qualified operators.
-- ==
-- input { [1, 5, 3] } output { [3, 5, 3] [1, 3, 3] [2, 6, 4] }

def main [n] (xs: [n]i32): ([n]i32, [n]i32, [n]i32) =
  (map (3 `i32.max`) xs, map (`i32.min` 3) xs, map (i32.+ 1) xs)
