-- An accumulator that overwrites, from the module intrinsics.
-- ==
-- input { [0, 0, 0, 0] [1i64, 3] } output { [0, 10, 0, 30] }
-- input { [0, 0, 0, 0] [5i64, -1] } output { [0, 0, 0, 0] }
-- input { [7] empty([0]i64) } output { [7] }

def main [k] [n] (dest: *[k]i32) (is: [n]i64): *[k]i32 =
  intrinsics.scatter_stream dest (\(acc: *intrinsics.acc ([k]i32)) i ->
                                    intrinsics.acc_write acc i (i32.i64 i * 10))
                            is
