-- expect: none
-- What a local function makes is new, even if it looks at variables around it.
entry main [n] (xs: [n]i64): [n]i64 =
  let shifted by = map (+ by) xs
  let ys = shifted 1
  let ys[0] = 100
  in map2 (+) ys (shifted 2)
