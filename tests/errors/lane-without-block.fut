-- expect: lane-without-block, lane-without-block
entry host [n] (xs: [n]f32) = #[lane] map (+ 1) xs
entry grid [n] [m] (xss: [n][m]f32) = #[grid] map (\xs -> #[lane] reduce (+) 0 xs) xss
