-- The sum of the magnitudes of a vector.
-- ==
-- "tiny" nobench input { [1f32, -2f32, 0.5f32, -4f32] } output { 7.5f32 }
-- "1M" compiled random input { [1048576]f32 }
-- "16M" compiled random input { [16777216]f32 }

entry main (xs: []f32) = f32.sum (map f32.abs xs)
