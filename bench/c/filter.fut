-- The positive even numbers among random ones.
-- ==
-- "tiny" nobench input { [1, 2, -3, 10, -4, 0, 7, 8] } output { [2, 10, 8] }
-- "1M" compiled random input { [1048576]i32 }
-- "16M" compiled random input { [16777216]i32 }

entry main (xs: []i32) = filter (\x -> x > 0 && x % 2 == 0) xs
