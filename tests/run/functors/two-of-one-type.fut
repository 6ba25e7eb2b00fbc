-- Two parametric parameters of the same module type make types of their own. The peer takes them for one type.
-- ==
-- tags { no_peer }
-- input { 5 } output { 17 17 14 }

module type ft = ({ type t val x: t }) -> { type r val y: r val show: r -> i32 }
module H (P: ft) (Q: ft) = {
  module p = P { type t = i32 def x = 3i32 }
  module q = Q { type t = bool def x = true }
  def f (_: i32) = p.show p.y + q.show q.y
}
module one (X: { type t val x: t }) = {
  type r = (i32, X.t)
  def y: r = (1, X.x)
  def show ((a, _): r) = a * 10
}
module two (X: { type t val x: t }): { type r val y: r val show: r -> i32 } = {
  type r = {k: f32, v: X.t}
  def y: r = {k = 7f32, v = X.x}
  def show (r: r) = i32.f32 r.k
}
module h = H one two
module k = H two one
module H2 (P: ft) = H P P
module l = H2 two
entry main (x: i32) = (h.f x, k.f x, l.f x)
