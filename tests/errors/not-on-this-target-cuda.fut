-- expect: not-on-this-target
-- target: cuda
entry main [n] (xs: [n]f32) = #[simd(8)] map (+ 1) xs
