-- A parametric module over the module types of the prelude.
-- ==
-- input { [1, 2, 3] [1.5, 2.5, 3.5] } output { 14 20.75 3 3.5f32 }

module norms (n: numeric) = {
  def square_norm [k] (xs: [k]n.t): n.t = n.sum (map (\x -> x n.* x) xs)
  def largest [k] (xs: [k]n.t): n.t = n.maximum xs
}
module ni = norms i32
module nd = norms f64
module ns = norms f32
def main (xs: []i32) (ys: []f64): (i32, f64, i32, f32) =
  (ni.square_norm xs, nd.square_norm ys, ni.largest xs,
   ns.largest (map f32.f64 ys))
