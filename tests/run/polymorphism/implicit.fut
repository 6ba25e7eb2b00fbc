-- Functions without annotations are generalised.
-- ==
-- input { 1 [2.5, 3.5] } output { 1 [2.5, 3.5] [[2.5, 3.5], [2.5, 3.5]] }

def ident x = x
def pair x = [x, x]
def main (x: i32) (ys: [2]f64): (i32, [2]f64, [2][2]f64) =
  (ident x, ident ys, pair (ident ys))
