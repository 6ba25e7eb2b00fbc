-- A library of monoids by parametric modules: pairs of monoids are monoids.
-- ==
-- input { [3, 1, 2] } output { 6 1 6 3 }
-- input { empty([0]i32) } output { 0 2147483647 0 -2147483648 }

module type monoid = { type t val ne: t val op: t -> t -> t }
module add: monoid with t = i32 = {
  type t = i32
  def ne = 0i32
  def op = (i32.+)
}
module least: monoid with t = i32 = {
  type t = i32
  def ne = i32.highest
  def op = i32.min
}
module most: monoid with t = i32 = {
  type t = i32
  def ne = i32.lowest
  def op = i32.max
}
module pair (a: monoid) (b: monoid): monoid with t = (a.t, b.t) = {
  type t = (a.t, b.t)
  def ne = (a.ne, b.ne)
  def op ((x, y): t) ((u, v): t): t = (a.op x u, b.op y v)
}
module fold (m: monoid) = {
  def fold [n] (xs: [n]m.t): m.t = reduce m.op m.ne xs
}
module f1 = fold (pair add least)
module f2 = fold (pair add most)
def main (xs: []i32): (i32, i32, i32, i32) =
  let (a, b) = f1.fold (map (\x -> (x, x)) xs)
  let (c, d) = f2.fold (map (\x -> (x, x)) xs)
  in (a, b, c, d)
