-- expect: no-array, no-array, no-array
entry name [n] (xs: [n]f32) = #[materialize] xs
entry scalar (x: f32) = #[source] (x + 1)
entry part [n] (xs: [n]f32) = #[global] (xs[0] * 2)
