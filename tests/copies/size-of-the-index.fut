-- expect: allocation-in-loop
-- The lengths of the prefixes differ.

entry main [n] (xs: [n]f32): [n]f32 =
  map (\k -> f32.maximum (reverse (scan (+) 0 xs[:k]))) (iota n)
