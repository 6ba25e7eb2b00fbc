-- A function between backticks is an infix operator, which binds less tightly than the others.
-- ==
-- input { 7 3 } output { 7 3 49 10 }
-- input { -1 5 } output { 5 -1 24 4 }

module m = { def plus (x: i32) (y: i32) = x + y }
def weigh (x: i32) (y: i32) = x * x + y * y - y * y

def main (x: i32) (y: i32): (i32, i32, i32, i32) =
  (x `i32.max` y, x `i32.min` y, (if x < 0 then 24 else x `weigh` y),
   x `m.plus` y)
