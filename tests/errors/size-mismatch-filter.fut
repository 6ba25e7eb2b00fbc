-- expect: size-mismatch
-- A filtered array has a size that nobody knows.
def main [n] (xs: [n]i64): [n]i64 =
  map2 (+) xs (filter (> 0) xs)
