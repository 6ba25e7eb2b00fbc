-- How many numbers fall into each bin of a range.
-- ==
-- "tiny" nobench input { 4i64 [0u16, 65535u16, 16384u16, 16383u16, 40000u16, 100u16] } output { [3, 1, 1, 1] }
-- "256 bins" compiled random input { 256i64 [10000000]u16 }
-- "65536 bins" compiled random input { 65536i64 [10000000]u16 }

entry main [n] (bins: i64) (xs: [n]u16): [bins]i32 =
  hist (+) 0 bins (map (\x -> (i64.u16 x * bins) >> 16) xs) (replicate n 1)
