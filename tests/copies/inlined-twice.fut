-- expect: allocation-in-loop
-- A function is inlined in two loops; that is one warning.

def spread [n] (k: i64) (xs: [n]f64): f64 =
  let sums = scan (+) 0 xs[:k]
  in f64.maximum (map2 (-) sums (reverse sums))

entry up [n] (xs: [n]f64): [n]f64 = map (\k -> spread k xs) (iota n)

entry down [n] (xs: [n]f64): [n]f64 = map (\k -> spread (n - k) xs) (iota n)
