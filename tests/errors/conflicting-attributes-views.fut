-- expect: conflicting-attributes, conflicting-attributes, conflicting-attributes, conflicting-attributes
entry a [n] (xs: [n]i32) = i32.sum (#[source] #[materialize] map (+ 1) xs)
entry b [n] (xs: [n]i32) (ys: [n]i32) = #[dest] #[source] (xs ++ ys)
entry c [n] (xs: [n]i32) = #[dest] #[materialize] map (* 2) xs
entry d [n] (xs: [n]i32) = #[global] #[source] map (* 2) xs
