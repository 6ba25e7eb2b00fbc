-- The derivative of a call of a function that is not inlined, with two results.
-- ==
-- tags { no_peer }
-- input { 2.0 3.0 } output { 6.0 5.0 32.0 22.0 }

#[noinline] def both (x: f64) (y: f64) = (x * y, x + y)

def main (x: f64) (y: f64) =
  let ((p, s), (dx, dy)) = vjp2 (\(x, y) -> both x y) (x, y) (10, 2)
  in (p, s, dx, dy)
