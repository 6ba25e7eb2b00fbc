-- spread fills an array with a value and writes others at indices; those out of bounds are ignored.
-- ==
-- input { 5i64 [1i64, 3] [10, 30] } output { [-1, 10, -1, 30, -1] }
-- input { 2i64 [5i64, -1] [10, 30] } output { [-1, -1] }
-- input { 0i64 [0i64] [1] } output { empty([0]i32) }
-- input { 1i64 empty([0]i64) empty([0]i32) } output { [-1] }

def main [n] (k: i64) (is: [n]i64) (vs: [n]i32): [k]i32 = spread k (-1) is vs
