-- set_bit of f64, also of bits from 32 on.
-- ==
-- tags { no_peer }
-- input { 1.0 }
-- output { [-1.0, 1.0000000000000002, 1.5, 1.0] }
-- input { -3.0 }
-- output { [-3.0, -3.0000000000000004, -3.0, 3.0] }

def main (x: f64): [4]f64 =
  [f64.set_bit 63 x 1, f64.set_bit 0 x 1, f64.set_bit 51 x 1,
   f64.set_bit 63 x 0]
