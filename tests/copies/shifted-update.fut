-- expect: copy-in-loop
-- Each element is replaced by one that depends on its neighbour.

entry main [n] (rounds: i32) (a: *[n]f32): *[n]f32 =
  loop a for _i < rounds do
    a with [1:] = map2 (\x y -> 0.5 * (x + y)) a[:n - 1] a[1:]
