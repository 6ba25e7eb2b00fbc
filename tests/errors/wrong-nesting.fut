-- expect: wrong-nesting, wrong-nesting, wrong-nesting
entry a [n] [m] (xss: [n][m]f32) = #[block] map (\xs -> #[grid] map (+ 1) xs) xss
entry b [n] [m] (xss: [n][m]f32) = #[core] map (\xs -> #[block] map (+ 1) xs) xss
entry c [n] [m] (xss: [n][m]f32) = #[grid] map (\xs -> #[core] map (+ 1) xs) xss
