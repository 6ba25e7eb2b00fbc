-- An assertion that fails in a later iteration of a loop.
-- ==
-- input { 3 } output { 8 }
-- input { 0 } output { 1 }
-- input { 10 } error: x < 100

def main (n: i32): i32 = loop x = 1 for _i < n do assert (x < 100) (x * 2)
