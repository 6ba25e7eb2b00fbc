-- An accumulator that is carried through a loop.
-- ==
-- input { [0, 0, 0, 0] [2i64, 4] } output { [2, 2, 1, 1] }
-- input { [0, 0, 0, 0] [0i64] } output { [0, 0, 0, 0] }

def main [k] [n] (dest: *[k]i32) (counts: [n]i64): *[k]i32 =
  intrinsics.hist_stream dest (+) 0
                         (\(acc: *intrinsics.acc ([k]i32)) c ->
                            loop acc for i < c do intrinsics.acc_write acc i 1)
                         counts
