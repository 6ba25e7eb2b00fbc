-- Lambdas with patterns, several parameters and a return type.
-- ==
-- input { 3 4 } output { 7 12 -1 5 }

def main (x: i32) (y: i32): (i32, i32, i32, i32) =
  ( (\a b -> a + b) x y
  , (\(a, b) -> a * b) (x, y)
  , (\(a: i32) (b: i32): i32 -> a - b) x y
  , (\{u, v} -> u * u + v - 8) {u = x, v = y}
  )
