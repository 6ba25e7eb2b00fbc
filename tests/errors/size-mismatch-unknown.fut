-- expect: size-mismatch
-- Both sizes are unknown.
def main (xs: []i64): [](i64, i64) =
  let small = filter (< 10) xs
  let large = filter (>= 10) xs
  in zip small large
