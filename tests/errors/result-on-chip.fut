-- expect: result-on-chip, result-on-chip
entry a [n] [m] (xss: [n][m]f32) = #[block] map (\xs -> #[shared] map (+ 1) xs) xss
entry b [n] [m] (xss: [n][m]f32) (c: bool) =
  #[block] map (\xs -> if c then #[shared] map (+ 1) xs else map (* 2) xs) xss
