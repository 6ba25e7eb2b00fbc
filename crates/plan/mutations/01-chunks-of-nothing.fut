-- target: multicore
-- Every chunk has a part of the result.
def main (xs: []i64): []i64 = scan (+) 0 (map (\x -> x * x) xs)
