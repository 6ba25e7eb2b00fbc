-- expect: type-mismatch, type-mismatch, argument-mismatch, argument-mismatch, type-mismatch, operand-type, operand-type, operand-type, argument-mismatch, argument-mismatch, argument-mismatch, unknown-name, unknown-name, not-a-function, not-a-value, unknown-name, argument-mismatch, argument-mismatch, argument-mismatch, argument-mismatch, not-a-function, argument-mismatch
-- Powers, quotients, conversions and literals.
def estimate (hits: i64) (n: i64): f64 = 4 * hits / n

def mean (xs: []i64): f64 = i64.sum xs / length xs

def root (a: i64) (b: i64) = f64.sqrt (a / b)

def share (a: i64) (b: i64) (x: f64) = x * (a / b)

def steps (n: i64): []f64 = map (\i -> i / n) (iota n)

def square (x: f64) = x^2

def hypotenuse (x: f64) (y: f64) = f64.sqrt (x^2 + y^2)

def rounded (x: f64) = x // 2

def thousand (x: i32): i32 = x + 1e3

def many = iota 1e3

def half (x: i32) = x * 0.5

def python (x: i32) = float(x) * 2

def c (x: f64) = (int) x

def rust (x: i32) = x as f64

def module_name (x: i32) = f64(x)

def to_float (x: i32): f64 = to_f64 x

def scaled (x: i32) (xs: []f64) = map (* x) xs

def count (b: bool) (x: i32) = x + b

def scaled_indices (n: i64) = map (* 0.1) (iota n)

def half_power (x: i32) (y: i32) = x ** y / 2.0

def element (m: [][]f64) = m(0, 1)

def table (n: i64) = tabulate n n (\i j -> i + j)
