-- A test that must fail.
-- ==
-- input { 1 } output { 3 }
def main (x: i32): i32 = x + 1
