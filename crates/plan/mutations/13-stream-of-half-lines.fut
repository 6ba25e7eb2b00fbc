-- target: multicore
-- A large result.
def main (n: i64): []i64 = map (\i -> i * i) (iota n)
