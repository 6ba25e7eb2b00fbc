-- A range in the wrong direction inside a map.
-- ==
-- input { [3, 5] } output { [3, 10] }
-- input { [3, -1] } error: 0..<-1

def main [n] (xs: [n]i32): [n]i32 = map (\x -> i32.sum (0..<x)) xs
