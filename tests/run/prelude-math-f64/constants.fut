-- The constants of the module f64.
-- ==
-- input { }
-- output {
--   f64.inf
--   f64.nan
--   3.141592653589793
--   2.718281828459045
--   f64.inf
--   -f64.inf
--   2.220446049250313e-16
--   64
-- }

def main: (f64, f64, f64, f64, f64, f64, f64, i32) =
  (f64.inf, f64.nan, f64.pi, f64.e, f64.highest, f64.lowest, f64.epsilon,
   f64.num_bits)
