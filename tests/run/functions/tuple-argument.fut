-- A function on a tuple, and curry and uncurry between the two forms.
-- ==
-- input { 3 4 } output { 7 7 12 12 }

def add (x: i32, y: i32): i32 = x + y
def mul (x: i32) (y: i32): i32 = x * y
def main (x: i32) (y: i32): (i32, i32, i32, i32) =
  (add (x, y), curry add x y, mul x y, uncurry mul (x, y))
