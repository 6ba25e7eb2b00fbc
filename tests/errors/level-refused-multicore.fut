-- expect: level-refused, level-refused
-- target: multicore
entry rows [n] [m] (xss: [n][m]f32) = #[core] scan (map2 (+)) (replicate m 0) xss
entry inside [n] [m] (xss: [n][m]f32) = #[core] reduce (+) 0 (#[source] map (\xs -> #[core] reduce (+) 0 xs) xss)
