-- The program on its way of the design: a map whose rows are padded on both sides.

entry pad [n] [m] (a: [n][m]f32) =
  map (\r -> [r[0]] ++ map (* 2) r ++ [r[m - 1]]) a
