-- expect: ambiguous-size
-- Nothing says how many inputs the function takes.
def inputs [n] (_f: [n]f64 -> f64): i64 = n

def main: i64 = inputs f64.sum
