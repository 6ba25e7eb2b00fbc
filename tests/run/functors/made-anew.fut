-- A type that is hidden inside of a parametric module is another one in each application.
-- ==
-- input { 5 } output { 20 }

module type S = { type t val mk: i32 -> t val un: t -> i32 }
module F (A: { type u val un: u -> i32 val mk: i32 -> u }) = {
  module M: S = {
    type t = (A.u, i32)
    def mk x = (A.mk x, x)
    def un ((x, y): t) = A.un x + y
  }
  type t = M.t
}
module a = F { type u = i32 def un (x: i32) = x def mk (x: i32) = x }
module b = F {
  type u = f32
  def un (x: f32) = i32.f32 x
  def mk (x: i32) = f32.i32 x
}
entry main (i: i32) = a.M.un (a.M.mk i) + b.M.un (b.M.mk i)
