-- expect: size-mismatch
-- The result is one shorter.
def differences [n] (xs: [n]f64): [n]f64 = map2 (-) xs[1:] xs[:n-1]
