-- expect: consumed-in-loop
def drain (xs: *[]i64) : bool = xs[0] > 0

entry main (xs: *[]i64) : []i64 =
  loop xs while drain xs do
    map (\x -> x - 1) xs
