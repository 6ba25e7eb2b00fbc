-- expect: copy-in-loop
-- An attribute asks for memory of its own.

entry main [n] [m] (a: [n][m]f32): [n]f32 =
  map (\row -> let backwards = #[materialize] reverse row
               in f32.sum (map2 (*) row backwards))
      a
