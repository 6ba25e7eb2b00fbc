-- A vector times a number.
-- ==
-- "tiny" nobench input { 2.5f32 [1f32, -2f32, 0.5f32] } output { [2.5f32, -5f32, 1.25f32] }
-- "1M" compiled random input { 2.5f32 [1048576]f32 }
-- "16M" compiled random input { 2.5f32 [16777216]f32 }

entry main (a: f32) (xs: []f32) = map (a *) xs
