-- expect: allocation-in-loop, allocation-in-loop
-- How many elements are left is known when they are there.

entry main [n] (xs: [n]i64): i64 =
  let (_, rounds) =
    loop (xs, rounds) = (xs, 0) while length xs > 1 do
      (map (/ 2) (filter (\x -> x % 3 != 0) xs), rounds + 1)
  in rounds
