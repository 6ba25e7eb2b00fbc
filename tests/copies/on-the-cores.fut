-- expect: allocation-in-loop, allocation-in-loop
-- target: multicore
-- Memory that is handed to a function is not one of the parts that each core has of one block. One of the two has the
-- same size in all iterations, so that it is allocated once for each chunk, but only where there are many rows.

#[noinline]
def worst [n] (xs: [n]f64): f64 = f64.maximum xs - xs[n / 2]

entry same_size [n] [m] (rows: [n][m]f64): [n]f64 = map (\row -> worst (scan (+) 0 row)) rows

entry prefixes [n] (xs: [n]f64): [n]f64 = map (\k -> worst (scan (+) 0 xs[:k + 1])) (iota n)
