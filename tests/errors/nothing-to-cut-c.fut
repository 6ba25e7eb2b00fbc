-- expect: nothing-to-cut, nothing-to-cut
-- target: c
entry a [n] (xs: [n]f32) = #[tile(4,8)] map (+ 1) xs
entry b [n] (xs: [n]f32) = #[strip(64)] map (+ 1) xs
