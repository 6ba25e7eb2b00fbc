-- A module type that asks for a module inside.
-- ==
-- input { 5 } output { 26 }

module type outer = {
  module inner: { type t val f: i32 -> t val g: t -> i32 }
  val h: i32 -> inner.t
}
module o: outer = {
  module inner = {
    type t = i64
    def f (x: i32) = i64.i32 x
    def g (x: t) = i32.i64 x
  }
  def h (x: i32) = inner.f (x * x)
}
def main (x: i32): i32 = o.inner.g (o.h x) + 1
