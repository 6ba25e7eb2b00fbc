-- The inner product of two vectors.
-- compare "16M": within 0.05, because numbers that are added up one by one in f32 lose 2 %
-- ==
-- "tiny" nobench input { [1f32, 2f32, 3f32] [4f32, -5f32, 0.5f32] } output { -4.5f32 }
-- "1M" compiled random input { [1048576]f32 [1048576]f32 }
-- "16M" compiled random input { [16777216]f32 [16777216]f32 }

entry main (xs: []f32) (ys: []f32) = f32.sum (map2 (*) xs ys)
