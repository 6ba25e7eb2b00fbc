-- A parametric module, applied to two modules.
-- ==
-- input { [1, 2, 3] } output { 6 6.0 }
-- input { empty([0]i32) } output { 0 0.0 }

module type num = { type t val zero: t val add: t -> t -> t }
module summer (n: num) = {
  def sum [k] (xs: [k]n.t): n.t = reduce n.add n.zero xs
}
module int_sum = summer {
  type t = i32
  def zero = 0i32
  def add (x: t) (y: t) = x + y
}
module real_sum = summer {
  type t = f64
  def zero = 0f64
  def add (x: t) (y: t) = x + y
}
def main (xs: []i32): (i32, f64) =
  (int_sum.sum xs, real_sum.sum (map f64.i32 xs))
