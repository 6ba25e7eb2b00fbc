-- expect: level-inside-itself, level-inside-itself, level-inside-itself
def row [n] (xs: [n]f32) = #[grid] map (+ 1) xs

entry direct [n] [m] (xss: [n][m]f32) = #[grid] map (\xs -> #[grid] map (+ 1) xs) xss
entry called [n] [m] (xss: [n][m]f32) = #[grid] map (\xs -> map (* 2) (row xs)) xss
entry vectors [n] [m] (xss: [n][m]f32) = #[simd(4)] map (\xs -> #[simd(8)] reduce (+) 0 xs) xss
