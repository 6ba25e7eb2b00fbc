-- #[unroll] on a loop with a known trip count.
-- ==
-- input { 2 } output { 32 [2, 3, 4] }
-- input { 0 } output { 0 [0, 1, 2] }

def main (x: i32): (i32, [3]i32) =
  ( #[unroll] loop y = x for _i < 4i32 do y + y
  , #[unroll] loop a = [x, 0, 0] for i < 2i64 do a with [i + 1] = a[i] + 1
  )
