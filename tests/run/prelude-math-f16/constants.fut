-- The constants of the module f16.
-- ==
-- input { }
-- output { f16.inf f16.nan 3.14f16 2.719f16 f16.inf -f16.inf 16 }

def main: (f16, f16, f16, f16, f16, f16, i32) =
  (f16.inf, f16.nan, f16.pi, f16.e, f16.highest, f16.lowest, f16.num_bits)
