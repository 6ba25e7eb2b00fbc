-- expect: size-mismatch
-- The sizes are added in another order.
def join [n] [m] (xs: [n]i64) (ys: [m]i64): [m + n]i64 = xs ++ ys
