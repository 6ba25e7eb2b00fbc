-- hist counts and sums by index; indices out of bounds are ignored.
-- ==
-- input { 3i64 [0i64, 1, 0, 5, -1] [1, 2, 3, 4, 5] } output { [4, 2, 0] }
-- input { 2i64 empty([0]i64) empty([0]i32) } output { [0, 0] }
-- input { 0i64 [0i64] [1] } output { empty([0]i32) }
-- input { 3i64 [0i64, 1, 2, 0, 1, 2, 0, 4] [1, 2, 3, 4, 5, 6, 7, 8] } output { [12, 7, 9] }

def main [n] (k: i64) (is: [n]i64) (vs: [n]i32): [k]i32 = hist (+) 0 k is vs
