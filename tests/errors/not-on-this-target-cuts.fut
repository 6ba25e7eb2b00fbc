-- expect: not-on-this-target, not-on-this-target
-- target: opencl
entry v [n] (xs: [n]f32) = #[vector(8)] reduce (+) 0 xs
entry s [n] [m] (xss: [n][m]f32) = #[strip(64)] map (\xs -> reduce (+) 0 xs) xss
