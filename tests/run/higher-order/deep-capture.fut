-- Closures that capture closures that capture values.
-- ==
-- input { 1 2 3 } output { 123 }
-- input { 0 0 0 } output { 0 }

def main (a: i32) (b: i32) (c: i32): i32 =
  let f = \x -> x * 100 + a * 0
  let g = \y -> \x -> f x + y * 10
  let h = \z -> \y x -> g y x + z
  in h c b a
