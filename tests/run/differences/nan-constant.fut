-- A constant NaN is not equal to itself, also when the comparison is done by the compiler.
-- ==
-- tags { no_peer }
-- input { 0.0 } output { [true, false, true, false] [true, true, true] }

def main (x: f64): ([4]bool, [3]bool) =
  let n = f64.nan
  in ([n != n, n == n, f64.isnan n, n < x],
      [f32.isnan f32.nan, f64.isnan f64.nan, f16.isnan f16.nan])
