-- expect: on-chip-outside-block, on-chip-outside-block, on-chip-outside-block
entry host [n] (xs: [n]f32) = f32.sum (#[shared] map (+ 1) xs)
entry grid [n] [m] (xss: [n][m]f32) = #[grid] map (\xs -> f32.sum (#[shared] map (+ 1) xs)) xss
entry private [n] (xs: [n]f32) = f32.sum (#[private] map (+ 1) xs)
