-- expect: nothing-to-cut, nothing-to-cut
entry a [n] (xs: [n]f32) = #[vector(8)] map (+ 1) xs
entry b (x: f32) = #[tile(4,8)] (x * x)
