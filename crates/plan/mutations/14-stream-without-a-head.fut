-- target: multicore
-- A large result of several chunks.
def main (n: i64): []i64 = map (\i -> i * i) (iota n)
