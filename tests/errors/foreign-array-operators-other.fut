-- expect: operand-type, operand-type, operand-type
-- Operators on arrays whose elements do not fit either.
def scaled (xs: []i64) = xs * 0.5

def added [n][m] (xs: [n]f64) (ys: [m]f64) = xs + ys

def cubes (a: [][][]f64) (b: []f64) = a + b
