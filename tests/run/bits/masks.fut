-- Masks and shifts of signed numbers, also negative ones.
-- ==
-- input { -1 4 } output { 15 -16 -1 268435455 }
-- input { 100 0 } output { 0 100 100 100 }

def main (x: i32) (k: i32): (i32, i32, i32, i32) =
  let low = (1 << k) - 1
  in (x & low, x & !low, x >> k, i32.u32 (u32.i32 x >> u32.i32 k))
