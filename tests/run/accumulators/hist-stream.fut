-- An accumulator that adds, with several writes per element.
-- ==
-- input { [0, 0, 0] [0i64, 1] } output { [1, 101, 100] }
-- input { [5, 5, 5] empty([0]i64) } output { [5, 5, 5] }
-- input { [0, 0, 0] [2i64, 2] } output { [0, 0, 2] }

def main [k] [n] (dest: *[k]i32) (is: [n]i64): *[k]i32 =
  intrinsics.hist_stream dest (+) 0
                         (\(acc: *intrinsics.acc ([k]i32)) i ->
                            let acc = intrinsics.acc_write acc i 1
                            in intrinsics.acc_write acc (i + 1) 100)
                         is
