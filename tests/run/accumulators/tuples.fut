-- An accumulator of two arrays at once.
-- ==
-- input { [0, 0, 0] [0.0, 0.0, 0.0] [2i64, 0, 2] } output { [1, 0, 2] [0.5, 0.0, 1.0] }
-- input { [1] [1.0] empty([0]i64) } output { [1] [1.0] }

def main [k] [n] (a: *[k]i32) (b: *[k]f64) (is: [n]i64): ([k]i32, [k]f64) =
  intrinsics.hist_stream (zip a b) (\(x, y) (u, v) -> (x + u, y + v)) (0, 0)
                         (\(acc: *intrinsics.acc ([k](i32, f64))) i ->
                            intrinsics.acc_write acc i (1, 0.5))
                         is
  |> unzip
