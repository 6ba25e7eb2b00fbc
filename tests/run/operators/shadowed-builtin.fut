-- A built-in operator can be redefined, and stays reachable through a module.
-- ==
-- input { 10 3 } output { 7 13 30 }

def (+) (x: i32) (y: i32) = x - y
def main (x: i32) (y: i32): (i32, i32, i32) = (x + y, x i32.+ y, x * y)
