-- A function that returns a function.
-- ==
-- input { 5 [1, 2] } output { [6, 7] 8 }

def adder (k: i32): i32 -> i32 = \x -> x + k
def compose2 (k: i32) = (\f -> f k) >-> adder
def main [n] (k: i32) (xs: [n]i32): ([n]i32, i32) =
  (map (adder k) xs, compose2 k (\x -> x - 2) 5)
