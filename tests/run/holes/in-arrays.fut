-- A hole of array type, and one in a function that is not called.
-- ==
-- input { 1 [1, 2] } output { 3 }
-- input { -1 [1, 2] } error: hole
-- input { 1 empty([0]i32) } output { 0 }

def later (x: i32): i32 = ??? + x
def main (k: i32) (xs: []i32): i32 =
  if k < 0 then later k else i32.sum (if k > 10 then ??? else xs)
