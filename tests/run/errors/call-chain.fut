-- An error in a function called by another one inside a map.
-- ==
-- input { [2, 5] } output { [50, 20] }
-- input { [2, 0] } error: division by zero

def safe_div (x: i32) (y: i32): i32 = x / y
def scale (y: i32): i32 = safe_div 100 y
def main [n] (xs: [n]i32): [n]i32 = map (\x -> scale x) xs
