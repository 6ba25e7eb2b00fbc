-- A polymorphic operation used at two types in one expression.
-- ==
-- input { [3, 1, 2] } output { 3 3.0 [3, 3, 3] }

def best 'a [n] (gt: a -> a -> bool) (d: a) (xs: [n]a): a =
  reduce (\x y -> if gt x y then x else y) d xs
def main [n] (xs: [n]i32): (i32, f64, [n]i32) =
  (best (>) i32.lowest xs, best (>) f64.lowest (map f64.i32 xs),
   replicate n (best (>) 0 xs))
