-- expect: not-on-this-target
-- target: c
entry main [n] (xs: [n]f32) = #[core] map (+ 1) xs
