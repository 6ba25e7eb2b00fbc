-- reduce_by_index combines with what is in the destination.
-- ==
-- input { [10, 20, 30] [0i64, 2, 0, 3] [1, 2, 3, 4] } output { [14, 20, 32] }
-- input { [10, 20, 30] empty([0]i64) empty([0]i32) } output { [10, 20, 30] }
-- input { empty([0]i32) [0i64] [1] } output { empty([0]i32) }
-- input { [10, 20, 30] [0i64, 2, 0, 1, 2, 1, 7] [1, 2, 3, 4, 5, 6, 7] } output { [14, 30, 37] }

def main [k] [n] (dest: *[k]i32) (is: [n]i64) (vs: [n]i32): [k]i32 =
  reduce_by_index dest (+) 0 is vs
