-- A long chain of composed functions.
-- ==
-- input { 1 } output { 29 30 }
-- input { -4 } output { 9 20 }

def inc (x: i32) = x + 1
def dbl (x: i32) = x * 2
def main (x: i32): (i32, i32) =
  let f = inc >-> dbl >-> inc >-> dbl >-> (+ 19)
  let g = dbl <-< inc <-< (\y -> y + 11) <-< inc <-< inc
  in (f x, g x)
