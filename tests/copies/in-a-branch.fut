-- expect: allocation-in-loop
-- Only some iterations need the memory for the running sums.

entry main [n] (xs: [n]f64) (limits: []f64): []f64 =
  map (\limit ->
         if limit < 0
         then 0
         else let sums = scan (+) 0 (map (* limit) xs)
              in reduce f64.max f64.lowest (map2 (*) sums (reverse sums)))
      limits
