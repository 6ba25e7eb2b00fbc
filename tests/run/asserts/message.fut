-- A failed assertion names its condition.
-- ==
-- input { 4 } output { 2 }
-- input { 3 } error: x % 2 == 0
-- input { -4 } error: .

def main (x: i32): i32 =
  let half = assert (x % 2 == 0) (x / 2)
  in assert (half > 0) half
