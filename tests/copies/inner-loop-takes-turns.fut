-- expect: allocation-in-loop, allocation-in-loop
-- What comes out of the inner loop is one of two blocks that take turns, and the next value of the outer loop.

entry main [n] (outer: i64) (inner: i64) (xs: [n]f32): ([n]f32, [outer]f32) =
  loop (ys, norms) = (xs, replicate outer 0) for i < outer do
    let zs = loop (zs: [n]f32) = map (* 0.5) ys for _j < inner do tabulate n (\i -> zs[i] + 0.5 * zs[(i + 1) % n])
    in (zs, norms with [i] = f32.sum zs)
