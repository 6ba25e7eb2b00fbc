-- Values at top level that use functions and other values.
-- ==
-- input { 2 } output { 42 [0i64, 1, 2] 3.5 }

def base = 20i32
def double (x: i32) = x * 2
def twice = double base
def arr: [3]i64 = iota 3
def half: f64 = 3.5
def main (x: i32): (i32, [3]i64, f64) = (twice + x, copy arr, half)
