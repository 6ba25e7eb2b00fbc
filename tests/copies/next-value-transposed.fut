-- expect: copy-in-loop, allocation-in-loop
-- A loop hands its array on with the dimensions changed.

entry main [n] (rounds: i32) (a: [n][n]f32): [n][n]f32 =
  loop (a: [n][n]f32) for _i < rounds do
    if a[0, 0] > 0 then transpose a else map (map (+ 1)) a
