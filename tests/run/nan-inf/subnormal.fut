-- Numbers too small for the normal range.
-- ==
-- input { 5e-324 } output { [5e-324, 1e-323, 0.0] true }
-- input { 2.2250738585072014e-308 }
-- output { [2.2250738585072014e-308, 4.450147717014403e-308, 1.1125369292536007e-308] true }

def main (x: f64): ([3]f64, bool) = ([x, x + x, x / 2], x > 0)
