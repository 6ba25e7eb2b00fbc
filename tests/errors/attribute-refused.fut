-- expect: attribute-refused, attribute-refused, attribute-refused, attribute-refused
-- target: c
entry dest [n] (a: *[n]i32) = a with [1:] = #[dest] map (* 2) a[:n - 1]
entry filter [n] (xs: [n]i32) = #[source] filter (> 0) xs
entry window [n] (xs: [n]i32) = #[window] map (\i -> i32.sum xs[i:i + 1]) (iota n)
entry wish [n] (xs: [n]i32) = reverse (#[try(source)] scan (+) 0 xs)
