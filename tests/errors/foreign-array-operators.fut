-- expect: operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, operand-type, argument-mismatch, operand-type, argument-mismatch, operand-type, operand-type, argument-mismatch, argument-mismatch, argument-mismatch, argument-mismatch, operand-type, argument-mismatch, operand-type, operand-type, operand-type
-- Operators on whole arrays, as in NumPy and MATLAB.
def double (xs: []f64) = xs * 2

def less (xs: []f64) = 2 - xs

def minus [n] (xs: [n]f64) (x: f64) = xs - x

def sum [n] (xs: [n]f64) (ys: [n]f64) = xs + ys

def twice (xs: []i64) = xs * 2 + 1

def matrix (m: [][]f64) = m / 2

def matrices [n][m] (a: [n][m]f64) (b: [n][m]f64) = a + b

def rows [n][m] (a: [n][m]f64) (b: [m]f64) = a + b

def sizes [n] (xs: [n]f64) (ys: [n]f64) = map f64.abs xs + map f64.abs ys

def masks [n] (xs: [n]bool) (ys: [n]bool) = xs && ys

def positive (xs: []f64) = xs > 0

def equal (xs: []i32) = xs == 1

def negative (xs: []f64) = -xs

def inverse (xs: []bool) = !xs

def sines (xs: []f64) = f64.sin xs

def larger [n] (xs: [n]f64) (ys: [n]f64) = f64.max xs ys

def clipped (xs: []f64) = f64.max 0 xs

def largest (xs: []f64) = f64.max xs

def nested (m: [][]f64) = map (* 2) m

def sums (m: [][]f64) = f64.sum m

def chosen (xs: []f64) = xs[xs > 0]

def gathered (xs: []f64) (is: []i64) = xs[is]

def text = "a" + "b"
