-- expect: allocation-in-loop
-- The array of the outer loop is where the inner one begins, so it cannot take turns with the next one.

entry main [n] (outer: i32) (inner: i32) (xs: [n]f32): [n]f32 =
  loop (xs: [n]f32) for _i < outer do
    let ys = loop (ys: [n]f32) = xs for _j < inner do tabulate n (\i -> ys[i] + 0.5 * ys[(i + 1) % n])
    in map2 (+) xs ys
