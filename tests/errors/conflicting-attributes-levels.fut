-- expect: conflicting-attributes, conflicting-attributes, conflicting-attributes
def lanes [n] (xs: [n]f32) = #[lane] map (+ 1) xs

entry two [n] (xs: [n]f32) = #[core] #[grid] map (+ 1) xs
entry sequential [n] [m] (xss: [n][m]f32) = #[sequential] map (\xs -> #[core] map (+ 1) xs) xss
entry call [n] [m] (xss: [n][m]f32) = #[block] map (\xs -> #[block] lanes xs) xss
