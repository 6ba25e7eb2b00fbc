-- # Squares
--
-- The square of a number:

entry square (x: i32): i32 = x * x

-- > square 12i32

-- Several values are passed on:

entry row (n: i64): []f64 = map f64.i64 (iota n)
entry total (xs: []f64): f64 = f64.sum xs

-- > (row 3i64, total (row 5i64))
