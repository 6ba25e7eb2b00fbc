-- A parametric module of two parameters behind a module type, applied to both arguments and to one after the other.
-- ==
-- input { 5 } output { 501 105 }
-- input { 2 } output { 201 2 }

module type num = { type t val c: t val toi: t -> i32 }
module S: {
  module F: (X: num) -> (Y: num) -> {
    type r
    val mk: X.t -> Y.t -> r
    val un: r -> i32
  }
} = {
  module F (X: num) (Y: num) = {
    type r = (X.t, Y.t)
    def mk (x: X.t) (y: Y.t): r = (x, y)
    def un ((x, y): r) = X.toi x * 100 + Y.toi y
  }
}
module i = { type t = i32 def c = 1i32 def toi (x: i32) = x }
module b = { type t = bool def c = true def toi (x: bool) = i32.bool x }
module ib = S.F i b
module bi0 = S.F b
module bi = bi0 i
entry main (x: i32) = (ib.un (ib.mk x true), bi.un (bi.mk (x > 3) x))
