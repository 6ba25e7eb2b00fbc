-- A module type with a parametric abstract type, refined by `with`.
-- ==
-- input { 1 2 } output { 1 2 }

module type pairs = {
  type pair 'a
  val make 'a: a -> a -> pair a
  val first 'a: pair a -> a
}
module m: pairs with pair 'a = (a, a) = {
  type pair 'a = (a, a)
  def make x y = (x, y)
  def first 'a (p: pair a): a = p.0
}
def main (x: i32) (y: i32): (i32, i32) =
  let p = m.make x y
  in (m.first p, p.1)
