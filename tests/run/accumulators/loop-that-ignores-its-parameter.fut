-- The body yields the accumulator by the name it had before the loop.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [1, 12, 3, 14] }
def add (acc: *intrinsics.acc ([]i32)) (i: i64) =
  intrinsics.acc_write (loop _same = acc for _j < 2i64 do acc) (2 * i + 1) 10i32

entry main (xs: *[]i32): *[]i32 = intrinsics.hist_stream xs (+) 0 add (iota 2)
