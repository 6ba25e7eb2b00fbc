-- A module with values, functions, types and a module inside.
-- ==
-- input { 3 } output { 13 6 100 }

module m = {
  type t = i32
  def ten: t = 10
  def add (x: t): t = x + ten
  module inner = {
    def double (x: t): t = x + x
    def hundred = ten * ten
  }
}
def main (x: m.t): (i32, i32, i32) =
  (m.add x, m.inner.double x, m.inner.hundred)
