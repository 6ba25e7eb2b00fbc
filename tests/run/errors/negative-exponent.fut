-- An integer cannot be raised to a negative power.
-- ==
-- input { 2 3 } output { 8 }
-- input { 2 0 } output { 1 }
-- input { 2 -1 } error: .

def main (x: i32) (y: i32): i32 = x ** y
