-- Sums of prefixes.
-- ==
-- "tiny" nobench input { [1, 2, -3, 10] } output { [1, 3, 0, 10] }
-- "1M" compiled random input { [1048576]i32 }
-- "16M" compiled random input { [16777216]i32 }

entry main (xs: []i32) = scan (+) 0 xs
