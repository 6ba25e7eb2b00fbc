-- [views] §4.1.2: what is concatenated is written to its place in the whole, in one loop for each part. As a source view
-- the same is one loop with a branch.

entry destination [n] [m] (a: [n]f32) (b: [m]f32) =
  map (* 2) a ++ map (+ 1) b

entry source [n] [m] (a: [n]f32) (b: [m]f32) =
  map (* 2) (#[source] (a ++ b))
