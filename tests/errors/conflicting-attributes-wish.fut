-- expect: conflicting-attributes, conflicting-attributes
-- target: multicore
entry last [n] [m] (xss: [n][m]f32) = #[core] #[try(simd(4))] map (\xs -> #[simd(8)] reduce (+) 0 xs) xss
entry first [n] [m] (xss: [n][m]f32) = #[try(simd(4))] #[core] map (\xs -> #[simd(8)] reduce (+) 0 xs) xss
