-- expect: unknown-name
-- A name of NumPy that is near to one of the program.
def zeroes (n: i64): []f64 = replicate n 0

def f (n: i64) = zeros n
