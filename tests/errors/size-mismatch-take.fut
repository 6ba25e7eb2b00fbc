-- expect: size-mismatch
-- One element too many.
def chunk (k: i64) (xs: []f64): [k]f64 = take (k + 1) xs
