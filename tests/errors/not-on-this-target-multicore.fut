-- expect: not-on-this-target
-- target: multicore
entry main [n] (xs: [n]f32) = #[grid] map (+ 1) xs
