-- expect: size-mismatch
-- Each parameter has a size of its own.
def dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)

def main [n] [m] (as: [n]f64) (bs: [m]f64): f64 = dot as bs
