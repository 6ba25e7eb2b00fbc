-- scatter writes at indices and ignores those out of bounds.
-- ==
-- input { [0, 0, 0] [2i64, 0] [5, 7] } output { [7, 0, 5] }
-- input { [0, 0, 0] [3i64, -1, 1] [5, 7, 9] } output { [0, 9, 0] }
-- input { [1, 2] empty([0]i64) empty([0]i32) } output { [1, 2] }
-- input { empty([0]i32) [0i64] [1] } output { empty([0]i32) }

def main [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32): [k]i32 =
  scatter dest is vs
