-- An abstract type whose size is that of a parameter of the module.
-- ==
-- input { 5 } output { [30, 36] [40, 48] [[5, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 5]] [[5, 5, 5, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 5, 5, 5]] }

module type vec = {
  val n: i64
  type t
  val mk: i32 -> t
  val sum: t -> i32
  val arr: t -> [n]i32
}
module F (A: { val n: i64 }): vec = {
  def n = A.n * 2
  type t = [A.n * 2]i32
  def mk (x: i32): t = replicate (A.n * 2) x
  def sum (x: t) = reduce (+) 0 x
  def arr (x: t): [n]i32 = x :> [n]i32
}
module a = F { def n = 3i64 }
module b = F { def n = 4i64 }
module H (V: vec) = {
  def f (x: i32) = let ts = [V.mk x, V.mk (x + 1)] in map V.sum ts
  def g (x: i32) = map V.arr (replicate 2 (V.mk x))
}
module ha = H a
module hb = H b
entry main (x: i32) = (ha.f x, hb.f x, ha.g x, hb.g x)
