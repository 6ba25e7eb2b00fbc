-- The checks of a function that is called are made before the call, except for those that are known to pass there; nothing
-- inside a branch relies on a check that is not made any more.
-- ==
-- input { 1i32 } output { 0i64 5i64 }
-- input { -7i32 } output { 0i64 5i64 }

#[noinline]
def first_of [m] [n] (x: [m][n]i64): i64 =
  if m > 0 && n > 0 then x[0 % m, 0 % n] else 0

entry main (x: i32): (i64, i64) =
  let sums =
    replicate 2 x
    |> map (\_ -> first_of (replicate 2 (replicate 2 0i64)))
    |> map (\_ -> 0i64)
  in (reduce (+) 0 sums, first_of [[5i64, 6], [7, 8]])
