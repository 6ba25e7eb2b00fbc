-- Square roots by the iteration of Newton, until it stands still.
-- ==
-- input { [4.0, 2.0, 0.25] } output { [2.0, 1.4142135623730951, 0.5] }
-- input { empty([0]f64) } output { empty([0]f64) }

def root (a: f64): f64 =
  let (x, _) =
    loop (x, change) = (a + 1, 1) while change > 1e-15 * x do
      let y = (x + a / x) / 2
      in (y, f64.abs (x - y))
  in x
def main [n] (xs: [n]f64): [n]f64 = map root xs
