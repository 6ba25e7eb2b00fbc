-- expect: copy-in-loop
-- The rows exist already; the result has them in another order.

entry main [n] [m] (a: [n][m]f32) (order: [n]i64): [n][m]f32 = map (\i -> a[i]) order
