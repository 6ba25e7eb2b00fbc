-- A parametric module applied to what it made itself: type arguments belong to the outer application, the bodies of abbreviations to the inner one.
-- ==
-- input { 5 } output { 5666 344 34 }

module type box = {
  type u
  val u: i32 -> u
  val un: u -> i32
  type t 'a
  val mk 'a: a -> t a
  val get 'a: t a -> a
  val peek 'a: t a -> i32
}
module G (B: box): box = {
  type u = (B.u, i32)
  def u (x: i32) = (B.u x, x + 1)
  def un ((a, b): u) = B.un a * 10 + b
  type t 'a = (B.t a, B.u)
  def mk 'a (x: a): t a = (B.mk x, B.u 3)
  def get 'a ((x, _): t a) = B.get x
  def peek 'a ((_, y): t a) = B.un y
  def both (x: i32) = let p: B.t B.u = B.mk (B.u x) in B.un (B.get p)
}
module base: box = {
  type u = i32
  def u (x: i32) = x
  def un (x: i32) = x
  type t 'a = a
  def mk 'a (x: a) = x
  def get 'a (x: a) = x
  def peek 'a (_: a) = 0i32
}
module g1 = G base
module g2 = G g1
module g3 = G g2
entry main (x: i32) =
  (g3.un (g3.get (g3.mk (g3.u x))), g3.peek (g3.mk (g3.u x)),
   g2.peek (g2.mk (g3.u x)))
