-- The sums of the columns of a matrix.
-- ==
-- "tiny" nobench input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]] } output { [5f32, 7f32, 9f32] }
-- "1024" compiled random input { [1024][1024]f32 }
-- "4096" compiled random input { [4096][4096]f32 }
-- "1M by 8" compiled random input { [1048576][8]f32 }

entry main (xss: [][]f32) = map f32.sum (transpose xss)
