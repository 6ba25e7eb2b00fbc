-- expect: attribute-refused, attribute-refused
-- target: multicore
entry size [n] [m] (xss: [n][m]f32) = #[core] map (\xs -> let ys = #[private] scan (+) 0 xs in ys[m / 2]) xss
entry large [n] (xs: [n]f32) = #[core] map (\x -> let ys = #[private] scan (+) 0 (replicate 1000 x) in ys[i64.f32 x]) xs
