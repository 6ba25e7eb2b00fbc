-- expect: size-mismatch
-- Rows and columns are confused.
def matvec [n] [m] (a: [n][m]f64) (x: [m]f64): [n]f64 =
  map (\row -> f64.sum (map2 (*) row x)) a

def main [n] [m] (a: [n][m]f64) (x: [n]f64): []f64 = matvec a x
