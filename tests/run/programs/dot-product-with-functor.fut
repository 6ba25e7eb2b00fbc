-- Vector operations over any numeric type, by a parametric module.
-- ==
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 5.0 11 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 0.0 0 }

module linear (t: numeric) = {
  def dot [n] (xs: [n]t.t) (ys: [n]t.t): t.t = t.sum (map2 (t.*) xs ys)
  def norm1 [n] (xs: [n]t.t): t.t = t.sum (map t.abs xs)
}
module lf = linear f64
module li = linear i32
def main [n] (xs: [n]f64) (ys: [n]f64): (f64, f64, i32) =
  (lf.dot xs ys, lf.dot xs xs, li.dot (map i32.f64 xs) (map i32.f64 ys))
