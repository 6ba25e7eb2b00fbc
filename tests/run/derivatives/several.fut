-- Derivatives in several directions by the library `derivatives`.
-- ==
-- tags { no_peer }
-- input { [1.0, 2.0, 3.0] }
-- output { [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]] [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]] }
-- input { [5.0] } output { empty([0][1]f64) empty([0][1]f64) }

open import "derivatives"

def products [n] (xs: [n]f64): []f64 =
  map2 (*) (take (n - 1) xs) (drop 1 xs :> [n - 1]f64)
def identity (n: i64) = tabulate_2d n n (\i j -> f64.bool (i == j))

entry main [n] (xs: [n]f64) =
  let f (ys: [n]f64): [n - 1]f64 = products ys :> [n - 1]f64
  in (transpose (jmp f xs (identity n)), mjp f xs (identity (n - 1)))
