-- [views] §4.1.1: `zip` is a view, so that the addition reads both vectors directly.

entry main [n] (a: [n]f32) (b: [n]f32): [n]f32 =
  map (\(x, y) -> x + y) (zip a b)
