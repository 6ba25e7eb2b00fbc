-- The constants of the module f32.
-- ==
-- input { }
-- output { f32.inf f32.nan 3.1415927f32 2.7182817f32 f32.inf -f32.inf 1.1920929e-07f32 32 }

def main: (f32, f32, f32, f32, f32, f32, f32, i32) =
  (f32.inf, f32.nan, f32.pi, f32.e, f32.highest, f32.lowest, f32.epsilon,
   f32.num_bits)
