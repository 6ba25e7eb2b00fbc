-- A slice that is replaced by a copy of the array, which the checked sizes say is the slice itself.
-- ==
-- input { [[1, 2], [3, 4]] 0i64 } output { [[1, 2], [3, 4]] }
-- input { [[1, 2], [3, 4]] 1i64 } error:
entry main [n] (a: *[n][n]i32) (s: i64): *[n][n]i32 =
  loop a for _k < 2i64 do
    let b = copy a :> [n][n - s]i32
    in a with [:, s:] = b
