-- expect: level-refused, level-refused, level-refused, level-refused, level-refused
-- target: c
entry scan [n] (xs: [n]f32) = #[simd(8)] scan (+) 0 xs
entry width [n] (xs: [n]f32) = #[simd(3)] map (+ 1) xs
entry filter [n] (xs: [n]f32) = #[simd(8)] filter (> 0) xs
entry rows [n] [m] (xss: [n][m]f32) = #[simd(8)] map (\xs -> reduce (+) 0 xs) xss
entry order [n] (xs: [n]f32) = #[simd(8)] reduce (\a b -> a * 2 + b) 0 xs
