-- expect: size-mismatch
-- Three numbers where two are needed.
def cross (a: [2]f64) (b: [2]f64): f64 = a[0] * b[1] - a[1] * b[0]

def main: f64 = cross [1, 2] [3, 4, 5]
