-- target: c
-- A histogram whose indices are those of the loop.
def main [n] (vs: [n]i64): [n]i64 = reduce_by_index (replicate n 1) (+) 0 (iota n) vs
